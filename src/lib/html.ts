/** Markup that is safe to send: only the tag below creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | Html[] | string | number | null;

/** html`<b>${name}</b>`: values are escaped, for text and quoted attributes; markup and lists of markup are inserted as they are. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, piece, i) => text + render(parts[i - 1] ?? null) + piece));
}

/** Whether a text is meant as HTML: it has a tag. A page reads `<` before anything else as text. */
export function hasTags(text: string): boolean {
  return /<[a-z!/?]/i.test(text);
}

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
