/**
 * Placeholders of bulk rendering. An e-mail is rendered with its recipient's values enclosed in placeholders; without the values
 * it is the skeleton, and all recipients of one skeleton share links, text part and encoding.
 *
 * Placeholders are characters of Unicode's private use area. A template that contains any is not rendered in bulk.
 */
export const PLACEHOLDERS = {
  open: '\ue000',
  close: '\ue001',
  unsubscribe: '\ue002',
  preview: '\ue003',
  token: '\ue004',
};
const ANY_PLACEHOLDER = /[\ue000-\ue004]/;
const VALUE = /\ue000([^\ue000\ue001]*)\ue001/g;

const ADDRESS_ALONE = /\{\{-?\s*(?:unsubscribe|preferences)_url\s*-?\}\}/g;

/** Whether a template may be rendered with placeholders: it contains none, and outputs the unsubscribe URLs unmodified. */
export function mayHavePlaceholders(template: string): boolean {
  return (
    !ANY_PLACEHOLDER.test(template) && !/(?:unsubscribe|preferences)_url/.test(template.replace(ADDRESS_ALONE, ''))
  );
}

/** Encloses a value that is escaped for HTML. */
export function mark(escaped: string): string {
  if (escaped === '' || escaped === PLACEHOLDERS.unsubscribe) return escaped;
  return `${PLACEHOLDERS.open}${ANY_PLACEHOLDER.test(escaped) ? escaped.replace(/[\ue000-\ue004]/g, '') : escaped}${PLACEHOLDERS.close}`;
}

const PLACE = /\ue000\d+\ue001/;

/** Returns the literal text between the values of a skeleton. */
export function betweenValues(skeleton: string): string[] {
  return skeleton.split(PLACE);
}

/**
 * Returns the values of a rendered e-mail with this skeleton, or null if its skeleton differs. Takes a twentieth of the time needed to
 * build the skeleton and look it up.
 */
export function valuesBetween(literals: readonly string[], rendered: string): string[] | null {
  const values: string[] = [];
  let at = 0;
  for (const [i, literal] of literals.entries()) {
    if (i > 0) {
      if (rendered[at] !== PLACEHOLDERS.open) return null;
      const end = rendered.indexOf(PLACEHOLDERS.close, at);
      if (end < 0) return null;
      values.push(rendered.slice(at + 1, end));
      at = end + 1;
    }
    // Comparing slices is faster: startsWith compares character by character.
    if (rendered.slice(at, at + literal.length) !== literal) return null;
    at += literal.length;
  }
  return at === rendered.length ? values : null;
}

/** Extracts the values of a rendered e-mail; the skeleton numbers their positions. */
export function splitValues(rendered: string): { skeleton: string; values: string[] } {
  const values: string[] = [];
  const skeleton = rendered.replace(
    VALUE,
    (_, value: string) => `${PLACEHOLDERS.open}${values.push(value) - 1}${PLACEHOLDERS.close}`,
  );
  return { skeleton, values };
}
