/** `{{ … }}` and `{% … %}`. */
const CLOSES: Record<string, string> = { '{': '}}', '%': '%}' };
const QUOTED = /'[^']*'|"[^"]*"/g;

/** Yields the content of the Liquid tags of a text, in linear time. */
export function* tagsIn(text: string): Iterable<string> {
  for (let at = text.indexOf('{'); at >= 0; ) {
    const close = CLOSES[text[at + 1] ?? ''];
    if (close === undefined) {
      at = text.indexOf('{', at + 1);
      continue;
    }
    const end = text.indexOf(close, at + 2);
    // Liquid rejects a text with an unclosed tag.
    if (end < 0) return;
    yield text.slice(text[at + 2] === '-' ? at + 3 : at + 2, end);
    at = text.indexOf('{', end + 2);
  }
}

/** Removes the quoted strings of a tag. */
export function withoutQuoted(tag: string): string {
  return tag.replace(QUOTED, "''");
}
