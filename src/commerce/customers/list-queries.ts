import type { Db, Queryable } from '../../db/pool.ts';
import { joinSql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { conditionsOf, findShort } from '../search.ts';
import { customerJson } from './queries.ts';

/** A page of all customers, by the kept totals (see products/list-queries.ts). */
export async function listCustomersByKey(
  db: Queryable,
  companyId: number,
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const rows = await db.query<{ total: number; json: string }>(sql`
    select l.total, coalesce((
      select '[' || string_agg(json, ',' order by id desc) || ']' from (
        select c.id, ${customerJson} as json from (
          select * from customers where company_id = ${companyId} and id <= l.first and erased_at is null
          order by id desc limit 100
        ) c limit ${bounds.take}
      ) page
    ), '[]') as json
    from (
      select total, (
        select id from customers where company_id = ${companyId} and id < below and erased_at is null
        order by id desc offset rest limit 1
      ) as first
      from locate_page(${companyId}, 'customers', null, null, null, ${bounds.skip})
    ) l`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
}

export interface CustomerFilters {
  /** Folded words, all of which must be found. */
  words: string[];
  /** Lower case. */
  email: string | undefined;
}

/** A page by words of one or two letters. */
export async function searchCustomersShort(
  db: Db,
  companyId: number,
  words: string[],
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const where = { table: rawSql('customers'), alias: rawSql('c'), condition: rawSql('true') };
  const { total, ids } = await findShort(db, companyId, where, words, bounds);
  const rows = await db.query<{ json: string }>(sql`
    select coalesce('[' || string_agg(${customerJson}, ',' order by c.id desc) || ']', '[]') as json
    from customers c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])`);
  return { total, rows: new RawJson(rows[0]!.json) };
}

/** A page under filters whose totals are not kept (see products/list-queries.ts). */
export async function searchCustomers(
  db: Queryable,
  companyId: number,
  filters: CustomerFilters,
  bounds: PageBounds,
): Promise<{ rows: RawJson; total: number }> {
  const conditions = [sql`c.company_id = ${companyId} and c.erased_at is null`];
  if (filters.email !== undefined) conditions.push(sql`lower(c.email) = ${filters.email}`);
  conditions.push(...conditionsOf(rawSql('c.search'), filters.words));
  const rows = await db.query<{ total: number; json: string }>(sql`
    with found as materialized (
      select array_agg(c.id order by c.id desc) as ids from customers c where ${joinSql(conditions, ' and ')}
    )
    select coalesce(cardinality(ids), 0) as total, coalesce((
      select '[' || string_agg(${customerJson}, ',' order by c.id desc) || ']'
      from (select unnest(ids) as id offset ${bounds.skip} limit ${bounds.take}) f
      join customers c on c.company_id = ${companyId} and c.id = f.id
    ), '[]') as json from found`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
}
