import { foldText } from '../../db/fold.ts';
import { countRows, findIds, type IdPage, orderBy, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { type WalkedKey, walkSorted } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { isDefault, type Sort } from '../../lib/sorting.ts';
import { SELLABLE_STOCK } from '../inventory/stock.ts';
import { type PageRow, pageFrom, selectPage } from '../page-rows.ts';
import { areShort, codesOf, conditionsOf, findShort, type ShortSearch, wordsOf } from '../search.ts';
import type { ProductStatus } from './contract.ts';
import { type FacetFilter, hasFacet } from './facets/filters.ts';
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
  /** Slugs: products in one of these. */
  categories?: readonly string[];
  search: ProductSearch;
  inStock?: boolean;
  subscriptionEnabled?: boolean;
  /** Only archived products and drafts if true; otherwise only the others. */
  archived?: boolean;
  /** Instead of `archived`. */
  status?: ProductStatus;
  /** Whether variants are listed, too. */
  withVariants?: boolean;
  sku?: string;
  barcode?: string;
  /** In minor units. */
  priceMin?: number;
  priceMax?: number;
  /** Ids: products in one of these. */
  collections?: readonly number[];
  /** All of which a product satisfies. */
  facets?: readonly FacetFilter[];
}

/** What each value of the filters by status shows, over alias p. */
const SHOWN = {
  active: 'p.archived_at is null',
  hidden: 'p.archived_at is not null',
  draft: 'p.archived_at is not null and p.draft',
  archived: 'p.archived_at is not null and not p.draft',
};

function shownOf({ status, archived }: Pick<ProductFilters, 'status' | 'archived'>): keyof typeof SHOWN {
  return status ?? (archived ? 'hidden' : 'active');
}

/** All filters but categories, collections and search, as conditions over alias p. */
export function flagsOf(companyId: number, filters: ProductFilters): Statement {
  const { subscriptionEnabled, inStock, withVariants, priceMin, priceMax, facets = [] } = filters;
  const given = (value: unknown, condition: Statement): Statement[] => (value === undefined ? [] : [condition]);
  const conditions = [
    rawSql(SHOWN[shownOf(filters)]),
    ...(withVariants ? [] : [rawSql('p.variant_of is null')]),
    ...given(subscriptionEnabled, sql`p.subscription_enabled = ${subscriptionEnabled}`),
    ...given(inStock, rawSql(inStock ? 'p.in_stock' : 'not p.in_stock')),
    ...given(filters.sku, hasCode(companyId, filters, 'sku', [filters.sku!])),
    ...given(filters.barcode, hasCode(companyId, filters, 'barcode', [filters.barcode!])),
    ...given(priceMin, sql`p.price >= ${priceMin}`),
    ...given(priceMax, sql`p.price <= ${priceMax}`),
    ...facets.map((facet) => hasFacet(facet, withVariants)),
  ];
  const joined = joinSql(conditions, ' and ');
  // Planned for these values: how many products have them decides which index is the best.
  return facets.length === 0 ? joined : unprepared(joined);
}

/** Whether a product has one of the codes; without variants in the list, whether it or one of its variants has. */
function hasCode(
  companyId: number,
  { withVariants }: ProductFilters,
  column: 'sku' | 'barcode',
  codes: readonly string[],
): Statement {
  const own = sql`${rawSql(`p.${column}`)} = any(${[...codes]}::text[])`;
  if (withVariants) return own;
  return sql`(${own} or p.id = any(array(
    select v.variant_of from products v
    where v.company_id = ${companyId} and ${rawSql(`v.${column}`)} = any(${[...codes]}::text[]) and v.variant_of is not null)))`;
}

/** `place`, of a manual collection, and `sold` are orders of collections. */
export type ProductSort = Sort<'name' | 'price' | 'stock' | 'relevance' | 'place' | 'sold'>;
type SortedFilters = ProductFilters & { sort: ProductSort };

