import type { Scope } from '../../access/scopes.ts';
import type { MarkRow } from './queries.ts';

/** What an open page is told of, and what a role needs to be told. */
export const LIVE_KINDS = {
  orders: 'orders:read',
  products: 'products:read',
  customers: 'customers:read',
  subscriptions: 'subscriptions:read',
  contacts: 'marketing:read',
  lists: 'marketing:read',
  events: 'marketing:read',
  messages: 'marketing:read',
  mailbox: 'marketing:read',
  campaigns: 'marketing:read',
  flows: 'marketing:read',
  imports: 'orders:read',
} as const satisfies Record<string, Scope>;

export type LiveKind = keyof typeof LIVE_KINDS;
export const KIND_NAMES = Object.keys(LIVE_KINDS) as LiveKind[];

/** Whose number belongs to which kind, where that is not the kind's own name. */
const SOURCES: Readonly<Record<string, LiveKind>> = {
  list: 'lists',
  'campaign-messages': 'campaigns',
  'campaign-days': 'campaigns',
  'campaign-reasons': 'campaigns',
  'campaign-activity': 'campaigns',
  'campaign-removed': 'campaigns',
  'campaign-hold-out': 'campaigns',
  'flow-messages': 'flows',
  'flow-activity': 'flows',
  'flow-runs': 'flows',
};

/** A number for each kind: it says nothing but that it is another one than before. */
export type Marks = Record<LiveKind, string>;

const BASE = 36;

/** The marks of each company; those of one without any rows as well. */
export function marksByCompany(companies: readonly number[], rows: readonly MarkRow[]): Map<number, Marks> {
  const sums = new Map<number, Record<LiveKind, number>>();
  for (const company of companies) {
    sums.set(company, Object.fromEntries(KIND_NAMES.map((kind) => [kind, 0])) as Record<LiveKind, number>);
  }
  for (const { company_id, source, mark } of rows) {
    const kind = SOURCES[source] ?? source;
    const of = sums.get(company_id);
    if (of !== undefined && isKind(kind)) of[kind] = (of[kind] + mark) % Number.MAX_SAFE_INTEGER;
  }
  return new Map([...sums].map(([company, of]) => [company, inText(of)]));
}

function inText(of: Record<LiveKind, number>): Marks {
  return Object.fromEntries(KIND_NAMES.map((kind) => [kind, of[kind].toString(BASE)])) as Marks;
}

function isKind(text: string): text is LiveKind {
  return text in LIVE_KINDS;
}

/** The id of an event of the stream: the marks that its reader knows then, so that any process can go on from there. */
export function eventIdOf(marks: Marks): string {
  return KIND_NAMES.map((kind) => marks[kind]).join('.');
}

/** The marks of an id; null of one that is none, or of another version of the program. */
export function marksOfEventId(id: string | null): Marks | null {
  const parts = id?.split('.') ?? [];
  if (parts.length !== KIND_NAMES.length || !parts.every((part) => /^-?[0-9a-z]{1,12}$/.test(part))) return null;
  return Object.fromEntries(KIND_NAMES.map((kind, i) => [kind, parts[i]!])) as Marks;
}

/** The kinds whose marks differ. */
export function changedBetween(before: Marks, after: Marks): LiveKind[] {
  return KIND_NAMES.filter((kind) => before[kind] !== after[kind]);
}
