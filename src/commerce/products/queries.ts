import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { insertMissing } from '../categories/queries.ts';
import { createStock, type Stamp } from '../inventory/stock.ts';
import type { OptionValue, ProductOption, ProductStatus } from './contract.ts';
import { PRODUCT_COLUMNS, type ProductFields } from './fields.ts';

export interface ProductRow extends ProductFields {
  id: number;
  status: ProductStatus;
  publish_at: Date | null;
  /** Counted also while it is not tracked; 0 for a parent. */
  stock_qty: number;
  in_stock: boolean;
  variant_of: number | null;
  /** Above 0 for a parent. */
  variant_count: number;
  position: number | null;
  options: ProductOption[] | OptionValue[];
  revision: number;
}

const listed = (alias: string): Statement => rawSql(PRODUCT_COLUMNS.map((column) => `${alias}${column}`).join(', '));
/** The names of the columns that clients write, alone and for a table with the alias p or g. */
export const COLUMNS = listed('');
export const COLUMNS_OF_P = listed('p.');
export const COLUMNS_OF_G = listed('g.');

/** A product's status, over alias p. Drafts have an `archived_at`, too. */
export const STATUS = rawSql(
  "case when p.archived_at is null then 'active' when p.draft then 'draft' else 'archived' end",
);

/** Sets the columns `archived_at` and `draft` of alias p to the status, and `publish_at`, which only drafts have. */
export function setStatus(status: Statement, now: Date, publishAt: Statement = rawSql('p.publish_at')): Statement {
  return sql`archived_at = case when ${status} <> 'active' then coalesce(p.archived_at, ${now}) end, draft = ${status} = 'draft',
    publish_at = case when ${status} = 'draft' then ${publishAt} end`;
}

/** The columns of a `ProductRow`. */
const LOCKED = sql`p.id, ${COLUMNS_OF_P}, ${STATUS} as status, p.publish_at, p.revision, s.stock_qty, p.in_stock, p.variant_of, p.variant_count,
  p.position, p.options`;

/** Locks the stock before the product, as orders do; of a parent, that of its variants too. */
export async function lockProduct(tx: Tx, companyId: number, ref: number | string): Promise<ProductRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const [, rows] = await Promise.all([
    tx.query(sql`
      select from product_stock where company_id = ${companyId} and product_id = any(array(
        select p.id from products p where p.company_id = ${companyId} and ${by}
        union all
        select v.id from products p join products v on v.company_id = p.company_id and v.variant_of = p.id
        where p.company_id = ${companyId} and ${by}))
      order by product_id for update`),
    tx.query<ProductRow>(sql`
      select ${LOCKED} from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
      where p.company_id = ${companyId} and ${by} for update of p`),
  ]);
  return rows[0];
}

/** Locks a parent, and returns what its search text and its variants depend on. */
export async function findParent(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ name: string; description: string; options: ProductOption[] } | undefined> {
  const rows = await tx.query<{ name: string; description: string; options: ProductOption[] }>(sql`
    select name, description, options from products where company_id = ${companyId} and id = ${id} for no key update`);
  return rows[0];
}

/** Locks the stock of products, and of the variants of parents among them, by ascending id; then the products. Unknown ids are left out. */
export async function lockProducts(tx: Tx, companyId: number, ids: number[]): Promise<ProductRow[]> {
  const [, rows] = await Promise.all([
    tx.query(sql`
      select from product_stock where company_id = ${companyId} and product_id = any(array(
        select unnest(${ids}::bigint[])
        union select id from products where company_id = ${companyId} and variant_of = any(${ids}::bigint[])))
      order by product_id for update`),
    tx.query<ProductRow>(sql`
      select ${LOCKED} from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
      where p.company_id = ${companyId} and p.id = any(${ids}::bigint[]) order by p.id for update of p`),
  ]);
  return rows;
}

/** Removes the SKUs and barcodes that products are about to change, so that they can be swapped. */
export async function clearCodes(
  tx: Tx,
  companyId: number,
  patches: readonly { id: number; sku?: string | null; barcode?: string | null }[],
): Promise<void> {
  for (const code of ['sku', 'barcode'] as const) {
    const given = patches.filter((patch) => typeof patch[code] === 'string');
    if (given.length === 0) continue;
    const column = rawSql(code);
    await tx.query(sql`
      update products p set ${column} = null
      from unnest(${given.map(({ id }) => id)}::bigint[], ${given.map((patch) => patch[code])}::text[]) as g (id, code)
      where p.company_id = ${companyId} and p.id = g.id and p.${column} <> g.code`);
  }
}

/** A product to be inserted, of whatever kind. */
export interface NewProduct extends ProductFields {
  status: ProductStatus;
  /** Of a draft. */
  publish_at?: Date | null;
  stock_qty: number;
  search: string;
  variant_of?: number;
  title?: string;
  position?: number;
  options?: ProductOption[] | OptionValue[];
  /** Above 0 for a parent, which has no stock and no price of its own. */
  variant_count?: number;
}

