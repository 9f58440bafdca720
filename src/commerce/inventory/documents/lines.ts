import type { Tx } from '../../../db/pool.ts';
import type { FieldError } from '../../../errors.ts';
import type { LockedStock } from '../changes.ts';
import { holdLocations } from '../locations/queries.ts';

/** Holds the locations until COMMIT, and returns an error for each that is unknown or closed. */
export async function checkLocation(
  tx: Tx,
  companyId: number,
  fields: Readonly<Record<string, number>>,
): Promise<FieldError[]> {
  const held = await holdLocations(tx, companyId, Object.values(fields));
  return Object.entries(fields)
    .filter(([, id]) => !held.has(id))
    .map(([field]) => unknownLocation(field));
}

export function unknownLocation(field: string): FieldError {
  return { field, code: 'unknown', message: `${field}: unknown location, or one that is closed` };
}

/** Whether the product of the line has a stock of its own that is counted; otherwise adds an error. */
export function isCounted(stock: LockedStock, productId: number, field: string, errors: FieldError[]): boolean {
  const product = stock.products.get(productId);
  const fail = (code: string, why: string): boolean => {
    errors.push({ field: `${field}.product_id`, code, message: `${field}.product_id ${why}` });
    return false;
  };
  if (product === undefined) return fail('unknown', 'is an unknown product');
  if (product.variant_count > 0) return fail('of_variant', 'has variants, which have the stock');
  if (!product.track_stock) return fail('untracked', 'is a product whose stock is not tracked');
  return true;
}
