import { formatTimestamp } from '../../../lib/timestamps.ts';
import { isGroup, type Rule, type RuleGroup } from '../../../rules/language.ts';
import { evaluateRules } from '../evaluate.ts';
import { type HistoryField, type Measure, parseContactField } from '../fields.ts';
import { CLASSES_IN_ORDER } from '../rfm.ts';

/** A model of history rules for tests, computed from lists of events and messages without SQL. */

const DAY_MS = 86_400_000;

export interface MadeHistory {
  events: { type: string; at: Date; total: number; data: Record<string, unknown> }[];
  messages: MadeMessage[];
}

export interface MadeMessage {
  status: string;
  at: Date;
  bounced: boolean;
  opened: MadeActivity | null;
  clicked: MadeActivity | null;
}

/** `again` is the last time, if it happened more than once. */
export interface MadeActivity {
  at: Date;
  again: Date | null;
}

/** The lower bounds of the scores 2 to 5. */
export interface Boundaries {
  recency: number[];
  frequency: number[];
  monetary: number[];
}

/** The group with each rule on histories replaced by one that always or never holds. */
export function decideHistories(group: RuleGroup, history: MadeHistory, boundaries: Boundaries, now: Date): RuleGroup {
  const rules = group.rules.map((rule) => {
    if (isGroup(rule)) return decideHistories(rule, history, boundaries, now);
    const field = parseContactField(rule.field)!;
    if (field.kind !== 'history') return rule;
    const v = measureOf(field.measure, thingsOf(field, rule, history, now), boundaries, now);
    const { where: _, within_days: __, ...plain } = rule;
    return evaluateRules({ rules: [{ ...plain, field: 'v' }] }, { event: { v }, contact: null }, now)
      ? { rules: [] }
      : NEVER;
  });
  return { ...group, rules };
}

const NEVER: Rule = { field: 'contact.contact_id', comparison: 'not_exists' };

interface Thing {
  first: number;
  last: number;
  cents: number;
}

function thingsOf({ source, measure }: HistoryField, rule: Rule, history: MadeHistory, now: Date): Thing[] {
  const since = rule.within_days === undefined ? Number.NEGATIVE_INFINITY : now.getTime() - rule.within_days * DAY_MS;
  const things: Thing[] =
    source.of === 'events'
      ? history.events
          .filter(({ type }) => type === source.eventType || (measure === 'net' && MONEY_BACK.includes(type)))
          .filter(({ data }) => meets(data, rule.where, now))
          .map((event) => ({ first: event.at.getTime(), last: event.at.getTime(), cents: centsOf(event) }))
      : history.messages.flatMap((message) => messageThing(message, source.activity));
  return things.filter(({ last }) => last >= since);
}

const MONEY_BACK = ['order_refunded', 'payment_disputed', 'order_refund_reversed'];

function centsOf({ type, total, data: { net_amount: net } }: MadeHistory['events'][number]): number {
  if (!MONEY_BACK.includes(type)) return Math.round(total * 100);
  if (typeof net !== 'number') return 0;
  return Math.round(net * 100) * (type === 'order_refund_reversed' ? 1 : -1);
}

function meets(data: object, where: RuleGroup | undefined, now: Date): boolean {
  return where === undefined || evaluateRules(where, { event: data, contact: null }, now);
}

function messageThing(message: MadeMessage, activity: 'received' | 'opened' | 'clicked'): Thing[] {
  const { at, again } = activity === 'received' ? { at: message.at, again: null } : (message[activity] ?? NOTHING);
  if (at === null || (activity === 'received' && (message.status !== 'sent' || message.bounced))) return [];
  return [{ first: at.getTime(), last: (again ?? at).getTime(), cents: 0 }];
}

const NOTHING = { at: null, again: null };

function measureOf(measure: Measure, things: Thing[], boundaries: Boundaries, now: Date): unknown {
  const n = things.length;
  const cents = things.reduce((sum, thing) => sum + thing.cents, 0);
  if (measure === 'count') return n;
  if (measure === 'total' || measure === 'net') return cents / 100;
  if (n === 0) return null;
  const first = Math.min(...things.map((thing) => thing.first));
  const last = Math.max(...things.map((thing) => thing.last));
  const days = (ms: number): number => Math.floor(ms / DAY_MS);
  const r = score(last, boundaries.recency);
  const f = score(n, boundaries.frequency);
  const m = score(cents, boundaries.monetary);
  const span = last - first;
  switch (measure) {
    case 'first_at':
      return formatTimestamp(new Date(first));
    case 'last_at':
      return formatTimestamp(new Date(last));
    case 'days_since_first':
      return days(now.getTime() - first);
    case 'days_since_last':
      return days(now.getTime() - last);
    case 'days_between':
      return n > 1 && span > 0 ? days(span / (n - 1)) : null;
    case 'next_expected_at':
      return n > 1 && span > 0 ? formatTimestamp(new Date(last + span / (n - 1))) : null;
    case 'days_until_next':
      return n > 1 && span > 0 ? days(last - now.getTime() + span / (n - 1)) : null;
    case 'rfm.recency':
      return r;
    case 'rfm.frequency':
      return f;
    case 'rfm.monetary':
      return m;
    case 'rfm.class':
      return CLASSES_IN_ORDER[(r - 1) * 5 + Math.ceil((f + m) / 2) - 1];
  }
}

function score(value: number, bounds: number[]): number {
  return 1 + bounds.filter((bound) => bound <= value).length;
}

/** Quintiles of the buyers; equal values are in the same quintile. */
export function boundariesOf(buyers: MadeHistory[]): Boundaries {
  const orders = buyers
    .map((buyer) => buyer.events.filter(({ type }) => type === 'order_placed'))
    .filter((some) => some.length > 0);
  const cut = (values: number[]): number[] => {
    const sorted = values.toSorted((a, b) => a - b);
    return [0.2, 0.4, 0.6, 0.8].map((share) => {
      const limit = sorted[Math.ceil(share * sorted.length) - 1]!;
      return sorted.find((value) => value > limit) ?? Number.POSITIVE_INFINITY;
    });
  };
  return {
    recency: cut(orders.map((some) => Math.max(...some.map(({ at }) => at.getTime())))),
    frequency: cut(orders.map((some) => some.length)),
    monetary: cut(orders.map((some) => some.reduce((sum, { total }) => sum + Math.round(total * 100), 0))),
  };
}
