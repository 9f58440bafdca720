import type { Span } from './shop.ts';

const DAY_MS = 86_400_000;

/** Splits the days before `until` by month, with even shares of the total counts. */
export function monthsOf(until: Date, days: number, counts: Omit<Span, 'from' | 'to'>): Span[] {
  const begin = until.getTime() - days * DAY_MS;
  const spans: Span[] = [];
  const done = { orders: 0, events: 0, messages: 0 };
  for (let from = begin; from < until.getTime(); ) {
    const date = new Date(from);
    const to = Math.min(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1), until.getTime());
    const share = (total: number, so_far: number): number =>
      Math.round((total * (to - begin)) / (days * DAY_MS)) - so_far;
    const span = {
      from: date,
      to: new Date(to),
      orders: share(counts.orders, done.orders),
      events: share(counts.events, done.events),
      messages: share(counts.messages, done.messages),
    };
    for (const kind of ['orders', 'events', 'messages'] as const) done[kind] += span[kind];
    spans.push(span);
    from = to;
  }
  return spans;
}
