import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { ProductFilters } from './contract.ts';
import { flagsOf, inCategories, matches, searchOf } from './list-queries.ts';
import { setStatus } from './queries.ts';

/** Returns a `from` clause, with its conditions, of the products that the list shows under the filters. */
function listed(companyId: number, filters: ProductFilters): Statement {
  const { category, in_stock: inStock, subscription_enabled: subscriptionEnabled, archived, status } = filters;
  const search = searchOf(filters.search);
  const shown = {
    search,
    ...(inStock === undefined ? {} : { inStock }),
    ...(subscriptionEnabled === undefined ? {} : { subscriptionEnabled }),
    ...(archived === undefined ? {} : { archived }),
    ...(status === undefined ? {} : { status }),
  };
  const conditions = [sql`p.company_id = ${companyId}`, flagsOf(companyId, shown), matches(companyId, shown)];
  const within = category === undefined ? emptySql : inCategories(companyId, category.split(','));
  return sql`products p ${within} where ${joinSql(conditions, ' and ')}`;
}

/** Returns how many there are, and the highest of their ids. */
export async function countListed(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
): Promise<{ total: number; upto: number }> {
  const rows = await db.query<{ total: number; upto: number }>(sql`
    select count(*)::int as total, coalesce(max(p.id), 0) as upto from ${listed(companyId, filters)}`);
  return rows[0]!;
}

/** Returns the next ids of such products, ascending. */
export async function nextListed(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  { after, upto, limit }: { after: number; upto: number; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select p.id from ${listed(companyId, filters)} and p.id > ${after} and p.id <= ${upto} order by p.id limit ${limit}`);
  return rows.map(({ id }) => id);
}

export async function setArchived(tx: Tx, companyId: number, id: number, archived: boolean, now: Date): Promise<void> {
  await tx.query(sql`
    update products p set ${setStatus(rawSql(archived ? "'archived'" : "'active'"), now)}, updated_at = ${now}
    where p.company_id = ${companyId} and p.id = ${id}`);
}
