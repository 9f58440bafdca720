import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OPERATIONS = fileURLToPath(new URL('../../docs/operations.md', import.meta.url));

/** Names of environment variables that the program reads, as the table of settings has them. */
export function knownSettings(): Set<string> {
  const rows = readFileSync(OPERATIONS, 'utf8').matchAll(/^\| `([A-Z_]+)`/gm);
  return new Set([...rows].map(([, name]) => name!));
}
