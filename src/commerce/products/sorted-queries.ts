import type { Db } from '../../db/pool.ts';
import { orderBy, type SortedPage, sortedIds } from '../../db/sorting/sorted-ids.ts';
import { type WalkedKey, walkSorted } from '../../db/sorting/walk-sorted.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { Sort } from '../../lib/sorting.ts';
import { areShort, findShort } from '../search.ts';
import { facetsOf, flagsOf, type ProductFilters } from './filters-queries.ts';
import { findProductsJson } from './json-queries.ts';
import { matches, relevance, shortMatches } from './search/matching-queries.ts';

export type ProductSort = Sort<'name' | 'price' | 'stock' | 'relevance'>;
type SortedFilters = ProductFilters & { sort: ProductSort };

/** Over alias p. The index products_name has the same expression: the normalised search text begins with the name. */
const KEYS = {
  name: rawSql('left(p.search, length(p.name)) collate "C"'),
  price: rawSql('p.price'),
  stock: rawSql(
    '(select s.stock_qty from product_stock s where s.company_id = p.company_id and s.product_id = p.id offset 0)',
  ),
};
const ID = rawSql('p.id');

/** Yields all products under any filters, in pages. */
export async function* walkProducts(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  divisor: number,
): AsyncGenerator<RawJson[]> {
  const from = sql`from products p
    join product_stock s on s.company_id = p.company_id and s.product_id = p.id ${inCategory(filters)}
    where p.company_id = ${companyId} and ${flagsOf(filters)} and ${matches(filters.search)}`;
  const set = { from, id: ID, key: walkedKey(filters) };
  for await (const ids of walkSorted(db, set, filters.sort.direction)) {
    const found = await findProductsJson(db, companyId, ids, divisor);
    yield found.filter((product) => product !== undefined);
  }
}

function walkedKey({ search, sort }: SortedFilters): WalkedKey | null {
  if (sort.key === null) return null;
  if (sort.key === 'relevance') return { value: relevance(search), type: 'bigint' };
  if (sort.key === 'stock') return { value: rawSql('s.stock_qty'), type: 'bigint' };
  return { value: KEYS[sort.key], type: sort.key === 'name' ? 'text' : 'bigint' };
}

/** Returns a page in another order than newest first, under any filters. */
export async function listSorted(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const { total, ids } = await findSorted(db, companyId, filters, bounds);
  const found = await findProductsJson(db, companyId, ids, divisor);
  return { rows: found.filter((product) => product !== undefined), total };
}

function findSorted(db: Db, companyId: number, filters: SortedFilters, bounds: PageBounds): Promise<SortedPage> {
  const { category, search, sort } = filters;
  const { words } = search;
  const key = sort.key === null ? null : sort.key === 'relevance' ? relevance(search) : KEYS[sort.key];
  const order = orderBy({ key, id: ID }, sort.direction);
  if (category !== undefined) return sortMatches(db, companyId, filters, order, bounds);
  if (areShort(words)) {
    return findShort(db, companyId, { ...shortMatches(companyId, filters), order }, words, bounds);
  }
  if (words.length > 0) return sortMatches(db, companyId, filters, order, bounds);
  const total = sql`select total from locate_page(${companyId}, 'products', ${facetsOf(filters)}, null, null, 0)`;
  const listed = sql`p.company_id = ${companyId} and ${flagsOf(filters)}`;
  // Every order would have to write an index by stock, so the narrow stock table is read and sorted instead.
  if (sort.key === 'stock') {
    const from = sql`from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id where ${listed}`;
    return sortedIds(db, { from, id: ID, key: rawSql('s.stock_qty'), total }, sort.direction, bounds);
  }
  return sortedIds(db, { from: sql`from products p where ${listed}`, id: ID, key, total }, sort.direction, bounds);
}

/** Sorts what matches a category or words of three or more letters, as it is counted (see searchProducts). */
async function sortMatches(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  order: Statement,
  { skip, take }: PageBounds,
): Promise<SortedPage> {
  const { search } = filters;
  const conditions = [sql`p.company_id = ${companyId}`, flagsOf(filters), matches(search)];
  const rows = await db.query<SortedPage>(sql`
    select coalesce(cardinality(ids), 0) as total, coalesce((
      select json_agg(id order by n) from (
        select id, n from unnest(ids) with ordinality as found (id, n) offset ${skip} limit ${take}
      ) page
    ), '[]'::json) as ids
    from (
      select array_agg(p.id ${order}) as ids from products p ${inCategory(filters)} where ${joinSql(conditions, ' and ')}
    ) matches`);
  return rows[0]!;
}

function inCategory({ category }: ProductFilters): Statement {
  if (category === undefined) return emptySql;
  return sql`join product_categories pc on pc.company_id = p.company_id and pc.product_id = p.id and pc.slug = ${category}`;
}
