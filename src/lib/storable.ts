/** Maximum nesting of stored JSON, the same as of bodies. */
export const MAX_DEPTH = 20;

/** PostgreSQL's text accepts neither NUL nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Returns external text in a form that can be stored: without NUL, lone surrogates replaced. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Whether a JSON value can be stored as such: all its texts can, and its nesting is within that of a body. */
export function isStorableJson(value: unknown, depth = 1): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner, depth + 1));
}