/** Reads products from JSON: the columns of `products`, and others beside them. */
export function givenProducts(products: readonly object[]): Statement {
  return sql`given as materialized (
      select p.*, g.status, g.stock_qty, g.delta, g.old_price
      from jsonb_array_elements(${JSON.stringify(products)}::jsonb) as e (product)
      cross join lateral jsonb_populate_record(null::products, e.product) p
      cross join lateral jsonb_to_record(e.product) as g (status text, stock_qty int, delta int, old_price bigint)
    )`;
}

/** Inserts products with stock, first movement, first price and categories, of which parents and variants have some. Returns their ids by slug. */
export async function insertProducts(
  tx: Tx,
  companyId: number,
  products: NewProduct[],
  { actor, now }: Stamp,
): Promise<Map<string, number>> {
  await insertMissing(tx, companyId, products, now);
  const rows = await tx.query<{ id: number; slug: string }>(sql`
    with ${givenProducts(products)},
    made as (
      insert into products (company_id, ${COLUMNS}, search, in_stock, variant_of, title, position, options, variant_count, archived_at, draft,
        publish_at, created_at, updated_at)
      select ${companyId}, ${COLUMNS}, search, stock_qty > 0 or not track_stock, variant_of, title, position,
        coalesce(options, '[]'), coalesce(variant_count, 0), case when status <> 'active' then ${now}::timestamptz end, status = 'draft',
        case when status = 'draft' then publish_at end, ${now}, ${now}
      from given
      returning id, slug, price, variant_of, variant_count
    ),
    priced as (
      insert into price_history (company_id, product_id, old_price, new_price, actor, created_at)
      select ${companyId}, id, null, price, ${actor}, ${now} from made where variant_count = 0
    ),
    listed as (
      insert into product_categories (company_id, slug, product_id)
      select ${companyId}, c.slug, m.id from made m join given g using (slug), unnest(g.categories) as c (slug)
      where m.variant_of is null
    )
    select id, slug from made`);
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]));
  const stocked = products.map(({ slug, stock_qty, variant_count = 0 }) => ({
    productId: ids.get(slug)!,
    qty: variant_count > 0 ? null : stock_qty,
  }));
  await createStock(tx, companyId, stocked, { actor, now });
  return ids;
}

/** @param inStock with the stock as it is: a change of the stock corrects it */
export async function updateProduct(
  tx: Tx,
  companyId: number,
  id: number,
  {
    status,
    publishAt,
    inStock,
    position,
    search,
    ...fields
  }: ProductFields & {
    status: ProductStatus;
    publishAt: Date | null;
    inStock: boolean;
    position: number | null;
    search: string;
  },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update products p set (${COLUMNS}) = row(${COLUMNS_OF_G}), search = ${search}, in_stock = ${inStock}, position = ${position}::int,
      ${setStatus(sql`${status}::text`, now, sql`${publishAt}::timestamptz`)}, updated_at = ${now}
    from jsonb_populate_record(null::products, ${JSON.stringify(fields)}::jsonb) g
    where p.company_id = ${companyId} and p.id = ${id}`);
}

/** Puts the product into exactly these categories; creates missing ones. */
export async function setCategories(
  tx: Tx,
  companyId: number,
  productId: number,
  slugs: string[],
  now: Date,
): Promise<void> {
  await insertMissing(tx, companyId, [{ categories: slugs }], now);
  await tx.query(sql`
    delete from product_categories
    where company_id = ${companyId} and product_id = ${productId} and slug <> all (${slugs}::text[])`);
  await tx.query(sql`
    insert into product_categories (company_id, slug, product_id)
    select ${companyId}, slug, ${productId} from unnest(${slugs}::text[]) slug
    on conflict do nothing`);
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

/** A draft whose date has come. A version that did not know of dates may have left one on a product that is none. */
const due = (now: Date): Statement => sql`draft and publish_at <= ${now}`;

/** Returns companies with drafts that are due. */
export async function companiesWithDue(db: Queryable, now: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select company_id from products where ${due(now)} group by company_id order by min(publish_at), company_id limit ${limit}`);
  return rows.map(({ company_id }) => company_id);
}

/** Returns drafts that are due, the one that is due first before the others. */
export async function findDue(db: Queryable, companyId: number, now: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from products where company_id = ${companyId} and ${due(now)} order by publish_at, id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Makes those of the products active that are still due; returns them with their dates. */
export async function publishDue(
  tx: Tx,
  companyId: number,
  ids: number[],
  now: Date,
): Promise<{ id: number; publish_at: Date }[]> {
  return tx.query<{ id: number; publish_at: Date }>(sql`
    with dates as (
      select id, publish_at from products where company_id = ${companyId} and id = any(${ids}::bigint[]) and ${due(now)})
    update products p set ${setStatus(rawSql("'active'"), now)}, updated_at = ${now}
    from dates d where p.company_id = ${companyId} and p.id = d.id
    returning p.id, d.publish_at`);
}
