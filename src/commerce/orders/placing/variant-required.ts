import { AppError } from '../../../errors.ts';
import { fromMinor } from '../../money.ts';
import type { OptionValue } from '../../products/contract.ts';
import type { Shop } from '../../shop.ts';

/** A variant that can be ordered in place of its parent. */
export interface VariantChoice {
  id: number;
  title: string;
  options: OptionValue[];
  price: number;
  in_stock: boolean;
}

/** The error for a parent in place of a variant. `place` is the index of the line, if it is one of several. */
export function variantRequired(
  { exponent }: Shop,
  product: { id: number; variants: VariantChoice[] | null },
  place: { index?: number } = {},
): AppError {
  const variants = (product.variants ?? []).map((one) => ({ ...one, price: fromMinor(one.price, exponent) }));
  return new AppError('variant_required', 'This product has variants: name one of them', {
    product_id: product.id,
    ...place,
    variants,
  });
}
