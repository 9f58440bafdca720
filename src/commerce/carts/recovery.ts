import type { KeyObject } from 'node:crypto';
import type { Queryable } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { readToken, signToken } from '../../messaging/consent/tokens.ts';
import type { Shop } from '../shop.ts';
import type { Cart, CartRecord } from './contract.ts';
import { findCarts } from './queries.ts';

/** Returns the storefront's address that fills a new cart with the products of this one; null while the shop has no storefront. */
export function recoverUrl(tokenKey: KeyObject, { companyId, checkout }: Shop, cartId: number): string | null {
  if (checkout.store_url === null) return null;
  const token = signToken(tokenKey, 'recovery', { companyId, subject: cartId, detail: 0 });
  return `${checkout.store_url}?recover=${token}`;
}

/** Adds the address, of an open cart with lines. */
export function withRecoverUrl(tokenKey: KeyObject, shop: Shop, cart: CartRecord): Cart {
  const isOpen = cart.status === 'open' && cart.lines.length > 0;
  return { ...cart, recover_url: isOpen ? recoverUrl(tokenKey, shop, cart.id) : null };
}

/** What a new cart takes over from the cart of a link: no personal data, since links are passed on. Throws not_found. */
export async function recoveredCart(
  db: Queryable,
  tokenKey: KeyObject,
  companyId: number,
  token: string,
): Promise<{ lines: { product_id: number; qty: number }[]; promo_code: string | null }> {
  const content = readToken(tokenKey, 'recovery', token);
  const [cart] = content?.companyId === companyId ? await findCarts(db, companyId, [content.subject]) : [];
  if (cart === undefined) throw notFound('cart');
  const lines = cart.lines.map(({ product_id, qty }) => ({ product_id, qty }));
  return { lines, promo_code: cart.promo_code };
}
