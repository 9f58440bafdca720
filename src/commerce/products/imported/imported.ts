import type { Queryable, Tx } from '../../../db/pool.ts';
import type { Stamp } from '../../inventory/stock.ts';
import { pictureInUrl } from '../../pictures/address.ts';
import { type Relinking, relinkPictures } from '../../pictures/links.ts';
import { searchTextOf } from '../fields.ts';
import { findFree } from '../slug.ts';
import { findTakenSlugs, lockSlugs } from '../slug-queries.ts';
import * as fetches from './fetch-queries.ts';
import { spellingsOf } from './names.ts';
import {
  type ImportedProduct,
  type Matching,
  matchProducts,
  nextProduct,
  type ProductRow,
  type ProductSnapshot,
} from './plan.ts';
import * as queries from './queries.ts';
import { storedPictures } from './stored-pictures.ts';

export interface ProductOutcome {
  outcome: 'created' | 'updated' | 'unchanged';
  id: number | null;
  before: ProductSnapshot | null;
}

interface Options extends Matching {
  onlyNew: boolean;
}

function keysOf(products: ImportedProduct[]) {
  const skus = products.map(({ sku }) => sku).filter((sku) => sku !== null);
  const slugs = products.map(({ slug }) => slug).filter((slug) => slug !== null);
  const slugless = products.filter(({ slug }) => slug === null);
  const names = [...new Set(slugless.flatMap(({ name }) => spellingsOf(name)))];
  return { skus, slugs, names };
}

/** Returns what `writeImportedProducts` would do. */
export async function checkImportedProducts(
  db: Queryable,
  companyId: number,
  products: ImportedProduct[],
  { onlyNew, anyOfName }: Options,
): Promise<ProductOutcome['outcome'][]> {
  const stored = await queries.findSnapshots(db, companyId, keysOf(products));
  const storedOf = matchProducts(stored, { anyOfName });
  const withStored = await storedPictures(db, companyId, stored);
  return products.map((product) => {
    const old = storedOf(product);
    if (old === undefined) return 'created';
    return onlyNew || nextProduct(withStored(product, old), old) === null ? 'unchanged' : 'updated';
  });
}

/** Creates and updates products, in a constant number of statements. Their SKUs and slugs must be distinct. */
export async function writeImportedProducts(
  tx: Tx,
  companyId: number,
  products: ImportedProduct[],
  { onlyNew, anyOfName, ...stamp }: Options & Stamp,
): Promise<ProductOutcome[]> {
  await lockSlugs(tx, companyId, 'generated');
  const stored = await queries.findSnapshots(tx, companyId, keysOf(products), !onlyNew);
  const storedOf = matchProducts(stored, { anyOfName });
  const withStored = await storedPictures(tx, companyId, stored);
  const fresh: { place: number; row: ProductRow }[] = [];
  const changed: (ProductRow & { id: number; old: ProductSnapshot })[] = [];
  const outcomes = products.map((product, place): ProductOutcome => {
    const old = storedOf(product);
    const row = old !== undefined && onlyNew ? null : nextProduct(withStored(product, old), old);
    if (old === undefined) fresh.push({ place, row: row! });
    else if (row === null || changed.some(({ id }) => id === old.id)) {
      return { outcome: 'unchanged', id: old.id, before: null };
    } else changed.push({ ...row, id: old.id, old });
    return { outcome: old === undefined ? 'created' : 'updated', id: old?.id ?? null, before: old ?? null };
  });
  const relinked: Relinking[] = changed.map(({ id, images, old }) => ({
    productId: id,
    before: old.images,
    after: images,
  }));
  if (changed.length > 0) await queries.updateProducts(tx, companyId, changed, stamp);
  if (fresh.length > 0) {
    const rows = fresh.map(({ row }) => row);
    await freeSlugs(tx, companyId, rows);
    const ids = await queries.insertProducts(tx, companyId, rows, stamp);
    for (const { place, row } of fresh) {
      const id = ids.get(row.slug)!;
      outcomes[place]!.id = id;
      relinked.push({ productId: id, before: [], after: row.images });
    }
  }
  await relinkPictures(tx, { companyId, now: stamp.now }, relinked);
  const wanted = relinked.flatMap(({ productId, after }) =>
    after.filter(({ url }) => pictureInUrl(url, companyId) === null).map(({ url }) => ({ productId, url })),
  );
  if (wanted.length > 0) await fetches.requestFetches(tx, companyId, wanted, stamp.now);
  return outcomes;
}

/** Numbers the slugs that are taken, by products that exist or by an earlier one of these. */
async function freeSlugs(tx: Tx, companyId: number, rows: ProductRow[]): Promise<void> {
  const used = await findTakenSlugs(
    tx,
    companyId,
    rows.map(({ slug }) => slug),
  );
  for (const row of rows) {
    if (used.has(row.slug)) {
      row.slug = await findFree(row.slug, async (asked) => {
        const taken = await findTakenSlugs(tx, companyId, asked);
        return new Set(asked.filter((slug) => taken.has(slug) || used.has(slug)));
      });
    }
    used.add(row.slug);
  }
}

/** Removes products that an import created at `stamp` and that are unchanged and not referenced. Returns the ids that are left. */
export async function removeImportedProducts(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const there = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids }, true);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, ids, stamp));
  await fetches.forgetFetches(tx, companyId, [...gone]);
  const released = there.filter(({ id }) => gone.has(id));
  const relinked = released.map(({ id, images }) => ({ productId: id, before: images, after: [] }));
  // Retention of their pictures counts from the import, since nothing else has shown them.
  await relinkPictures(tx, { companyId, now: stamp }, relinked);
  return ids.filter((id) => !gone.has(id));
}

/**
 * Restores the product as before the import, unless it was changed since or another product has its SKU or slug now. Its stock is changed
 * back by what the import added or took, so that what was sold since stays sold. Returns whether it was restored.
 */
export async function restoreImportedProduct(
  tx: Tx,
  companyId: number,
  { id, before, after, stamp, ...by }: { id: number; before: ProductSnapshot; after: number; stamp: Date } & Stamp,
): Promise<boolean> {
  await lockSlugs(tx, companyId, 'given');
  const [current] = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids: [id] }, true);
  if (current === undefined || current.updated_at.getTime() !== stamp.getTime()) return false;
  const stock_qty = current.stock_qty - (after - before.stock_qty);
  if (stock_qty < 0 || (await queries.isTaken(tx, companyId, before))) return false;
  const { updated_at, ...old } = before;
  // If the same import wrote the earlier state too, an earlier journal entry is about that and needs its stamp.
  const now = new Date(updated_at).getTime() === stamp.getTime() ? stamp : by.now;
  const row = { ...old, stock_qty, search: searchTextOf(before) };
  await queries.updateProducts(tx, companyId, [{ ...row, old: current }], { ...by, now });
  const relinked = { productId: id, before: current.images, after: before.images };
  await relinkPictures(tx, { companyId, now: by.now }, [relinked]);
  return true;
}
