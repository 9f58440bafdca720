import { foldText } from '../../../db/fold.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { enqueue } from '../../../outbox/service.ts';
import { insertMissing } from '../../categories/queries.ts';
import { removeFromCollections } from '../../collections/member-queries.ts';
import { lowStockEvents } from '../../inventory/low-stock.ts';
import { adjustStock, deleteStock, type ImportStamp, STOCK_ELSEWHERE } from '../../inventory/stock.ts';
import type { OptionValue } from '../contract.ts';
import { COLUMNS, COLUMNS_OF_G, COLUMNS_OF_P, givenProducts, STATUS, setStatus } from '../queries.ts';
import { updateParent, updateVariantsOf } from '../variants/queries.ts';
import type { ProductRow, ProductSnapshot } from './plan.ts';

/** Returns whether another product has the SKU, the slug or the barcode. */
export async function isTaken(
  db: Queryable,
  companyId: number,
  id: number,
  { sku, slug, barcode }: Pick<ProductSnapshot, 'sku' | 'slug' | 'barcode'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from products
    where company_id = ${companyId} and id <> ${id} and (sku = ${sku} or slug = ${slug} or barcode = ${barcode}) limit 1`);
  return rows.length > 0;
}

/** Returns whether the product was created at the time, which stamps what one import creates. */
export async function isCreatedAt(db: Queryable, companyId: number, id: number, stamp: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from products where company_id = ${companyId} and id = ${id} and created_at = ${stamp}`);
  return rows.length > 0;
}

/** Returns the products that have one of the barcodes. */
export async function findBarcodes(
  db: Queryable,
  companyId: number,
  barcodes: string[],
): Promise<{ id: number; barcode: string }[]> {
  if (barcodes.length === 0) return [];
  return db.query<{ id: number; barcode: string }>(sql`
    select id, barcode from products where company_id = ${companyId} and barcode = any(${barcodes}::text[])`);
}

/** How products are looked for. */
interface Sought {
  skus: string[];
  slugs: string[];
  names: string[];
  ids?: number[];
}

/**
 * Returns products by SKU, slug, name or id. With `lock`, locks the stock before the product until COMMIT, as orders do: in a statement
 * before, because one that waits reads only the locked rows again, and not what its sub-selects say of others.
 */
export async function findSnapshots(
  db: Queryable,
  companyId: number,
  sought: Sought,
  lock = false,
): Promise<ProductSnapshot[]> {
  const found = soughtIds(companyId, sought);
  if (!lock) return db.query<ProductSnapshot>(snapshots(companyId, found));
  const rows = await db.query<{ id: number }>(sql`
    select p.id from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and p.id = any(array(${found})) order by p.id for update of s for update of p`);
  return db.query<ProductSnapshot>(snapshots(companyId, sql`select unnest(${rows.map(({ id }) => id)}::bigint[])`));
}

function snapshots(companyId: number, found: Statement): Statement {
  return sql`
    select p.id, ${COLUMNS_OF_P}, ${STATUS} as status, s.stock_qty, p.variant_of, p.variant_count, p.options, p.position, p.updated_at,
      ${STOCK_ELSEWHERE}::int as stock_elsewhere,
      (select q.images from products q where q.company_id = p.company_id and q.id = p.variant_of) as parent_images
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and p.id = any(array(${found})) order by p.id`;
}

function soughtIds(companyId: number, { skus, slugs, names, ids = [] }: Sought): Statement {
  return sql`
      select id from products where company_id = ${companyId} and sku = any(${skus}::text[])
      union select id from products where company_id = ${companyId} and slug = any(${slugs}::text[])
      union select n.id from json_to_recordset(${JSON.stringify(names.map(rangeOf))}::json) as g (least text, beyond text)
        cross join lateral (
          select id from products
          where company_id = ${companyId} and variant_of is null and left(search, length(name)) collate "C" >= g.least
            and left(search, length(name)) collate "C" < g.beyond
          order by company_id, left(search, length(name)) collate "C", id limit ${MAX_ALIKE}) n
      union select n.id from json_to_recordset(${JSON.stringify(names.map(rangeOf))}::json) as g (least text, beyond text)
        cross join lateral (
          select id from products
          where company_id = ${companyId} and variant_of is not null and left(search, length(name)) collate "C" >= g.least
            and left(search, length(name)) collate "C" < g.beyond
          order by company_id, left(search, length(name)) collate "C", id limit ${MAX_ALIKE}) n
      union select unnest(${ids}::bigint[])`;
}

export interface Relative {
  id: number;
  sku: string | null;
  slug: string;
  name: string;
  variant_of: number | null;
  variant_count: number;
}

/** Returns which products have a SKU or a slug, without locking them. */
export async function findRelatives(
  db: Queryable,
  companyId: number,
  { skus, slugs }: { skus: string[]; slugs: string[] },
): Promise<Relative[]> {
  const columns = rawSql('id, sku, slug, name, variant_of, variant_count');
  return db.query<Relative>(sql`
    select ${columns} from products where company_id = ${companyId} and sku = any(${skus}::text[])
    union select ${columns} from products where company_id = ${companyId} and slug = any(${slugs}::text[])
    order by id`);
}

