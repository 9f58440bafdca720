import { fromMinor } from '../../commerce/money.ts';
import type { Revenue } from './contract.ts';
import type { RevenuePeriod, RevenueRow } from './queries.ts';

const DAY_MS = 86_400_000;
const MONDAY = 1;

interface Sums {
  orders: number;
  /** Minor units, like refunded. */
  revenue: number;
  refunded: number;
}

/** The figures of the period, of each interval, and of each source; `exponent` is the number of decimals of the shop's currency. */
export function revenueReport(
  rows: RevenueRow[],
  { from, to, interval }: Pick<RevenuePeriod, 'from' | 'to' | 'interval'>,
  exponent: number,
): Pick<Revenue, 'total' | 'intervals' | 'sources'> {
  const shown = ({ orders, revenue, refunded }: Sums) => {
    return {
      orders,
      revenue: fromMinor(revenue, exponent),
      refunded: fromMinor(refunded, exponent),
      net: fromMinor(revenue - refunded, exponent),
    };
  };
  const byStart = Map.groupBy(rows, ({ start }) => start);
  const sources = [...Map.groupBy(rows, ({ id }) => id)].map(([id, own]) => ({ id, own, sums: sumOf(own) }));
  sources.sort((a, b) => {
    if (a.id === null || b.id === null) return a.id === null ? 1 : -1;
    return b.sums.revenue - b.sums.refunded - (a.sums.revenue - a.sums.refunded) || a.id - b.id;
  });
  return {
    total: shown(sumOf(rows)),
    intervals: startsOf(from, to, interval).map((start) => ({ start, ...shown(sumOf(byStart.get(start) ?? [])) })),
    sources: sources.map(({ id, own, sums }) => ({
      id,
      name: own[0]!.name,
      ...shown(sums),
      intervals: own.map((row) => ({ start: row.start, ...shown(row) })),
    })),
  };
}

function sumOf(rows: Sums[]): Sums {
  return rows.reduce(
    (sum, { orders, revenue, refunded }) => {
      return {
        orders: sum.orders + orders,
        revenue: sum.revenue + revenue,
        refunded: sum.refunded + refunded,
      };
    },
    { orders: 0, revenue: 0, refunded: 0 },
  );
}

/** The first day of each interval of the period: of a week its Monday. */
function startsOf(from: string, to: string, interval: 'day' | 'week'): string[] {
  const first = Date.parse(from);
  const beforehand = interval === 'week' ? (new Date(first).getUTCDay() - MONDAY + 7) % 7 : 0;
  const starts: string[] = [];
  for (let at = first - beforehand * DAY_MS; at <= Date.parse(to); at += (interval === 'week' ? 7 : 1) * DAY_MS) {
    starts.push(new Date(at).toISOString().slice(0, 10));
  }
  return starts;
}
