import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface ProductImage {
  url: string;
  is_primary: boolean;
  alt?: string;
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
  images: ProductImage[];
  archived_at: Date | null;
  stock_qty: number;
  revision: number;
}

/** Locks the stock before the product, as orders do. */
export async function lockProduct(tx: Tx, companyId: number, ref: number | string): Promise<ProductRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await tx.query<ProductRow>(sql`
    select p.id, p.name, p.slug, p.description, p.price, p.subscription_enabled, p.sku, p.tax_class, p.categories,
      p.images, p.archived_at, p.revision, s.stock_qty
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and ${by} for update of s for update of p`);
  return rows[0];
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
  images: ProductImage[];
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
