import { tOf } from '../../i18n/i18n.ts';

/** The metadata of a record as facts: what an import or a program noted about it. */
export function metadataFacts(metadata: Record<string, unknown>): [string, string][] {
  return Object.entries(metadata).map(([key, value]) => [tOf('metadata', key), textOf(value)]);
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return Object.values(value).map(textOf).join(', ');
}