/** Over alias p; `place` over alias m of the list's collection. The index products_shown_name has the same expression: the normalised search text begins with the name. */
const KEYS = {
  name: rawSql('left(p.search, length(p.name)) collate "C"'),
  price: rawSql('p.price'),
  place: rawSql('m.position'),
  // Units sold in 90 days, which recommendations count; a parent has those of its variants.
  sold: rawSql(`coalesce((
    select s.qty from product_sales s where s.company_id = p.company_id and s.product_id = p.id), 0)`),
  stock: sql`(select ${SELLABLE_STOCK} from product_stock s where s.company_id = p.company_id and s.product_id = p.id offset 0)`,
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
  if (isDefault(filters.sort) && !isWithin(filters) && filters.search.words.length === 0)
    return listNewest(db, companyId, filters, bounds, divisor);
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
      select p.id, ${productJson(divisor)} as json
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
  return sql`from products p where p.company_id = ${companyId} and ${flagsOf(companyId, filters)}`;
}

function totalOf(companyId: number, filters: ProductFilters): Statement {
  const { subscriptionEnabled, inStock, sku, barcode, priceMin, priceMax, facets } = filters;
  const narrowing = [subscriptionEnabled, inStock, sku, barcode, priceMin, priceMax, facets?.[0]];
  const isWhole = shownOf(filters) === 'active' && narrowing.every((value) => value === undefined);
  if (!isWhole) return countRows(listedFrom(companyId, filters));
  return storedTotal(companyId, 'products', filters.withVariants ? null : ['']);
}

async function findPage(db: Db, companyId: number, filters: SortedFilters, bounds: PageBounds): Promise<IdPage> {
  const { search, sort } = filters;
  const { words } = search;
  const key = sort.key === null ? null : sort.key === 'relevance' ? relevance(companyId, filters) : KEYS[sort.key];
  const order = orderBy({ key, id: ID }, sort.direction);
  // A category or collection has few enough rows to read each of them.
  if (!isWithin(filters) && areShort(words)) {
    return findShort(db, companyId, { ...shortMatches(companyId, filters), order }, words, bounds);
  }
  if (isWithin(filters) || words.length > 0) return findMatches(db, companyId, filters, order, bounds);
  const total = totalOf(companyId, filters);
  if (sort.key !== 'stock') {
    return findIds(db, { total, ids: sql`select p.id ${listedFrom(companyId, filters)} ${order}` }, bounds);
  }
  // Every order would have to write an index by stock, so the narrow stock table is read and sorted instead.
  const ids = sql`select p.id from products p
    join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${flagsOf(companyId, filters)}
    ${orderBy({ key: SELLABLE_STOCK, id: ID }, sort.direction)}`;
  return findIds(db, { total, ids }, bounds);
}

/**
 * Finds what matches a category, a collection or words of three or more letters. The total and the page come from the same array of ids, since counting
 * and sorting them as rows costs twice as much for a word that all products contain.
 */
async function findMatches(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  order: Statement,
  { skip, take }: PageBounds,
): Promise<IdPage> {
  const rows = await db.query<IdPage>(sql`
    select coalesce(cardinality(ids), 0) as total, coalesce((
      select json_agg(id order by n) from (
        select id, n from unnest(ids) with ordinality as found (id, n) offset ${skip} limit ${take}
      ) page
    ), '[]'::json) as ids
    from (
      select array_agg(p.id ${order}) as ids ${listedProducts(companyId, filters)}
    ) matches`);
  return rows[0]!;
}

/** FROM and WHERE of the products under all filters, over alias p. */
export function listedProducts(companyId: number, filters: ProductFilters, join: Statement = emptySql): Statement {
  return sql`from products p ${join} ${within(companyId, filters)}
    where p.company_id = ${companyId} and ${flagsOf(companyId, filters)} and ${matches(companyId, filters)}`;
}

/** Returns the exact number of products under any filters. */
export async function countProducts(db: Queryable, companyId: number, filters: ProductFilters): Promise<number> {
  const isPlain = !isWithin(filters) && filters.search.words.length === 0;
  const rows = await db.query<{ total: number }>(
    isPlain ? totalOf(companyId, filters) : countRows(listedProducts(companyId, filters)),
  );
  return rows[0]!.total;
}

