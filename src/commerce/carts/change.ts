import { isDeepStrictEqual } from 'node:util';
import { AppError, type FieldError, notFound, validationFailed } from '../../errors.ts';
import { contextOf, mergeCustom } from '../custom-fields/values.ts';
import type { OrderRequest } from '../orders/placing/request.ts';
import type { BatchState, PlacementSnapshot } from '../orders/placing/snapshot.ts';
import { variantRequired } from '../orders/placing/variant-required.ts';
import type { Shop } from '../shop.ts';
import type { CartPatch, LineInput, LinePatch } from './contract.ts';
import { addLines, changeLine } from './fields.ts';
import { missingOf } from './ready.ts';
import type { CartRow, CartValues } from './row.ts';
import { isSold } from './totals.ts';

/** A change of a cart: its values afterwards. Adds errors of fields. */
type Change = (old: CartValues, shop: Shop, batch: BatchState, errors: FieldError[]) => CartValues;

/** What a request gives. */
export interface Given {
  fields: CartPatch;
  /** Products to be added. */
  lines: readonly LineInput[];
  change: Change;
}

export const onlyFields = (fields: CartPatch): Given => ({ fields, lines: [], change: (values) => values });

/** Adds lines whose products are sold and in stock. Throws validation_failed, variant_required, insufficient_stock. */
export function adding(lines: readonly LineInput[], fields: CartPatch = {}): Given {
  return {
    fields,
    lines,
    change: (old, shop, batch, errors) => {
      const { products } = batch.snapshot;
      lines.forEach(({ product_id }, i) => {
        const product = products.get(product_id);
        const field = `lines.${i}.product_id`;
        if (product === undefined) errors.push({ field, code: 'unknown', message: `${field}: unknown product` });
        else if (product.archived) {
          errors.push({ field, code: 'archived', message: `${field} names a product that is not sold` });
        }
      });
      const next = addLines(old, lines, (id) => products.get(id), shop, errors);
      if (errors.length > 0) throw validationFailed(errors);
      const parent = lines.findIndex(({ product_id }) => !isSold(products.get(product_id)));
      if (parent !== -1) {
        throw variantRequired(shop, products.get(lines[parent]!.product_id)!, { index: parent });
      }
      const ids = new Set(lines.map(({ product_id }) => product_id));
      const wanted = [...ids].map((id) => next.lines.find((line) => line.product_id === id)!);
      checkStock(batch, next, wanted);
      return next;
    },
  };
}

/** Adds what is still sold of another cart's lines, without checking the stock. */
export function refilling(lines: readonly LineInput[], fields: CartPatch): Given {
  return {
    fields,
    lines,
    change: (old, shop, { snapshot: { products } }, errors) => {
      const sold = lines.filter(({ product_id }) => isSold(products.get(product_id)));
      return addLines(old, sold, (id) => products.get(id), shop, errors);
    },
  };
}

/** Throws not_found for an unknown line, insufficient_stock. */
export function changingLine(lineId: number, patch: LinePatch): Given {
  return {
    fields: {},
    lines: [],
    change: (old, shop, batch, errors) => {
      requireLine(old, lineId);
      const next = changeLine(old, lineId, patch, shop, errors);
      const { product_id, qty } = next.lines.find((line) => line.id === lineId)!;
      if (patch.qty !== undefined) checkStock(batch, next, [{ product_id, qty }]);
      return next;
    },
  };
}

/** Throws not_found for an unknown line. */
export function removingLine(lineId: number): Given {
  return {
    fields: {},
    lines: [],
    change: (old) => {
      requireLine(old, lineId);
      return { ...old, lines: old.lines.filter((line) => line.id !== lineId) };
    },
  };
}

function requireLine(cart: CartValues, lineId: number): void {
  if (!cart.lines.some((line) => line.id === lineId)) throw notFound('line');
}

/** A change whose fields were merged with the cart's. */
interface Merged {
  given: Given;
  old: CartRow;
  merged: CartValues;
  request: Pick<OrderRequest, 'now'>;
  errors: FieldError[];
}

/** Returns the cart after the change. Throws what the change throws, and validation_failed with every failing field. Pure. */
export function changedRow({ given, old, merged, request, errors }: Merged, shop: Shop, batch: BatchState): CartRow {
  const { fields, change } = given;
  const { snapshot } = batch;
  const { custom } = fields;
  const asked = { ...merged };
  if (custom !== undefined) {
    asked.custom = mergeCustom(contextOf(shop, snapshot.definitions), 'order', custom, merged.custom, errors);
  }
  checkReferences(asked, fields, shop, snapshot, errors);
  const values = change(asked, shop, batch, errors);
  if (old.subscription_id !== null) checkRenewal(values, old, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const keys = Object.keys(values) as (keyof CartValues)[];
  const isSame = keys.every((key) => isDeepStrictEqual(values[key], old[key]));
  // As the table's trigger does, which leaves the new revision as it is.
  const revision = isSame && old.id !== 0 ? old.revision : old.revision + 1;
  return { ...old, ...values, revision, updated_at: request.now };
}

/** Throws insufficient_stock with every line that has more units than can be sold now. */
function checkStock(
  { snapshot, levels }: BatchState,
  { location_id }: CartValues,
  lines: readonly { product_id: number; qty: number }[],
): void {
  const short = lines.flatMap(({ product_id, qty: requested }, index) => {
    if (snapshot.products.get(product_id)?.track_stock !== true) return [];
    const available = levels.available(product_id, location_id);
    return available < requested ? [{ index, product_id, requested, available }] : [];
  });
  if (short.length > 0) throw new AppError('insufficient_stock', 'Not enough stock', { items: short });
}

/** Adds errors of what the order of a subscription may not become: its customer has agreed to be charged for it, and nobody completes it. */
function checkRenewal(values: CartValues, old: CartRow, errors: FieldError[]): void {
  for (const field of ['customer_id', 'lines'] as const) {
    if (isDeepStrictEqual(values[field], old[field])) continue;
    errors.push({ field, code: 'not_allowed', message: `${field} of this cart is as its subscription says` });
  }
  const [before, missing] = [missingOf(old), missingOf({ ...values, lines: old.lines })];
  for (const field of missing.filter((one) => !before.includes(one))) {
    errors.push({ field, code: 'required', message: `${field} is required` });
  }
}

/** Adds errors of given fields that name unknown records. */
function checkReferences(
  values: CartValues,
  given: CartPatch,
  shop: Shop,
  snapshot: PlacementSnapshot,
  errors: FieldError[],
): void {
  const customer = values.customer_id === null ? undefined : snapshot.customers.get(values.customer_id);
  if (given.customer_id != null && (customer === undefined || customer.erased)) {
    errors.push({ field: 'customer_id', code: 'unknown', message: 'Unknown customer' });
  }
  if (given.shipping_method_id != null && !shop.methods.some(({ id }) => id === given.shipping_method_id)) {
    errors.push({ field: 'shipping_method_id', code: 'unknown', message: 'Unknown shipping method' });
  }
  if (given.location_id != null && !shop.locations.some(({ id }) => id === given.location_id)) {
    errors.push({ field: 'location_id', code: 'unknown', message: 'Unknown location, or one that is closed' });
  }
}
