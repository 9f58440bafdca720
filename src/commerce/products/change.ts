import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { type FieldError, found, invalidField, validationFailed } from '../../errors.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { enqueue } from '../../outbox/service.ts';
import { updateMemberships } from '../collections/member-queries.ts';
import { mergeCustom, type ValueContext } from '../custom-fields/values.ts';
import { lowStockEvents } from '../inventory/low-stock.ts';
import { adjustStock } from '../inventory/stock.ts';
import { linkPictures } from '../pictures/service.ts';
import type { Shop } from '../shop.ts';
import type { OptionValue, ProductOption, ProductPatch, ProductStatus } from './contract.ts';
import { keepFacets } from './facets/keep-queries.ts';
import { readProduct, searchTextOf } from './fields.ts';
import { OF_PARENT, OF_VARIANT, type ProductKind } from './kinds.ts';
import { readPublishAt } from './publish.ts';
import * as queries from './queries.ts';
import * as slugs from './slug-queries.ts';
import { checkUnique } from './unique.ts';
import { valuesFor } from './variants/options.ts';
import { setOptions, updateParent, updateVariantsOf } from './variants/queries.ts';

/** What every change of products needs. */
export interface ProductChanges {
  tx: Tx;
  caller: Caller;
  shop: Shop;
  /** Of this server's pictures. */
  origin: string;
  /** What the given custom values are checked against. */
  custom: ValueContext;
}

/** Adds an error for each given field that a product of this kind does not have of its own. */
export function checkKind(given: Readonly<Record<string, unknown>>, kind: ProductKind, errors: FieldError[]): void {
  const fail = (fields: readonly string[], code: string, why: string): void => {
    for (const field of fields.filter((one) => given[one] !== undefined)) {
      errors.push({ field, code, message: `${field} ${why}` });
    }
  };
  if (kind === 'variant') fail(OF_PARENT, 'of_parent', 'is that of its parent');
  else fail(['position'], 'not_allowed', 'is a field of variants only');
  if (kind === 'parent') fail(OF_VARIANT, 'of_variant', 'is a field of its variants');
}

/**
 * Sets the fields that are given. A new price is added to the price history, a new stock becomes a stock movement; variants and parents
 * follow each other. Returns the id. Throws not_found, revision_mismatch, validation_failed, duplicate.
 */
export async function changeProduct(
  changes: ProductChanges,
  ref: number | string,
  patch: ProductPatch,
  ifMatch: IfMatch | null = null,
): Promise<number> {
  const { id, parent, hasOtherFacets } = await changeAlone(changes, ref, patch, ifMatch);
  if (parent !== null) await updateParent(changes.tx, changes.caller.companyId, parent);
  if (hasOtherFacets) await keepFacets(changes.tx, changes.caller.companyId, [id]);
  await updateMemberships(changes.tx, changes.caller.companyId, [id]);
  return id;
}

/** What a change of a product concerns besides the product. */
interface ChangedProduct {
  id: number;
  parent: number | null;
  /** Whether the product or its parent may have other values to filter by. */
  hasOtherFacets: boolean;
}

/**
 * The same without what follows of the change for parents, facets and collections: the caller updates the returned parent, once for all its
 * variants, then the facets and the memberships.
 */
export async function changeAlone(
  { tx, caller, shop, origin, custom: context }: ProductChanges,
  ref: number | string,
  patch: ProductPatch,
  ifMatch: IfMatch | null = null,
): Promise<ChangedProduct> {
  const { companyId, actor, now } = caller;
  // Before the stock, as imports do.
  if (patch.slug !== undefined) await slugs.lockSlugs(tx, companyId, 'given');
  const old = found(await queries.lockProduct(tx, companyId, ref), 'product');
  requireRevision(ifMatch, old.revision);
  const { id, variant_of: parent } = old;
  const isParent = old.variant_count > 0;
  const errors: FieldError[] = [];
  checkKind(patch, isParent ? 'parent' : parent === null ? 'simple' : 'variant', errors);
  if (errors.length > 0) throw validationFailed(errors);
  const owner = parent === null ? 'product' : 'variant';
  const custom = mergeCustom(context, owner, patch.custom, old.custom, errors);
  const values = readProduct({ ...patch, custom }, shop, old, errors);
  const status = statusOf(patch, old.status);
  const publishAt = readPublishAt(patch.publish_at, { status, before: old.publish_at, now }, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const inStock = isParent ? old.in_stock : old.stock_qty > 0 || !values.track_stock;
  const position = patch.position ?? old.position;
  const search = searchTextOf(values, isParent ? (old.options as ProductOption[]) : []);
  const stored = { ...values, status, publishAt, inStock, position, search };
  await checkUnique(() => queries.updateProduct(tx, companyId, id, stored, now));
  if (patch.categories !== undefined) await queries.setCategories(tx, companyId, id, values.categories, now);
  if (patch.images !== undefined) {
    await linkPictures(tx, caller, id, { before: old.images, after: values.images, origin });
  }
  if (values.price !== old.price) {
    const change = { productId: id, oldPrice: old.price, newPrice: values.price, actor, now };
    await queries.insertPriceChange(tx, companyId, change);
  }
  const delta = (patch.stock_qty ?? old.stock_qty) - old.stock_qty;
  if (delta !== 0) {
    const short = await adjustStock(tx, companyId, [{ productId: id, delta }], { reason: null, actor, now });
    if (short.length > 0) {
      throw invalidField('stock_qty', 'stock_qty is below the stock of the other locations', 'out_of_range');
    }
    const change = { product: { ...values, id }, before: old.stock_qty, after: old.stock_qty + delta };
    await enqueue(tx, companyId, lowStockEvents([change], now), correlationOf(caller));
  }
  if (isParent) await updateVariantsOf(tx, companyId, id, { ...values, given: patch }, now);
  if (parent !== null && status === 'active' && old.status !== 'active') await admitValues(tx, companyId, parent, old);
  const isOtherwiseActive = (status === 'active') !== (old.status === 'active');
  return { id, parent, hasOtherFacets: patch.custom !== undefined || (parent !== null && isOtherwiseActive) };
}

/** Adds the values of a variant to the options of its parent, from which they may have been removed while it was archived. */
async function admitValues(tx: Tx, companyId: number, id: number, variant: queries.ProductRow): Promise<void> {
  const parent = (await queries.findParent(tx, companyId, id))!;
  const options = parent.options.map(({ name, values }) => ({ name, values: [...values] }));
  valuesFor(options, variant.options as OptionValue[], 'options', []);
  await setOptions(tx, companyId, id, { options, search: searchTextOf(parent, options) });
}

/** A client that knows only `archived` and sends a draft back unchanged leaves it a draft. */
function statusOf({ status, archived }: ProductPatch, old: ProductStatus): ProductStatus {
  if (status !== undefined || archived === undefined) return status ?? old;
  if (!archived) return 'active';
  return old === 'active' ? 'archived' : old;
}