/** Yields all products under any filters, in pages. */
export async function* walkProducts(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  divisor: number,
): AsyncGenerator<RawJson[]> {
  const stock = sql`join product_stock s on s.company_id = p.company_id and s.product_id = p.id`;
  const from = listedProducts(companyId, filters, stock);
  const set = { from, id: ID, key: walkedKey(companyId, filters) };
  for await (const ids of walkSorted(db, set, filters.sort.direction)) {
    const found = await findProductsJson(db, companyId, ids, divisor);
    yield found.filter((product) => product !== undefined);
  }
}

function walkedKey(companyId: number, filters: SortedFilters): WalkedKey | null {
  const { sort } = filters;
  if (sort.key === null) return null;
  if (sort.key === 'relevance') return { value: relevance(companyId, filters), type: 'bigint' };
  if (sort.key === 'stock') return { value: SELLABLE_STOCK, type: 'bigint' };
  return { value: KEYS[sort.key], type: sort.key === 'name' ? 'text' : 'bigint' };
}

/** Whether only categories or collections are listed. */
function isWithin({ categories, collections }: ProductFilters): boolean {
  return categories !== undefined || collections !== undefined;
}

/** Joins of these, with the alias m for a single collection. */
function within(companyId: number, { categories, collections }: ProductFilters): Statement {
  return sql`${categories === undefined ? emptySql : inCategories(companyId, categories)}
    ${collections === undefined ? emptySql : inCollections(companyId, collections)}`;
}

/** A join of alias p. */
export function inCategories(companyId: number, slugs: readonly string[]): Statement {
  if (slugs.length === 1) {
    return sql`join product_categories pc on pc.company_id = p.company_id and pc.product_id = p.id and pc.slug = ${slugs[0]}`;
  }
  return sql`join (
    select distinct product_id from product_categories where company_id = ${companyId} and slug = any(${[...slugs]}::text[])
  ) pc on pc.product_id = p.id`;
}

function inCollections(companyId: number, ids: readonly number[]): Statement {
  if (ids.length === 1) {
    return sql`join collection_products m
      on m.company_id = ${companyId} and m.product_id = p.id and m.collection_id = ${ids[0]}`;
  }
  return sql`join (
    select distinct product_id from collection_products where company_id = ${companyId} and collection_id = any(${[...ids]}::bigint[])
  ) m on m.product_id = p.id`;
}

/** Returns the search as a condition over alias p; each of its two parts has an index. */
export function matches(companyId: number, filters: ProductFilters): Statement {
  const { words, codes } = filters.search;
  const conditions = conditionsOf(rawSql('p.search'), words);
  return conditions.length === 0
    ? rawSql('true')
    : sql`(${joinSql(conditions, ' and ')} or ${hasCode(companyId, filters, 'sku', codes)}
      or ${hasCode(companyId, filters, 'barcode', codes)})`;
}

/** Like `matches`, for words of one or two letters. */
export function shortMatches(companyId: number, filters: ProductFilters): ShortSearch {
  return {
    table: rawSql('products'),
    alias: rawSql('p'),
    condition: flagsOf(companyId, filters),
    // Includes the company, since without it the whole index of SKUs would be read.
    also: sql`(p.company_id = ${companyId} and (${hasCode(companyId, filters, 'sku', filters.search.codes)}
      or ${hasCode(companyId, filters, 'barcode', filters.search.codes)}))`,
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
export function relevance(companyId: number, filters: ProductFilters): Statement {
  const { text, words, codes } = filters.search;
  const whole = foldText(text);
  const begun = words.map((word) => sql`strpos(${WORD_BY_WORD}, ${` ${word}`}) > 0`);
  const inside = words.map((word) => sql`strpos(${NAME}, ${word}) > 0`);
  return sql`(case when ${hasCode(companyId, filters, 'sku', codes)} then 5
    when left(p.search, length(p.name)) = ${whole} or lower(p.name) = lower(${text}::text) then 4
    when starts_with(p.search, ${whole}) then 3
    when ${joinSql(begun, ' and ')} then 2
    when ${joinSql(inside, ' and ')} then 1
    else 0 end)`;
}
