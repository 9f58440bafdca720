import type { Tx } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { PRODUCT_COLUMNS, type ProductFields, searchTextOf } from './fields.ts';

export interface ProductRow extends ProductFields {
  id: number;
  archived_at: Date | null;
  stock_qty: number;
  revision: number;
}

const listed = (alias: string): Statement => rawSql(PRODUCT_COLUMNS.map((column) => `${alias}${column}`).join(', '));
/** The names of the columns that clients write, alone and for a table with the alias p or g. */
export const COLUMNS = listed('');
export const COLUMNS_OF_P = listed('p.');
export const COLUMNS_OF_G = listed('g.');

/** Locks the stock before the product, as orders do. */
export async function lockProduct(tx: Tx, companyId: number, ref: number | string): Promise<ProductRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await tx.query<ProductRow>(sql`
    select p.id, ${COLUMNS_OF_P}, p.archived_at, p.revision, s.stock_qty
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and ${by} for update of s for update of p`);
  return rows[0];
}

export async function insertProduct(
  tx: Tx,
  companyId: number,
  { inStock, ...fields }: ProductFields & { inStock: boolean },
  now: Date,
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into products (company_id, ${COLUMNS}, search, in_stock, created_at, updated_at)
    select ${companyId}, ${COLUMNS}, ${searchTextOf(fields)}, ${inStock}, ${now}, ${now}
    from jsonb_populate_record(null::products, ${JSON.stringify(fields)}::jsonb)
    returning id`);
  return rows[0]!.id;
}

export async function updateProduct(
  tx: Tx,
  companyId: number,
  id: number,
  { archivedAt, ...fields }: ProductFields & { archivedAt: Date | null },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update products p set (${COLUMNS}) = row(${COLUMNS_OF_G}), search = ${searchTextOf(fields)}, archived_at = ${archivedAt}, updated_at = ${now}
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

export async function insertPriceChange(
  tx: Tx,
  companyId: number,
  change: { productId: number; oldPrice: number | null; newPrice: number; actor: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into price_history (company_id, product_id, old_price, new_price, actor, created_at)
    values (${companyId}, ${change.productId}, ${change.oldPrice}, ${change.newPrice}, ${change.actor}, ${change.now})`);
}
