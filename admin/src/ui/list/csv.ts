import type { Column } from './types.ts';

/** Formats a field of CSV (RFC 4180); what a spreadsheet would take for a formula gets an apostrophe. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves what the list shows as a file: its columns and rows. */
export function downloadCsv<Row>(name: string, columns: Column<Row>[], rows: Row[]): void {
  const kept = columns.filter((column) => column.csv !== undefined);
  saveCsv(name, [
    kept.map(({ title }) => title),
    ...rows.map((row) => kept.map((column) => column.csv?.(row) ?? null)),
  ]);
}

/** Lets the browser save a file of these rows. */
export function saveCsv(name: string, rows: (string | number | boolean | null)[][]): void {
  const text = [...rows.map((row) => row.map(csvField).join(',')), ''].join('\r\n');
  saveFile(`${name}.csv`, ['\uFEFF', text], 'text/csv');
}

export function saveFile(name: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
