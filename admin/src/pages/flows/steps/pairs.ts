/** A JSON object as editable rows: each value as text, number, yes or no, or otherwise as JSON. */

export const KINDS = ['text', 'number', 'boolean', 'json'] as const;
export type Kind = (typeof KINDS)[number];

export interface Pair {
  /** Constant while the row is edited. */
  id: number;
  name: string;
  kind: Kind;
  /** As it is typed. */
  text: string;
}

export type Flaw = 'no_name' | 'name_twice' | 'no_number' | 'no_json';

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

let made = 0;
export function newPair(): Pair {
  return { id: ++made, name: '', kind: 'text', text: '' };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function pairsOf(value: Record<string, unknown>): Pair[] {
  return Object.entries(value).map(([name, one]) => ({ ...newPair(), name, ...written(one) }));
}

function written(value: unknown): Pick<Pair, 'kind' | 'text'> {
  if (typeof value === 'string') return { kind: 'text', text: value };
  const text = JSON.stringify(value, null, 2);
  if (typeof value === 'number') return { kind: 'number', text };
  return { kind: typeof value === 'boolean' ? 'boolean' : 'json', text };
}

/** Returns the row with another kind, and what was typed as far as it fits. */
export function asKind(pair: Pair, kind: Kind): Pair {
  if (kind === pair.kind) return pair;
  if (kind === 'boolean') return { ...pair, kind, text: String(pair.text.trim() === 'true') };
  if (kind === 'json') return { ...pair, kind, text: pair.kind === 'text' ? JSON.stringify(pair.text) : pair.text };
  if (pair.kind !== 'json') return { ...pair, kind };
  const value = parsed(pair.text);
  return { ...pair, kind, text: typeof value === 'string' ? value : pair.text };
}

/** Returns what is wrong with each row, by its id. A row in which nothing was typed yet is omitted. */
export function flawsOf(pairs: readonly Pair[]): Map<number, Flaw> {
  const flaws = new Map<number, Flaw>();
  const names = new Set<string>();
  for (const pair of pairs.filter((one) => !isBlank(one))) {
    const { name } = pair;
    if (name.trim() === '') flaws.set(pair.id, 'no_name');
    else if (names.has(name)) flaws.set(pair.id, 'name_twice');
    else if (pair.kind === 'number' && !isNumber(numeric(pair))) flaws.set(pair.id, 'no_number');
    else if (pair.kind === 'json' && parsed(pair.text) === undefined) flaws.set(pair.id, 'no_json');
    names.add(name);
  }
  return flaws;
}

/** Returns the object of the rows; undefined where there are none. A row with an invalid value keeps its value of `known`. */
export function objectOf(
  pairs: readonly Pair[],
  known: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> | undefined {
  const flaws = flawsOf(pairs);
  const filled = pairs.filter((one) => !isBlank(one));
  const entries = filled.flatMap((pair): [string, unknown][] => {
    const flaw = flaws.get(pair.id);
    if (flaw === undefined) return [[pair.name, typedValue(pair)]];
    const isOfValue = flaw === 'no_number' || flaw === 'no_json';
    return isOfValue && Object.hasOwn(known, pair.name) ? [[pair.name, known[pair.name]]] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Whether it is a number that JSON can represent. */
function isNumber(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}

function isBlank({ name, text, kind }: Pair): boolean {
  return name.trim() === '' && (text === '' || kind === 'boolean');
}

function typedValue(pair: Pair): unknown {
  if (pair.kind === 'text') return pair.text;
  return pair.kind === 'number' ? Number(numeric(pair)) : parsed(pair.text);
}

/** Numbers may be typed with a comma. */
function numeric({ text }: Pair): string {
  return text.trim().replace(',', '.');
}

/** undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
