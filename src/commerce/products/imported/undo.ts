import type { Tx } from '../../../db/pool.ts';
import { replaceInCollections, updateMemberships } from '../../collections/member-queries.ts';
import { fittingValues, type ValueContext } from '../../custom-fields/values.ts';
import type { ImportStamp } from '../../inventory/stock.ts';
import { type Relinking, relinkPictures } from '../../pictures/links.ts';
import { lockPromosOf, replaceInPromos } from '../../promotions/queries.ts';
import type { OptionValue, ProductOption, ProductStatus } from '../contract.ts';
import { keepFacets } from '../facets/keep-queries.ts';
import { mergedFields, type ProductFields, searchTextOf, seoOfVariants, withoutOldPrice } from '../fields.ts';
import { lockProducts } from '../queries.ts';
import { lockSlugs } from '../slug-queries.ts';
import {
  addToCategories,
  becomeSimple,
  deleteParent,
  findVariantFields,
  setFamily,
  setOptions,
  updateParent,
} from '../variants/queries.ts';
import * as fetches from './fetch-queries.ts';
import type { WrittenFamily } from './imported.ts';
import { keptOf, optionsOf, type ProductSnapshot } from './plan.ts';
import * as queries from './queries.ts';

/**
 * Makes the variants that an import gave to a parent simple products again, and deletes a parent without variants. A parent that the import
 * created and somebody has changed since stays, with its variants. Returns whether they are simple products now.
 */
export async function ungroupImported(
  tx: Tx,
  companyId: number,
  {
    parent: id,
    created,
    members,
    options,
    custom,
    stamp,
    now,
  }: WrittenFamily & { custom: ValueContext; stamp: Date; now: Date },
): Promise<boolean> {
  await lockSlugs(tx, companyId, 'given');
  await lockPromosOf(tx, companyId, id);
  const [locked] = await lockProducts(tx, companyId, [id]);
  if (locked === undefined || locked.variant_count === 0) return true;
  const [parent] = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids: [id] }, true);
  // An entry of a later batch says only that the parent was there by then.
  const isOwn = created || (await queries.isCreatedAt(tx, companyId, id, stamp));
  if (isOwn && parent!.updated_at.getTime() !== stamp.getTime()) return false;
  const variants = await findVariantFields(tx, companyId, id);
  const leaving = variants.filter((one) => members.includes(one.id));
  const ids = leaving.map((one) => one.id);
  const { description, images } = parent!;
  await becomeSimple(
    tx,
    companyId,
    leaving.map((one) => ({
      id: one.id,
      search: searchTextOf({ name: one.name, description }),
      custom: { ...parent!.custom, ...fittingValues(custom, 'product', one.custom) },
    })),
    { ...parent!, ...seoOfVariants(parent!, leaving.length) },
    now,
    stamp,
  );
  await addToCategories(tx, companyId, ids, parent!.categories);
  const relinked = leaving
    .filter((one) => one.images.length === 0)
    .map((one): Relinking => ({ productId: one.id, before: [], after: images }));
  if (leaving.length === variants.length) {
    relinked.push({ productId: id, before: images, after: [] });
    await relinkPictures(tx, { companyId, now }, relinked);
    await replaceInPromos(tx, companyId, id, ids);
    await replaceInCollections(tx, companyId, [id], ids);
    await fetches.forgetFetches(tx, companyId, [id]);
    await deleteParent(tx, companyId, id);
    await keepFacets(tx, companyId, ids);
    await updateMemberships(tx, companyId, ids);
    return true;
  }
  await relinkPictures(tx, { companyId, now }, relinked);
  if (options !== null) await restoreOptions(tx, companyId, parent!, options);
  await updateParent(tx, companyId, id);
  await keepFacets(tx, companyId, [id, ...ids]);
  await updateMemberships(tx, companyId, [id, ...ids]);
  return true;
}

