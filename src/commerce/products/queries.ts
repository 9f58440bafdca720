import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { conditionsOf, findShort } from '../search.ts';

/**
 * A product's JSON as the interface shows it, over alias p (products): the kept record with what it shares with others.
 * `divisor` is minor units per major unit.
 */
function productJson(stock: Statement, divisor: number): Statement {
  return sql`'{"id":' || p.id || ',"price":' || trim_scale(p.price / ${divisor}::numeric) || ',"stock_qty":' || ${stock} ||
    ',' || p.record || '}'`;
}

/** By id or, where `ref` is no number, by slug. `divisor` is minor units per major unit. */
export async function findProductJson(
  db: Queryable,
  companyId: number,
  ref: number | string,
  divisor: number,
): Promise<RawJson | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<{ json: string }>(sql`
    select ${productJson(rawSql('s.stock_qty'), divisor)} as json
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${by}`);
  return rows[0] === undefined ? undefined : new RawJson(rows[0].json);
}

/** Several at once, by id, in the order asked for; undefined for what is not there. */
export async function findProductsJson(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
  divisor: number,
): Promise<(RawJson | undefined)[]> {
  const rows = await db.query<{ id: number; json: string }>(sql`
    select p.id, ${productJson(rawSql('s.stock_qty'), divisor)} as json
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and p.id = any(${ids}::bigint[])`);
  const found = new Map(rows.map(({ id, json }) => [id, new RawJson(json)]));
  return ids.map((id) => found.get(id));
}

export interface StockRow {
  product_id: number;
  stock_qty: number;
}

export async function findStock(db: Queryable, companyId: number, ref: number | string): Promise<StockRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<StockRow>(sql`
    select s.product_id, s.stock_qty
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${by}`);
  return rows[0];
}

export interface ProductFilters {
  category?: string;
  /** Folded words, all of which must be found. */
  words: string[];
  inStock?: boolean;
  subscriptionEnabled?: boolean;
}

/** The flags among the filters, as conditions over alias p. */
function flagsOf({ subscriptionEnabled, inStock }: ProductFilters): Statement {
  return sql`p.archived_at is null ${
    subscriptionEnabled === undefined ? emptySql : sql`and p.subscription_enabled = ${subscriptionEnabled}`
  } ${inStock === undefined ? emptySql : rawSql(inStock ? 'and p.in_stock' : 'and not p.in_stock')}`;
}

/** The facets of list_counts (see product_facet) that the flags admit. */
function facetsOf({ subscriptionEnabled, inStock }: ProductFilters): string[] {
  const either = (flag: boolean | undefined, yes: string, no: string): string[] =>
    flag === undefined ? [yes, no] : [flag ? yes : no];
  return either(subscriptionEnabled, 'subscription', 'single').flatMap((kind) =>
    either(inStock, 'in', 'out').map((stock) => `listed:${kind}:${stock}`),
  );
}

/**
 * A page of listed products by the kept totals, under flags alone: no category, no search. One statement; locate_page says where the page begins, but for at most 4096 ids, which an index holds apart from the rows. The stock is read per
 * row, because a join whose plan must fit every page would merge through the whole stock. The limit of 100 shows
 * PostgreSQL that a plan for every page is no dearer than one for this page: else it plans anew for each.
 */
export async function listProductsByKey(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson; total: number }> {
  const flags = flagsOf(filters);
  const stock = sql`(select stock_qty from product_stock s where s.company_id = ${companyId} and s.product_id = p.id)`;
  const rows = await db.query<{ total: number; json: string }>(sql`
    select l.total, coalesce((
      select '[' || string_agg(json, ',' order by id desc) || ']' from (
        select p.id, ${productJson(stock, divisor)} as json from (
          select * from products p
          where p.company_id = ${companyId} and p.id <= l.first and p.id >= l.lowest and ${flags}
          order by p.id desc limit 100
        ) p limit ${bounds.take}
      ) page
    ), '[]') as json
    from (
      select total, lowest, (
        select p.id from products p
        where p.company_id = ${companyId} and p.id < below and p.id >= lowest and ${flags}
        order by p.id desc offset rest limit 1
      ) as first
      from locate_page(${companyId}, 'products', ${facetsOf(filters)}, null, null, ${bounds.skip})
    ) l`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
}

/**
 * A page under filters whose totals are not kept: both from the same indexed set. It is held as one array, since as rows
 * that are counted and sorted the set of a word that all products have costs twice as much.
 */
export async function searchProducts(
  db: Queryable,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson; total: number }> {
  const conditions = [
    sql`p.company_id = ${companyId}`,
    flagsOf(filters),
    ...conditionsOf(rawSql('p.search'), filters.words),
  ];
  const category =
    filters.category === undefined
      ? emptySql
      : sql`join product_categories pc on pc.company_id = p.company_id and pc.product_id = p.id and pc.slug = ${filters.category}`;
  const rows = await db.query<{ total: number; json: string }>(sql`
    with found as materialized (
      select array_agg(p.id order by p.id desc) as ids from products p ${category} where ${joinSql(conditions, ' and ')}
    )
    select coalesce(cardinality(ids), 0) as total, coalesce((
      select '[' || string_agg(${productJson(rawSql('s.stock_qty'), divisor)}, ',' order by p.id desc) || ']'
      from (select unnest(ids) as id offset ${bounds.skip} limit ${bounds.take}) f
      join products p on p.company_id = ${companyId} and p.id = f.id
      join product_stock s on s.company_id = ${companyId} and s.product_id = f.id
    ), '[]') as json from found`);
  return { total: rows[0]!.total, rows: new RawJson(rows[0]!.json) };
}

/** The same for words of one or two letters, and without a category. */
export async function searchProductsShort(
  db: Db,
  companyId: number,
  filters: ProductFilters,
  bounds: PageBounds,
  divisor: number,
): Promise<{ rows: RawJson; total: number }> {
  const where = { table: rawSql('products'), alias: rawSql('p'), condition: flagsOf(filters) };
  const { total, ids } = await findShort(db, companyId, where, filters.words, bounds);
  const found = await findProductsJson(db, companyId, ids, divisor);
  const rows = found.flatMap((product) => (product === undefined ? [] : [product.text]));
  return { rows: new RawJson(`[${rows.join(',')}]`), total };
}

export interface ProductRow {
  id: number;
  name: string;
  slug: string;
  description: string;
  price: number;
  subscription_enabled: boolean;
  sku: string | null;
  tax_class: string | null;
  categories: string[];
  images: { url: string; is_primary: boolean }[];
  archived_at: Date | null;
  stock_qty: number;
}

/** Locks the stock, then the product: the order in which an order takes them that leaves none. */
export async function lockProduct(tx: Tx, companyId: number, ref: number | string): Promise<ProductRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await tx.query<ProductRow>(sql`
    select p.id, p.name, p.slug, p.description, p.price, p.subscription_enabled, p.sku, p.tax_class, p.categories,
      p.images, p.archived_at, s.stock_qty
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and ${by} for update of s for update of p`);
  return rows[0];
}

