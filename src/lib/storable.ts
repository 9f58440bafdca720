/** What JSON that is stored may nest at most, as bodies may. */
export const MAX_DEPTH = 20;

/** PostgreSQL's text takes neither NUL nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text from elsewhere as it can be stored: without NUL, lone surrogates replaced. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Whether a value out of JSON can be stored as such: all its texts can, and it is nested as deep as a body may be. */
export function isStorableJson(value: unknown, depth = 1): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner, depth + 1));
}