/** Removes the values that an import added to a parent, unless one of its variants has them. */
async function restoreOptions(
  tx: Tx,
  companyId: number,
  parent: ProductSnapshot,
  before: readonly ProductOption[],
): Promise<void> {
  const used = await queries.findSiblings(tx, companyId, [parent.id]);
  const options = optionsOf(parent).map(({ name, values }, i) => ({
    name,
    values: values.filter(
      (value) => before[i]?.values.includes(value) || used.some((one) => one.options[i]?.value === value),
    ),
  }));
  await setOptions(tx, companyId, parent.id, { options, search: searchTextOf(parent, options) });
}

/** Removes products that an import created at `stamp` and that are unchanged and not referenced. Returns the ids that are left. */
export async function removeImportedProducts(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const there = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids }, true);
  // Those that are variants still stay with their parent.
  const alone = there.filter(({ variant_of }) => variant_of === null).map(({ id }) => id);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, alone, stamp));
  await fetches.forgetFetches(tx, companyId, [...gone]);
  const released = there.filter(({ id }) => gone.has(id));
  const relinked = released.map(({ id, images }) => ({ productId: id, before: images, after: [] }));
  // Retention of their pictures counts from the import, since nothing else has shown them.
  await relinkPictures(tx, { companyId, now: stamp }, relinked);
  return ids.filter((id) => !gone.has(id));
}

/** A snapshot that an import has stored: it lacks the fields that products have got since. */
type StoredSnapshot = Pick<ProductSnapshot, 'id' | 'stock_qty' | 'updated_at'> &
  Partial<ProductFields> &
  Partial<Pick<ProductSnapshot, 'variant_of' | 'options' | 'position'>> & {
    status?: ProductStatus;
    archived?: boolean;
  };

/**
 * Restores the product as before the import, unless it was changed since or another product has its SKU, slug or barcode now. Its stock is
 * changed back by what the import added or took, so that what was sold since stays sold. Returns whether it was restored.
 */
export async function restoreImportedProduct(
  tx: Tx,
  companyId: number,
  {
    id,
    before,
    after,
    stamp,
    custom,
    ...by
  }: { id: number; before: StoredSnapshot; after: number; stamp: Date; custom: ValueContext } & ImportStamp,
): Promise<boolean> {
  await lockSlugs(tx, companyId, 'given');
  const [current] = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids: [id] }, true);
  if (current === undefined || current.updated_at.getTime() !== stamp.getTime()) return false;
  // A product that became a variant, of a parent that stays.
  if ((before.variant_of ?? null) !== current.variant_of) return false;
  const stock_qty = current.stock_qty - (after - before.stock_qty);
  const fields = withoutOldPrice(mergedFields(keptOf(current), before, current));
  // Definitions may have changed since.
  fields.custom = fittingValues(custom, current.variant_of === null ? 'product' : 'variant', fields.custom);
  if (stock_qty < current.stock_elsewhere || (await queries.isTaken(tx, companyId, id, fields))) return false;
  // If the same import wrote the earlier state too, an earlier journal entry is about that and needs its stamp.
  const now = new Date(before.updated_at).getTime() === stamp.getTime() ? stamp : by.now;
  const status = before.status ?? (before.archived ? 'archived' : 'active');
  const row = { ...fields, id, status, stock_qty, search: searchTextOf(fields, optionsOf(current)), old: current };
  await queries.updateProducts(tx, companyId, [row], { ...by, now });
  await restorePlace(tx, companyId, current, before, now);
  await keepFacets(tx, companyId, [id]);
  await updateMemberships(tx, companyId, [id]);
  const relinked = { productId: id, before: current.images, after: fields.images };
  await relinkPictures(tx, { companyId, now: by.now }, [relinked]);
  return true;
}

/** Gives a variant its earlier options and position, if the import changed them. */
async function restorePlace(
  tx: Tx,
  companyId: number,
  current: ProductSnapshot,
  before: StoredSnapshot,
  now: Date,
): Promise<void> {
  if (current.variant_of === null || before.options === undefined) return;
  if (JSON.stringify([before.options, before.position]) === JSON.stringify([current.options, current.position])) return;
  const ids = [current.variant_of];
  const [parent] = await queries.findSnapshots(tx, companyId, { skus: [], slugs: [], names: [], ids }, false);
  const variant = { id: current.id, options: before.options as OptionValue[], position: before.position! };
  await setFamily(tx, companyId, parent!, [variant], now);
}
