import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Slice } from '../../../lib/slice.ts';

/** Deltas that one statement adds up. If a customer's orders are added up anew, all deltas of that customer are read. */
const AT_ONCE = 2_000;

/** Adds changes by orders to customers' spent amounts and times of last order. */
export function foldCustomerFigures(db: Queryable): Slice<true> {
  return async () => {
    const rows = await db.query<{ folded: number }>(sql`select fold_customer_figures(${AT_ONCE}) as folded`);
    const { folded } = rows[0]!;
    return { done: folded, next: folded < AT_ONCE ? null : true };
  };
}

export interface CustomerSums {
  /** In minor units, like refunded. */
  spent: number;
  refunded: number;
  /** Null without orders. */
  last_order_at: Date | null;
}

/** Returns the figures of a customer with what is not folded yet; undefined for an unknown or erased customer. */
export async function findCustomerFigures(
  db: Queryable,
  companyId: number,
  customerId: number,
): Promise<CustomerSums | undefined> {
  const [row] = await db.query<CustomerSums>(sql`
    select case when d.anew then o.spent else f.spent + d.spent end as spent,
      case when d.anew then o.refunded else f.refunded + d.refunded end as refunded,
      nullif(case when d.anew then o.last_order_at else greatest(f.last_order_at, d.last_order_at) end, '-infinity') as last_order_at
    from customer_figures f
    cross join lateral (
      select coalesce(sum(spent), 0)::bigint as spent, coalesce(sum(refunded), 0)::bigint as refunded,
        coalesce(max(last_order_at), '-infinity') as last_order_at, coalesce(bool_or(anew), false) as anew
      from customer_figure_deltas d where d.company_id = f.company_id and d.customer_id = f.customer_id
    ) d
    -- Some orders were removed or came from another customer in the last seconds.
    left join lateral (
      select coalesce(sum(total) filter (where status <> 'cancelled'), 0)::bigint as spent,
        coalesce(sum(given_back) filter (where status <> 'cancelled'), 0)::bigint as refunded,
        coalesce(max(created_at), '-infinity') as last_order_at
      from orders o where o.company_id = f.company_id and o.customer_id = f.customer_id
    ) o on d.anew
    where f.company_id = ${companyId} and f.customer_id = ${customerId}`);
  return row;
}

/** Waits for the fold, and keeps it from changing figures until COMMIT. */
export async function holdCustomerFigures(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7265319432)`);
}
