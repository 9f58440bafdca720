import type { Queryable } from '../../db/pool.ts';
import { type Statement, sql } from '../../db/sql.ts';
import type { OrderFilters } from './contract.ts';
import { conditionsOf, filtersOf } from './list-queries.ts';
import { canMove, ORDER_STATUSES } from './status.ts';

const SHIPPABLE = ORDER_STATUSES.filter((status) => canMove(status, 'shipped'));

/** Orders that match the filters and can be shipped, as conditions over alias o. */
function shippable(companyId: number, filters: OrderFilters): Statement {
  return sql`o.company_id = ${companyId} and o.status = any(${SHIPPABLE}::text[])
    ${conditionsOf(filtersOf(filters))}`;
}

/** Returns how many there are, and the highest of their ids. */
export async function countShippable(
  db: Queryable,
  companyId: number,
  filters: OrderFilters,
): Promise<{ total: number; upto: number }> {
  const rows = await db.query<{ total: number; upto: number }>(sql`
    select count(*)::int as total, coalesce(max(o.id), 0) as upto from orders o where ${shippable(companyId, filters)}`);
  return rows[0]!;
}

/** Returns the next ids of such orders, ascending. */
export async function nextShippable(
  db: Queryable,
  companyId: number,
  filters: OrderFilters,
  { after, upto, limit }: { after: number; upto: number; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select o.id from orders o
    where ${shippable(companyId, filters)} and o.id > ${after} and o.id <= ${upto} order by o.id limit ${limit}`);
  return rows.map(({ id }) => id);
}
