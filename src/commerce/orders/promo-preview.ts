import type { Caller } from '../../caller.ts';
import type { Queryable } from '../../db/pool.ts';
import { fromMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { orderRequestOf } from './placing/order-request.ts';
import { quote } from './quote.ts';
import type { PromoPreview, PromoPreviewInput } from './schemas.ts';

/** Prices a basket with a promo code. Throws what placing the order would throw. */
export async function promoPreview(
  db: Queryable,
  shop: Shop,
  caller: Caller,
  input: PromoPreviewInput,
): Promise<PromoPreview> {
  const { priced, promo } = await quote(db, shop, orderRequestOf(caller, input));
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    promo_code: promo!.code,
    valid: true,
    discount: money(priced.promo_discount),
    free_shipping: promo!.type === 'free_shipping',
    subtotal: money(priced.subtotal),
    shipping: money(priced.shipping),
    tax: money(priced.tax),
    total: money(priced.total),
  };
}
