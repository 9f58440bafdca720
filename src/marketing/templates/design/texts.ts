/** Texts of a design as MJML: everything is escaped except Liquid, whose values the renderer escapes. */

/** A run of text, or an unchanged Liquid tag or output. */
interface Piece {
  liquid: boolean;
  text: string;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '{': '&#123;',
  '}': '&#125;',
};
/** Placeholders for Liquid while a text is formatted. The renderer itself also uses characters of this range. */
const PRIVATE = /[\ue000-\uf8ff]/g;
const OPEN = '\ue010';
const CLOSE = '\ue011';

/** Control characters are not allowed in an e-mail. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

export function escapeText(text: string): string {
  return text.replace(/[&<>"'{}]/g, (character) => ESCAPES[character]!);
}

/** Splits like LiquidJS; braces that do not form a complete tag or output are text. Linear time. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const closed: Record<string, boolean> = { '}}': true, '%}': true };
  for (let at = text.indexOf('{'); at >= 0; ) {
    const closer = text[at + 1] === '{' ? '}}' : text[at + 1] === '%' ? '%}' : null;
    const end = closer === null || !closed[closer] ? -1 : text.indexOf(closer, at + 2);
    if (closer !== null && end < 0) closed[closer] = false;
    if (end < 0) {
      at = text.indexOf('{', at + 1);
      continue;
    }
    const token = text.slice(at, end + 2);
    if (hasBalancedQuotes(token)) {
      if (at > from) pieces.push({ liquid: false, text: text.slice(from, at) });
      pieces.push({ liquid: true, text: token });
      from = end + 2;
    }
    at = text.indexOf('{', end + 2);
  }
  if (from < text.length) pieces.push({ liquid: false, text: text.slice(from) });
  return pieces;
}

function hasBalancedQuotes(token: string): boolean {
  let quote = '';
  for (const character of token) {
    if (quote === '') quote = character === '"' || character === "'" ? character : '';
    else if (character === quote) quote = '';
  }
  return quote === '';
}

/** For the content of an element: nothing in it may look like the start of a tag. */
function liquidInText(token: string): string {
  return token.replace(/<(?=[A-Za-z/!?])/g, '< ');
}

/** For a quoted attribute: a token that has both kinds of quotes is treated as text. */
function liquidInAttribute(token: string): string {
  const single = token.includes('"') && !token.includes("'") ? token.replaceAll('"', "'") : token;
  return single.includes('"') ? escapeText(token) : liquidInText(single);
}

function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(PRIVATE, '').replace(CONTROLS, '').toWellFormed();
}

/** One line for an attribute in quotes. */
export function attribute(text: string): string {
  return piecesOf(clean(text).replace(/\s+/g, ' ').trim())
    .map((piece) => (piece.liquid ? liquidInAttribute(piece.text) : escapeText(piece.text)))
    .join('');
}

/** An address for an attribute; '' for anything that is not a web page, an e-mail address or a telephone number. */
export function addressOf(url: string | undefined, kind: 'link' | 'picture' = 'link'): string {
  const trimmed = clean(url ?? '').trim();
  const allowed = kind === 'link' ? /^(https?:\/\/|mailto:|tel:|sms:|\{\{)/i : /^(https?:\/\/|\{\{)/i;
  return allowed.test(trimmed) && !/\s/.test(trimmed.replace(/\{\{.*?\}\}/g, '')) ? attribute(trimmed) : '';
}

/** One line of plain text. */
export function plain(text: string): string {
  return piecesOf(clean(text).replace(/\s+/g, ' ').trim())
    .map((piece) => (piece.liquid ? liquidInText(piece.text) : escapeText(piece.text)))
    .join('');
}

/** Text with **bold**, *italic*, [links](https://…), lists and paragraphs as HTML; `linkStyle` is CSS. */
export function formatted(text: string, linkStyle: string): string {
  const tokens: string[] = [];
  const marked = piecesOf(clean(text))
    .map((piece) => (piece.liquid ? `${OPEN}${tokens.push(piece.text) - 1}${CLOSE}` : piece.text))
    .join('');
  const restored = (part: string): string => part.replace(MARKED, (_, n: string) => tokens[Number(n)]!);
  const inline = (line: string): string => {
    let out = '';
    let from = 0;
    for (const match of line.matchAll(/\[([^[\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g)) {
      const href = addressOf(restored(match[2]!));
      out += emphasised(line.slice(from, match.index));
      const label = emphasised(match[1]!);
      out += href === '' ? label : `<a href="${href}" style="${linkStyle}">${label}</a>`;
      from = match.index + match[0].length;
    }
    out += emphasised(line.slice(from));
    return out.replace(MARKED, (_, n: string) => liquidInText(tokens[Number(n)]!));
  };
  return marked
    .split(/\n[ \t]*\n\s*/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => block(paragraph.split('\n'), inline))
    .join('');
}

const MARKED = /\ue010(\d+)\ue011/g;

function emphasised(text: string): string {
  return escapeText(text)
    .replace(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*\s][^*\n]*)\*/g, '<em>$1</em>');
}

/** A paragraph; lines that begin with a hyphen are a list. */
function block(lines: string[], inline: (line: string) => string): string {
  let out = '';
  let kind: 'list' | 'lines' | null = null;
  const close = (): void => {
    out += kind === 'list' ? '</ul>' : kind === 'lines' ? '</p>' : '';
    kind = null;
  };
  for (const line of lines) {
    const item = /^\s*- (.*)$/.exec(line);
    const wanted = item === null ? 'lines' : 'list';
    const first = kind !== wanted;
    if (first) {
      close();
      out += wanted === 'list' ? '<ul style="margin:0 0 12px;padding-left:20px">' : '<p style="margin:0 0 12px">';
      kind = wanted;
    }
    if (item !== null) out += `<li>${inline(item[1]!)}</li>`;
    else out += `${first ? '' : '<br />'}${inline(line)}`;
  }
  close();
  return out;
}
