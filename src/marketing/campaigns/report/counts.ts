import { fromMinor } from '../../../commerce/money.ts';
import { MESSAGE_STATES } from '../../../messaging/ledger/message.ts';
import type { Benchmark, Counts } from './contract.ts';
import type { CountRow, DayRow } from './queries.ts';

/** The counts of a campaign or of one of its variants, or of all campaigns in `rows` (null); `exponent` is the number of decimals of the shop's currency. */
export function countsOf(rows: CountRow[], campaignId: number | null, exponent: number, variant?: string): Counts {
  const sums = new Map<string, number>();
  for (const { counter, key: of, n } of rows) {
    if (campaignId !== null && !counter.endsWith(`:${campaignId}`)) continue;
    const [metric, key] = of.split(':', 2) as [string, string];
    if (variant !== undefined && key !== variant) continue;
    sums.set(metric, (sums.get(metric) ?? 0) + n);
  }
  const sum = (metric: string): number => sums.get(metric) ?? 0;
  const states = Object.fromEntries(MESSAGE_STATES.map((state) => [state, sum(state)]));
  return {
    ...(states as Record<(typeof MESSAGE_STATES)[number], number>),
    delivered: Math.max(0, sum('sent') - sum('bounced')),
    opened: sum('opened'),
    machine_opened: sum('machine_opened'),
    clicked: sum('clicked'),
    bounced: sum('bounced') + sum('refused'),
    complained: sum('complained'),
    unsubscribed: sum('unsubscribed'),
    converted: sum('converted'),
    revenue: fromMinor(sum('revenue'), exponent),
    refunded: fromMinor(sum('refunded'), exponent),
    net: fromMinor(sum('revenue') - sum('refunded'), exponent),
  };
}

/** The counts of all these campaigns together, to compare another one with; null without campaigns. */
export function benchmarkOf(rows: CountRow[], campaigns: number, exponent: number): Benchmark | null {
  if (campaigns === 0) return null;
  const { sent, delivered, opened, clicked, bounced, complained, unsubscribed, converted } = countsOf(
    rows,
    null,
    exponent,
  );
  return { campaigns, sent, delivered, opened, clicked, bounced, complained, unsubscribed, converted };
}

/** The counts of each day, in order. */
export function daysOf(rows: DayRow[], exponent: number) {
  return [...Map.groupBy(rows, (row) => row.date)].map(([date, kept]) => {
    const n = new Map(kept.map((row) => [row.key, row.n]));
    const of = (key: string): number => n.get(key) ?? 0;
    return {
      date,
      sent: of('sent'),
      opened: of('opened'),
      machine_opened: of('machine_opened'),
      clicked: of('clicked'),
      bounced: of('bounced') + of('refused'),
      complained: of('complained'),
      unsubscribed: of('unsubscribed'),
      converted: of('converted'),
      revenue: fromMinor(of('revenue'), exponent),
      refunded: fromMinor(of('refunded'), exponent),
      net: fromMinor(of('revenue') - of('refunded'), exponent),
    };
  });
}