/** Slugs of the company that are `base`, or begin with `base-`: of what slugs are made of, the hyphen alone is before a point. */
export async function findSlugsLike(tx: Tx, companyId: number, base: string): Promise<string[]> {
  const rows = await tx.query<{ slug: string }>(sql`
    select slug from products where company_id = ${companyId} and slug >= ${base} and slug < ${`${base}.`}`);
  return rows.map((row) => row.slug);
}

export interface ProductValues {
  name: string;
  slug: string;
  description: string;
  price: number;
  subscriptionEnabled: boolean;
  sku: string | null;
  taxClass: string | null;
  categories: string[];
  images: { url: string; is_primary: boolean }[];
  search: string;
}

export async function insertProduct(
  tx: Tx,
  companyId: number,
  product: ProductValues & { inStock: boolean },
  now: Date,
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into products (company_id, name, slug, description, price, subscription_enabled, sku, tax_class, categories,
      images, search, in_stock, created_at, updated_at)
    values (${companyId}, ${product.name}, ${product.slug}, ${product.description}, ${product.price},
      ${product.subscriptionEnabled}, ${product.sku}, ${product.taxClass}, ${product.categories},
      ${JSON.stringify(product.images)}::jsonb, ${product.search}, ${product.inStock}, ${now}, ${now})
    returning id`);
  return rows[0]!.id;
}

export async function updateProduct(
  tx: Tx,
  companyId: number,
  id: number,
  product: ProductValues & { archivedAt: Date | null },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update products set name = ${product.name}, slug = ${product.slug}, description = ${product.description},
      price = ${product.price}, subscription_enabled = ${product.subscriptionEnabled}, sku = ${product.sku},
      tax_class = ${product.taxClass}, categories = ${product.categories},
      images = ${JSON.stringify(product.images)}::jsonb, search = ${product.search},
      archived_at = ${product.archivedAt}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}`);
}

/** Makes the categories that are new and files the product under exactly these. */
export async function setCategories(
  tx: Tx,
  companyId: number,
  productId: number,
  slugs: string[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into categories (company_id, slug, name, created_at)
    select ${companyId}, slug, initcap(replace(slug, '-', ' ')), ${now} from unnest(${slugs}::text[]) slug
    order by slug
    on conflict do nothing`);
  await tx.query(sql`
    delete from product_categories
    where company_id = ${companyId} and product_id = ${productId} and slug <> all (${slugs}::text[])`);
  await tx.query(sql`
    insert into product_categories (company_id, slug, product_id)
    select ${companyId}, slug, ${productId} from unnest(${slugs}::text[]) slug
    on conflict do nothing`);
}

export async function insertStock(
  tx: Tx,
  companyId: number,
  stock: { productId: number; qty: number; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    with stocked as (
      insert into product_stock (company_id, product_id, stock_qty)
      values (${companyId}, ${stock.productId}, ${stock.qty})
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    values (${companyId}, ${stock.productId}, 'initial', 0, ${stock.qty}, ${stock.actor}, ${stock.now})`);
}

/** Sets the stock by a movement of `delta`; the row is locked by the caller. */
export async function adjustStock(
  tx: Tx,
  companyId: number,
  change: { productId: number; delta: number; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    with moved as (
      update product_stock set stock_qty = stock_qty + ${change.delta}
      where company_id = ${companyId} and product_id = ${change.productId}
    )
    insert into stock_movements (company_id, product_id, kind, reference, delta, actor, created_at)
    values (${companyId}, ${change.productId}, 'adjust', nextval('stock_adjustment_id'), ${change.delta}, ${change.actor},
      ${change.now})`);
}

export async function insertPriceChange(
  tx: Tx,
  companyId: number,
  change: { productId: number; oldPrice: number | null; newPrice: number; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into price_history (company_id, product_id, old_price, new_price, actor, created_at)
    values (${companyId}, ${change.productId}, ${change.oldPrice}, ${change.newPrice}, ${change.actor}, ${change.now})`);
}

/**
 * One at a time makes a slug out of those that are free in a company; meanwhile nobody gives a product one of their own.
 * Those who give one hold up only those who make one.
 */
export async function lockSlugs(tx: Tx, companyId: number, slug: 'made' | 'given'): Promise<void> {
  const lock = rawSql(slug === 'made' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  await tx.query(sql`select ${lock}(hashtextextended('product slugs', ${companyId}))`);
}
