import type { Db, Queryable } from '../../db/pool.ts';
import { joinSql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { type PageRow, pageFrom, selectPage } from '../page-rows.ts';
import { conditionsOf, findShort } from '../search.ts';
import { customerJson } from './queries.ts';

/** Returns a page of all customers, located by the kept totals (see products/list-queries.ts). */
export async function listCustomersByKey(
  db: Queryable,
  companyId: number,
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  const located = sql`(
      select total, (
        select id from customers where company_id = ${companyId} and id < below and erased_at is null
        order by id desc offset rest limit 1
      ) as first
      from locate_page(${companyId}, 'customers', null, null, null, ${bounds.skip})
    )`;
  const page = sql`
      select c.id, ${customerJson} as json from (
        select * from customers where company_id = ${companyId} and id <= l.first and erased_at is null
        order by id desc limit 100
      ) c limit ${bounds.take}`;
  const rows = await db.query<PageRow>(selectPage(located, page));
  return pageFrom(rows);
}

export interface CustomerFilters {
  /** Normalised words, all of which must be found. */
  words: string[];
  /** Lower case. */
  email: string | undefined;
}

/** Returns a page for a search whose words have one or two letters. */
export async function searchCustomersShort(
  db: Db,
  companyId: number,
  words: string[],
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  const where = { table: rawSql('customers'), alias: rawSql('c'), condition: rawSql('true') };
  const { total, ids } = await findShort(db, companyId, where, words, bounds);
  const rows = await db.query<{ json: string }>(sql`
    select ${customerJson} as json from customers c
    where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) order by c.id desc`);
  return { total, rows: rows.map(({ json }) => new RawJson(json)) };
}

/** Returns a page for filters whose totals are not kept (see products/list-queries.ts). */
export async function searchCustomers(
  db: Queryable,
  companyId: number,
  filters: CustomerFilters,
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  const conditions = [sql`c.company_id = ${companyId} and c.erased_at is null`];
  if (filters.email !== undefined) conditions.push(sql`lower(c.email) = ${filters.email}`);
  conditions.push(...conditionsOf(rawSql('c.search'), filters.words));
  const found = sql`(
      select coalesce(cardinality(ids), 0) as total, ids from (
        select array_agg(c.id order by c.id desc) as ids from customers c where ${joinSql(conditions, ' and ')}
      ) matching
    )`;
  const page = sql`
      select c.id, ${customerJson} as json
      from (select unnest(l.ids) as id offset ${bounds.skip} limit ${bounds.take}) f
      join customers c on c.company_id = ${companyId} and c.id = f.id`;
  const rows = await db.query<PageRow>(selectPage(found, page));
  return pageFrom(rows);
}
