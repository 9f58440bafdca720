/** What a spreadsheet would take for a formula; some read the fullwidth forms as well. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** Formats a field of CSV (RFC 4180). A formula gets an apostrophe; objects become JSON. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = typeof value === 'string' && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}
