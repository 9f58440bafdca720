/** Formats a field of CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe; objects become JSON. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}
