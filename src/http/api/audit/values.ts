import { HIDDEN, isAddress, withoutKeys } from '../../../access/audit-addresses.ts';
import { withoutPeople } from '../../../access/audit-people.ts';

export type Values = Record<string, unknown>;

/** Names of fields whose values are never shown in an entry. */
const SECRET = /password|secret|token|credential|private_key|access_key|api[-_]?key|authorization/i;
/** Fields that change with every write, or repeat what the entry itself says. */
const NOISE = new Set(['revision', 'updated_at']);
/** Maximum characters of a field's JSON: people read the entries, and the log is never shortened. */
const MOST_OF_FIELD = 4_000;
const MOST_OF_ALL = 16_000;
const BEGINNING = 1_000;

/** Returns the record without secrets, and without addresses if it may name people. Long values are cut and include their length. */
export function shownOf(record: Values, { mayName = false }: { mayName?: boolean } = {}): Values {
  const told = mayName ? (withoutPeople(record) as Values) : record;
  let left = MOST_OF_ALL;
  return Object.fromEntries(
    Object.entries(told).map(([name, value]) => {
      const shown = masked(name, value);
      const text = typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? 'null');
      const most = Math.min(MOST_OF_FIELD, left);
      left = Math.max(0, left - text.length);
      return [
        name,
        text.length <= most ? shown : { cut: text.slice(0, Math.min(BEGINNING, most)), length: text.length },
      ];
    }),
  );
}

function masked(name: string, value: unknown): unknown {
  if (value !== null && value !== '' && SECRET.test(name)) return HIDDEN;
  if (typeof value === 'string' && isAddress(name)) return withoutKeys(value);
  if (Array.isArray(value)) return value.map((one) => masked('', one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, masked(inner, one)]));
}

/** Returns a request's input without anything that may identify people: numbers, and the lengths of lists. */
export function measuresOf(body: Values, keepsText: (name: string) => boolean): Values {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.length];
      const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
      return [name, isPlain || (typeof value === 'string' && keepsText(name)) ? value : HIDDEN];
    }),
  );
}

/**
 * Returns figures in the response that are not in the record, such as how many were enrolled. Texts are left out, as they may name people.
 */
export function figuresOf(result: Values, record: Values): Values {
  return Object.fromEntries(
    Object.entries(result).filter(
      ([name, value]) => !(name in record) && !/(^|_)id$/.test(name) && ['number', 'boolean'].includes(typeof value),
    ),
  );
}

/** Returns the fields that differ, before and after. `names`: only these. */
export function changesOf(
  before: Values,
  after: Values,
  names = Object.keys(after),
): { before: Values; after: Values } {
  const isChanged = (name: string): boolean =>
    name in before && name in after && !NOISE.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const changed = names.filter(isChanged);
  const of = (record: Values): Values => Object.fromEntries(changed.map((name) => [name, record[name]]));
  return { before: of(before), after: of(after) };
}
