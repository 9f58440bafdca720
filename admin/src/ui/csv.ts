import type { Column } from './list/types.ts';

/** A field of CSV (RFC 4180); what a spreadsheet would take for a formula gets an apostrophe. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What the list shows, as a file: its columns and rows. */
export function downloadCsv<Row>(name: string, columns: Column<Row>[], rows: Row[]): void {
  const kept = columns.filter((column) => column.csv !== undefined);
  const lines = rows.map((row) => kept.map((column) => csvField(column.csv?.(row) ?? null)).join(','));
  const text = [kept.map(({ title }) => csvField(title)).join(','), ...lines, ''].join('\r\n');
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
