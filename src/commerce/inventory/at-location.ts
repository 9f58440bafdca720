import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { StockLocation } from './allocate.ts';
import { UNTRACKED_STOCK } from './stock.ts';

/** Returns what can be sold of products at an active location; of a parent, the sum of its active variants. Without a product it is 0. */
export async function findStockAt(
  db: Queryable,
  companyId: number,
  productIds: readonly number[],
  { id, main }: StockLocation,
): Promise<Map<number, number>> {
  const ids = sql`any(${[...productIds]}::bigint[])`;
  const rows = await db.query<{ id: number; available: number }>(sql`
    select s.shown as id, least(sum(case
      when not s.track_stock then ${UNTRACKED_STOCK}
      when ${main} then greatest(0, t.stock_qty - coalesce(l.elsewhere, 0))
      else coalesce(l.here, 0) end), ${UNTRACKED_STOCK})::int as available
    from (
      select id as shown, id, track_stock from products
      where company_id = ${companyId} and id = ${ids} and variant_count = 0
      union all
      select variant_of, id, track_stock from products
      where company_id = ${companyId} and variant_of = ${ids} and archived_at is null
    ) s
    join product_stock t on t.company_id = ${companyId} and t.product_id = s.id
    cross join lateral (
      select sum(v.available) filter (where v.location_id = ${id}) as here,
        sum(v.available) filter (where o.online and o.active and not o.main) as elsewhere
      from stock_levels v join locations o on o.company_id = v.company_id and o.id = v.location_id
      where v.company_id = ${companyId} and v.product_id = s.id
    ) l
    group by s.shown`);
  return new Map(rows.map((row) => [row.id, row.available]));
}
