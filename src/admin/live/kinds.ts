import type { Scope } from '../../access/scopes.ts';
import type { MarkRow } from './queries.ts';

/** The kinds of changes reported to an open page, with the scope that a role needs. */
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
  // Which kinds of notices a person may read is decided where they are read.
  notices: 'products:read',
} as const satisfies Record<string, Scope>;

export type LiveKind = keyof typeof LIVE_KINDS;
export const KIND_NAMES = Object.keys(LIVE_KINDS) as LiveKind[];

/** Kinds of the sources whose name differs from their kind. */
const SOURCES: Readonly<Record<string, LiveKind>> = {
  list: 'lists',
  'campaign-messages': 'campaigns',
  'campaign-days': 'campaigns',
  'campaign-reasons': 'campaigns',
  'campaign-activity': 'campaigns',
  'campaign-links': 'campaigns',
  'campaign-removed': 'campaigns',
  'campaign-hold-out': 'campaigns',
  flow: 'flows',
  'flow-activity': 'flows',
};

/** A change number per kind: it only shows that something changed when it differs from the previous one. */
export type Marks = Record<LiveKind, string>;

const BASE = 36;

/** Returns the change numbers of each company, including companies without rows. */
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

/** Returns the id of a stream's event: the change numbers known to its reader, so that any process can continue from it. */
export function eventIdOf(marks: Marks): string {
  return KIND_NAMES.map((kind) => marks[kind]).join('.');
}

/** Parses the change numbers in an id; null if it is invalid or from another version of the program. */
export function marksOfEventId(id: string | null): Marks | null {
  const parts = id?.split('.') ?? [];
  if (parts.length !== KIND_NAMES.length || !parts.every((part) => /^-?[0-9a-z]{1,12}$/.test(part))) return null;
  return Object.fromEntries(KIND_NAMES.map((kind, i) => [kind, parts[i]!])) as Marks;
}

/** Returns the kinds whose change numbers differ. */
export function changedBetween(before: Marks, after: Marks): LiveKind[] {
  return KIND_NAMES.filter((kind) => before[kind] !== after[kind]);
}
