import type { Db, Queryable } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { type PageRow, pageFrom, selectPage } from '../page-rows.ts';
import { findShort } from '../search.ts';
import { facetsOf, flagsOf, type ProductFilters } from './filters-queries.ts';
import { findProductsJson, productJson } from './json-queries.ts';
import { matches, shortMatches } from './search/matching-queries.ts';

/**
 * Returns a page without category or search, by the kept totals, in one statement. `locate_page` finds the page's first id to within 4096
 * ids, which an index-only scan counts off. The stock is read row by row: a join in a plan for every page would merge through the whole
 * stock table. The inner limit of 100 tells PostgreSQL that a generic plan is as cheap as one for this page; without it, every execution
 * would be planned anew.
 */
export async function listProductsByKey(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const flags = flagsOf(filters);
  const stock = sql`(select stock_qty from product_stock s where s.company_id = ${companyId} and s.product_id = p.id)`;
  const located = sql`(
      select total, lowest, (
        select p.id from products p
        where p.company_id = ${companyId} and p.id < below and p.id >= lowest and ${flags}
        order by p.id desc offset rest limit 1
      ) as first
      from locate_page(${companyId}, 'products', ${facetsOf(filters)}, null, null, ${bounds.skip})
    )`;
  const page = sql`
      select p.id, ${productJson(stock, divisor)} as json from (
        select * from products p
        where p.company_id = ${companyId} and p.id <= l.first and p.id >= l.lowest and ${flags}
        order by p.id desc limit 100
      ) p limit ${bounds.take}`;
  const rows = await db.query<PageRow>(selectPage(located, page));
  return pageFrom(rows);
}

/**
 * Returns a page for filters whose totals are not kept: total and page come from the same indexed set. The ids are collected in one array,
 * since counting and sorting them as rows costs twice as much for a word that all products contain.
 */
export async function searchProducts(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const conditions = [sql`p.company_id = ${companyId}`, flagsOf(filters), matches(filters.search)];
  const category =
    filters.category === undefined
      ? emptySql
      : sql`join product_categories pc on pc.company_id = p.company_id and pc.product_id = p.id and pc.slug = ${filters.category}`;
  const found = sql`(
      select coalesce(cardinality(ids), 0) as total, ids from (
        select array_agg(p.id order by p.id desc) as ids from products p ${category} where ${joinSql(conditions, ' and ')}
      ) matching
    )`;
  const page = sql`
      select p.id, ${productJson(rawSql('s.stock_qty'), divisor)} as json
      from (select unnest(l.ids) as id offset ${bounds.skip} limit ${bounds.take}) f
      join products p on p.company_id = ${companyId} and p.id = f.id
      join product_stock s on s.company_id = ${companyId} and s.product_id = f.id`;
  const rows = await db.query<PageRow>(selectPage(found, page));
  return pageFrom(rows);
}

/** Like `searchProducts`, for words of one or two letters and without a category. */
export async function searchProductsShort(
  db: Db,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const { total, ids } = await findShort(db, companyId, shortMatches(companyId, filters), filters.search.words, bounds);
  const found = await findProductsJson(db, companyId, ids, divisor);
  return { rows: found.filter((product) => product !== undefined), total };
}
