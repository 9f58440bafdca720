interface Counted {
  orders: number;
  cancelled: number;
}

interface Period<Total extends Counted, Interval extends Counted> {
  total: Total;
  intervals: Interval[];
}

/** Counts the orders that were not cancelled, as revenue and average do. */
export function withoutCancelled<
  T extends Counted,
  I extends Counted,
  P extends Period<T, I>,
  O extends { period: P; compared: P | null },
>(overview: O): O {
  const { period, compared } = overview;
  return { ...overview, period: kept(period), compared: compared === null ? null : kept(compared) };
}

function kept<T extends Counted, I extends Counted, P extends Period<T, I>>(period: P): P {
  return { ...period, total: withoutCancelledOf(period.total), intervals: period.intervals.map(withoutCancelledOf) };
}

function withoutCancelledOf<C extends Counted>(counted: C): C {
  return { ...counted, orders: counted.orders - counted.cancelled };
}
