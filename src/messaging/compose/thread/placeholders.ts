/**
 * A campaign e-mail is rendered with its recipient's values enclosed in placeholders. Without the values it is a skeleton: all e-mails of
 * one skeleton share links, text part and encoding, which are compiled once.
 *
 * Placeholders are characters of Unicode's private use area. A template that contains any is not compiled.
 */
export const PLACEHOLDERS = {
  open: '\ue000',
  close: '\ue001',
  unsubscribe: '\ue002',
  preview: '\ue003',
  token: '\ue004',
};
const ANY_PLACEHOLDER = /[\ue000-\ue004]/;

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