export interface Sibling {
  id: number;
  variant_of: number;
  sku: string | null;
  options: OptionValue[];
  position: number;
  archived: boolean;
}

/** Returns the variants of parents, unarchived ones first. */
export async function findSiblings(db: Queryable, companyId: number, parents: number[]): Promise<Sibling[]> {
  if (parents.length === 0) return [];
  return db.query<Sibling>(sql`
    select id, variant_of, sku, options, position, archived_at is not null as archived from products
    where company_id = ${companyId} and variant_of = any(${parents}::bigint[])
    order by variant_of, archived, position, id`);
}

/** Products whose names begin alike, of which one may be the product looked for. */
const MAX_ALIKE = 200;

/** Where the index products_shown_name has the products with a name: it holds as many letters of the search text as the name has. */
function rangeOf(name: string): { least: string; beyond: string } {
  const length = [...name].length;
  const folded = [...foldText(name)];
  const least = folded.slice(0, length).join('');
  // A shorter one, without its marks, is followed by a space and letters of the description.
  return { least, beyond: `${least}${folded.length < length ? '!' : '\u0001'}` };
}

/** Updates products that the caller has locked, and records changes of price and stock. */
export async function updateProducts(
  tx: Tx,
  companyId: number,
  products: (ProductRow & { id: number; old: ProductSnapshot })[],
  { actor, now, importId }: ImportStamp,
): Promise<void> {
  await insertMissing(tx, companyId, products, now);
  const rows = products.map(({ old, ...row }) => ({
    ...row,
    variant_of: old.variant_of,
    delta: row.stock_qty - old.stock_qty,
    old_price: old.price,
  }));
  await tx.query(sql`
    with ${givenProducts(rows)},
    changed as (
      update products p set (${COLUMNS}) = row(${COLUMNS_OF_G}), search = g.search,
        in_stock = case when p.variant_count > 0 then p.in_stock else g.stock_qty - g.delta > 0 or not g.track_stock end, ${setStatus(rawSql('g.status'), now)}, updated_at = ${now}
      from given g where p.company_id = ${companyId} and p.id = g.id
    ),
    priced as (
      insert into price_history (company_id, product_id, old_price, new_price, actor, created_at)
      select ${companyId}, id, old_price, price, ${actor}, ${now} from given where price <> old_price
    ),
    left_out as (
      delete from product_categories c using given g
      where c.company_id = ${companyId} and c.product_id = g.id and c.slug <> all (g.categories)
    )
    insert into product_categories (company_id, slug, product_id)
    select ${companyId}, c.slug, g.id from given g, unnest(g.categories) as c (slug) where g.variant_of is null
    on conflict do nothing`);
  const moved = rows.filter(({ delta }) => delta !== 0).map(({ id, delta }) => ({ productId: id, delta }));
  // A separate statement, because the trigger on the stock changes the products' rows as well.
  const stamp = { reason: 'import', actor, now, importId };
  const short = moved.length === 0 ? [] : await adjustStock(tx, companyId, moved, stamp);
  if (short.length > 0)
    throw new Error(`products ${short.join()} have less at the main location than their locked rows said`);
  for (const { id, old, ...row } of products) {
    if (old.variant_count === 0) continue;
    const given = {
      ...(row.name === old.name ? {} : { name: row.name }),
      ...(row.categories.join() === old.categories.join() ? {} : { categories: row.categories }),
    };
    await updateVariantsOf(tx, companyId, id, { ...row, given }, now);
  }
  const parents = new Set(products.flatMap(({ old }) => old.variant_of ?? []));
  for (const parent of parents) await updateParent(tx, companyId, parent);
  const changes = products.map(({ old, ...product }) => ({ product, before: old.stock_qty, after: product.stock_qty }));
  await enqueue(tx, companyId, lowStockEvents(changes, now), null);
}

/**
 * Deletes products that are unchanged since they were created at `stamp` and not referenced; returns their ids. The caller must lock them
 * in an earlier statement, so that this one sees what others wrote in the meantime.
 */
export async function deleteUntouched(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const untouched = await tx.query<{ id: number }>(sql`
    select p.id from products p
    where p.company_id = ${companyId} and p.id = any(${ids}::bigint[]) and p.updated_at = ${stamp}
      and not exists (select from stock_movements m where m.company_id = ${companyId} and m.product_id = p.id and m.kind <> 'initial')
      and not exists (select from subscriptions b where b.company_id = ${companyId} and b.product_id = p.id)
      -- Of imported orders: others have moved the stock.
      and not exists (select from order_items i where i.company_id = ${companyId} and i.product_id = p.id)`);
  const gone = untouched.map((row) => row.id);
  await deleteStock(tx, companyId, gone);
  await removeFromCollections(tx, companyId, gone);
  await tx.query(sql`
    with listed as (delete from product_categories where company_id = ${companyId} and product_id = any(${gone}::bigint[])),
    priced as (delete from price_history where company_id = ${companyId} and product_id = any(${gone}::bigint[]))
    delete from products where company_id = ${companyId} and id = any(${gone}::bigint[])`);
  return gone;
}
