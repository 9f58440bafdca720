import type { OutboxEvent } from '../../outbox/service.ts';
import { fromMinor } from '../money.ts';
import type { OrderingCustomer, StockedProduct } from '../orders/placing/snapshot.ts';
import type { Shop } from '../shop.ts';
import type { CartRow } from './row.ts';
import { type CartTotals, isSold } from './totals.ts';

/** A cart with what its events and messages show. */
export interface PricedCart {
  row: CartRow;
  totals: CartTotals;
  products: ReadonlyMap<number, StockedProduct>;
  /** By product. */
  images: ReadonlyMap<number, string>;
  /** Of a buyer who is signed in. */
  customer: OrderingCustomer | undefined;
}

/**
 * Whether a buyer has begun to check out: an open cart with lines and an address. Carts of staff and renewals are not the buyer's own, and
 * raise no events.
 */
export function isCheckout({ status, origin, lines, customer_id, email }: CartRow): boolean {
  const isBuyers = origin === 'store' || origin === 'api';
  return status === 'open' && isBuyers && lines.length > 0 && (customer_id !== null || email !== null);
}

export function checkoutStarted(cart: PricedCart, shop: Shop, now: Date): OutboxEvent {
  return { topic: 'checkout_started', payload: cartFields(cart, shop), occurredAt: now };
}

export function cartAbandoned(cart: PricedCart, shop: Shop, recoverUrl: string | null, now: Date): OutboxEvent {
  const payload = { ...cartFields(cart, shop), recover_url: recoverUrl };
  return { topic: 'cart_abandoned', payload, occurredAt: now };
}

function cartFields(cart: PricedCart, shop: Shop) {
  const { row, totals } = cart;
  return {
    ...buyerOf(cart),
    accepts_marketing: row.accepts_marketing,
    cart_id: String(row.id),
    cart_total: fromMinor(totals.priced.total, shop.exponent),
    currency: shop.currency,
    items: itemsOf(cart, shop),
  };
}

/** A guest has no `customer_id`: anybody can type an address. */
function buyerOf({ row, customer }: PricedCart) {
  const { email, first_name, last_name } = customer ?? row;
  const names = { email, first_name, last_name };
  return customer === undefined ? names : { customer_id: String(customer.id), ...names };
}

/** The lines that can be bought. */
export function itemsOf({ row, products, images }: PricedCart, shop: Shop) {
  return row.lines.flatMap(({ product_id, qty, price_override }) => {
    const product = products.get(product_id);
    if (!isSold(product)) return [];
    return [
      {
        product_id: String(product_id),
        name: product.name,
        price: fromMinor(price_override ?? product.price, shop.exponent),
        quantity: qty,
        parent_id: product.variant_of === null ? null : String(product.variant_of),
        sku: product.sku,
        variant_title: product.title,
        image: images.get(product_id) ?? null,
      },
    ];
  });
}
