import { foldText } from '../../../db/fold.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { adjustStock, createStock, deleteStock, type Stamp } from '../../inventory/stock.ts';
import { COLUMNS, COLUMNS_OF_G, COLUMNS_OF_P } from '../queries.ts';
import type { ProductRow, ProductSnapshot } from './plan.ts';

/** Returns whether another product has the SKU or the slug. */
export async function isTaken(
  db: Queryable,
  companyId: number,
  { id, sku, slug }: Pick<ProductSnapshot, 'id' | 'sku' | 'slug'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from products where company_id = ${companyId} and id <> ${id} and (sku = ${sku} or slug = ${slug}) limit 1`);
  return rows.length > 0;
}

/** Returns products by SKU, slug, name or id. With `lock`, locks the stock before the product until COMMIT, as orders do. */
export async function findSnapshots(
  db: Queryable,
  companyId: number,
  { skus, slugs, names, ids = [] }: { skus: string[]; slugs: string[]; names: string[]; ids?: number[] },
  lock = false,
): Promise<ProductSnapshot[]> {
  return db.query<ProductSnapshot>(sql`
    select p.id, ${COLUMNS_OF_P}, p.archived_at is not null as archived, s.stock_qty, p.updated_at
    from product_stock s join products p on p.company_id = s.company_id and p.id = s.product_id
    where p.company_id = ${companyId} and p.id = any(array(
      select id from products where company_id = ${companyId} and sku = any(${skus}::text[])
      union select id from products where company_id = ${companyId} and slug = any(${slugs}::text[])
      union select n.id from json_to_recordset(${JSON.stringify(names.map(rangeOf))}::json) as g (least text, beyond text)
        cross join lateral (
          select id from products
          where company_id = ${companyId} and left(search, length(name)) collate "C" >= g.least
            and left(search, length(name)) collate "C" < g.beyond
          order by company_id, left(search, length(name)) collate "C", id limit ${MAX_ALIKE}) n
      union select unnest(${ids}::bigint[])))
    order by p.id ${lock ? rawSql('for update of s for update of p') : emptySql}`);
}

/** Products whose names begin alike, of which one may be the product looked for. */
const MAX_ALIKE = 200;

/** Where the index products_name has the products with a name: it holds as many letters of the search text as the name has. */
function rangeOf(name: string): { least: string; beyond: string } {
  const length = [...name].length;
  const folded = [...foldText(name)];
  const least = folded.slice(0, length).join('');
  // A shorter one, without its marks, is followed by a space and letters of the description.
  return { least, beyond: `${least}${folded.length < length ? '!' : '\u0001'}` };
}

/** Reads products from JSON: the columns of `products`, and those of `ProductRow` beside them. */
function givenProducts(products: readonly object[]): Statement {
  return sql`given as materialized (
      select p.*, g.archived, g.stock_qty, g.delta, g.old_price
      from jsonb_array_elements(${JSON.stringify(products)}::jsonb) as e (product)
      cross join lateral jsonb_populate_record(null::products, e.product) p
      cross join lateral jsonb_to_record(e.product) as g (archived boolean, stock_qty int, delta int, old_price bigint)
    )`;
}

/** Inserts products with stock, first movement, first price and categories. Returns their ids by slug. */
export async function insertProducts(
  tx: Tx,
  companyId: number,
  products: ProductRow[],
  { actor, now }: Stamp,
): Promise<Map<string, number>> {
  await insertCategories(tx, companyId, products, now);
  const rows = await tx.query<{ id: number; slug: string }>(sql`
    with ${givenProducts(products)},
    made as (
      insert into products (company_id, ${COLUMNS}, search, in_stock, archived_at, created_at, updated_at)
      select ${companyId}, ${COLUMNS}, search, stock_qty > 0,
        case when archived then ${now}::timestamptz end, ${now}, ${now}
      from given
      returning id, slug, price
    ),
    priced as (
      insert into price_history (company_id, product_id, old_price, new_price, actor, created_at)
      select ${companyId}, id, null, price, ${actor}, ${now} from made
    ),
    listed as (
      insert into product_categories (company_id, slug, product_id)
      select ${companyId}, c.slug, m.id from made m join given g using (slug), unnest(g.categories) as c (slug)
    )
    select id, slug from made`);
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]));
  const stocked = products.map(({ slug, stock_qty }) => ({ productId: ids.get(slug)!, qty: stock_qty }));
  await createStock(tx, companyId, stocked, { actor, now });
  return ids;
}

/** Updates products that the caller has locked, and records changes of price and stock. */
export async function updateProducts(
  tx: Tx,
  companyId: number,
  products: (ProductRow & { id: number; old: ProductSnapshot })[],
  { actor, now }: Stamp,
): Promise<void> {
  await insertCategories(tx, companyId, products, now);
  const rows = products.map(({ old, ...row }) => ({
    ...row,
    delta: row.stock_qty - old.stock_qty,
    old_price: old.price,
  }));
  await tx.query(sql`
    with ${givenProducts(rows)},
    changed as (
      update products p set (${COLUMNS}) = row(${COLUMNS_OF_G}), search = g.search,
        archived_at = case when g.archived then coalesce(p.archived_at, ${now}) end, updated_at = ${now}
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
    select ${companyId}, c.slug, g.id from given g, unnest(g.categories) as c (slug)
    on conflict do nothing`);
  const moved = rows.filter(({ delta }) => delta !== 0).map(({ id, delta }) => ({ productId: id, delta }));
  // A separate statement, because the trigger on the stock changes the products' rows as well.
  if (moved.length > 0) await adjustStock(tx, companyId, moved, { reason: 'import', actor, now });
}

async function insertCategories(tx: Tx, companyId: number, products: ProductRow[], now: Date): Promise<void> {
  const slugs = [...new Set(products.flatMap(({ categories }) => categories))];
  if (slugs.length === 0) return;
  await tx.query(sql`
    insert into categories (company_id, slug, name, created_at)
    select ${companyId}, slug, initcap(replace(slug, '-', ' ')), ${now} from unnest(${slugs}::text[]) slug
    order by slug on conflict do nothing`);
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
  await tx.query(sql`
    with listed as (delete from product_categories where company_id = ${companyId} and product_id = any(${gone}::bigint[])),
    priced as (delete from price_history where company_id = ${companyId} and product_id = any(${gone}::bigint[]))
    delete from products where company_id = ${companyId} and id = any(${gone}::bigint[])`);
  return gone;
}
