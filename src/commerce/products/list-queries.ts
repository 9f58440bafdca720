import { foldText } from '../../db/fold.ts';
import { countRows, findIds, type IdPage, orderBy, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type WalkedKey, walkSorted } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { isDefault, type Sort } from '../../lib/sorting.ts';
import { type PageRow, pageFrom, selectPage } from '../page-rows.ts';
import { areShort, codesOf, conditionsOf, findShort, type ShortSearch, wordsOf } from '../search.ts';
import { findProductsJson, productJson } from './json-queries.ts';

/** A parsed search for products. */
export interface ProductSearch {
  /** The text as typed. */
  text: string;
  /** Normalised words, all of which must be found in the name or the description. */
  words: string[];
  /** Products with one of these as their SKU are found as well. */
  codes: string[];
}

export function searchOf(text: string | undefined): ProductSearch {
  return { text: (text ?? '').trim(), words: wordsOf(text), codes: codesOf(text) };
}

export interface ProductFilters {
  category?: string;
  search: ProductSearch;
  inStock?: boolean;
  subscriptionEnabled?: boolean;
  /** Only archived products if true; otherwise only those that are not archived. */
  archived?: boolean;
}

/** The boolean filters as conditions over alias p. */
export function flagsOf({ subscriptionEnabled, inStock, archived = false }: ProductFilters): Statement {
  return sql`${rawSql(archived ? 'p.archived_at is not null' : 'p.archived_at is null')} ${
    subscriptionEnabled === undefined ? emptySql : sql`and p.subscription_enabled = ${subscriptionEnabled}`
  } ${inStock === undefined ? emptySql : rawSql(inStock ? 'and p.in_stock' : 'and not p.in_stock')}`;
}

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

/** Returns a page under any filters, in any order, with its exact total. */
export async function listProducts(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const isSearched = filters.category !== undefined || filters.search.words.length > 0;
  if (isDefault(filters.sort) && !isSearched) return listNewest(db, companyId, filters, bounds, divisor);
  const { total, ids } = await findPage(db, companyId, filters, bounds);
  const found = await findProductsJson(db, companyId, ids, divisor);
  return { rows: found.filter((product) => product !== undefined), total };
}

/** What most shops read most often, in one statement. */
async function listNewest(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson[]; total: number }> {
  const from = listedFrom(companyId, filters);
  const page = sql`
      select p.id, ${productJson(rawSql('s.stock_qty'), divisor)} as json
      from (${pageOfKeys(sql`select p.id ${from} order by p.id desc`, bounds)}) f
      -- "offset 0" keeps these look-ups per row: a join in a plan for every page would merge through the whole tables.
      cross join lateral (select * from products where company_id = ${companyId} and id = f.id offset 0) p
      cross join lateral (
        select stock_qty from product_stock where company_id = ${companyId} and product_id = f.id offset 0
      ) s`;
  const rows = await db.query<PageRow>(selectPage(sql`(${totalOf(companyId, filters)})`, page));
  return pageFrom(rows);
}

/** FROM and WHERE of the products under the boolean filters. */
function listedFrom(companyId: number, filters: ProductFilters): Statement {
  return sql`from products p where p.company_id = ${companyId} and ${flagsOf(filters)}`;
}

function totalOf(companyId: number, filters: ProductFilters): Statement {
  const { subscriptionEnabled, inStock, archived = false } = filters;
  const isWhole = !archived && subscriptionEnabled === undefined && inStock === undefined;
  return isWhole ? storedTotal(companyId, 'products') : countRows(listedFrom(companyId, filters));
}

async function findPage(db: Db, companyId: number, filters: SortedFilters, bounds: PageBounds): Promise<IdPage> {
  const { category, search, sort } = filters;
  const { words } = search;
  const key = sort.key === null ? null : sort.key === 'relevance' ? relevance(search) : KEYS[sort.key];
  const order = orderBy({ key, id: ID }, sort.direction);
  // A category has few enough rows to read each of them.
  if (category === undefined && areShort(words)) {
    return findShort(db, companyId, { ...shortMatches(companyId, filters), order }, words, bounds);
  }
  if (category !== undefined || words.length > 0) return findMatches(db, companyId, filters, order, bounds);
  const total = totalOf(companyId, filters);
  if (sort.key !== 'stock') {
    return findIds(db, { total, ids: sql`select p.id ${listedFrom(companyId, filters)} ${order}` }, bounds);
  }
  // Every order would have to write an index by stock, so the narrow stock table is read and sorted instead.
  const ids = sql`select p.id from products p
    join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${flagsOf(filters)}
    ${orderBy({ key: rawSql('s.stock_qty'), id: ID }, sort.direction)}`;
  return findIds(db, { total, ids }, bounds);
}

/**
 * Finds what matches a category or words of three or more letters. The total and the page come from the same array of ids, since counting
 * and sorting them as rows costs twice as much for a word that all products contain.
 */
async function findMatches(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  order: Statement,
  { skip, take }: PageBounds,
): Promise<IdPage> {
  const { search } = filters;
  const conditions = [sql`p.company_id = ${companyId}`, flagsOf(filters), matches(search)];
  const rows = await db.query<IdPage>(sql`
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

function inCategory({ category }: ProductFilters): Statement {
  if (category === undefined) return emptySql;
  return sql`join product_categories pc on pc.company_id = p.company_id and pc.product_id = p.id and pc.slug = ${category}`;
}

/** Returns the search as a condition over alias p; each of its two parts has an index. */
export function matches({ words, codes }: ProductSearch): Statement {
  const conditions = conditionsOf(rawSql('p.search'), words);
  return conditions.length === 0
    ? rawSql('true')
    : sql`(${joinSql(conditions, ' and ')} or p.sku = any(${codes}::text[]))`;
}

/** Like `matches`, for words of one or two letters. */
export function shortMatches(companyId: number, filters: ProductFilters): ShortSearch {
  return {
    table: rawSql('products'),
    alias: rawSql('p'),
    condition: flagsOf(filters),
    // Includes the company, since without it the whole index of SKUs would be read.
    also: sql`(p.company_id = ${companyId} and p.sku = any(${filters.search.codes}::text[]))`,
  };
}

/** The normalised search text begins with the name, which has at most as many letters as bytes. */
const NAME = rawSql('left(p.search, octet_length(p.name))');
/** The name with every character that may precede a word replaced by a space. */
const WORD_BY_WORD = sql`' ' || translate(${NAME}, ${'-_/(,."&+'}, ${' '.repeat(9)})`;

/**
 * Returns how well a product matches, the best with the highest number: by its SKU, its name, the beginning of its name, the beginnings of
 * words in its name, parts of its name, its description.
 */
export function relevance({ text, words, codes }: ProductSearch): Statement {
  const whole = foldText(text);
  const begun = words.map((word) => sql`strpos(${WORD_BY_WORD}, ${` ${word}`}) > 0`);
  const inside = words.map((word) => sql`strpos(${NAME}, ${word}) > 0`);
  return sql`(case when p.sku = any(${codes}::text[]) then 5
    when left(p.search, length(p.name)) = ${whole} or lower(p.name) = lower(${text}::text) then 4
    when starts_with(p.search, ${whole}) then 3
    when ${joinSql(begun, ' and ')} then 2
    when ${joinSql(inside, ' and ')} then 1
    else 0 end)`;
}
