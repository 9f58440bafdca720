import { expect } from 'vitest';
import type { TestBody } from './harness.ts';

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: TestBody }>;

/** What the checkouts of a shop need: the product has stock, the code has no limit, the customer has points. */
export interface CheckoutShop {
  call: Call;
  product: number;
  customer: number;
  promo: string;
  /** Places at once. */
  cash: number;
  /** Reserves until the shop has the money. */
  transfer: number;
  /** Ends the time of a cart's reservation. */
  expire: (cart: number) => Promise<void>;
}

const STEPS = {
  cash: ['create', 'add', 'pay', 'place'],
  transfer: ['create', 'add', 'reserve', 'place'],
  reopened: ['create', 'add', 'reserve', 'reopen', 'pay'],
  expired: ['create', 'add', 'reserve', 'expire'],
} as const;
type Plan = keyof typeof STEPS;
const PLANS = Object.keys(STEPS) as Plan[];

/** A cart on its way to an order. A step is sent again until it has a response; each has its effect once. */
export interface Checkout {
  kind: 'checkout';
  key: string;
  plan: Plan;
  qty: number;
  /** Of a guest, with their own address; otherwise the shop's customer, who redeems points. */
  isGuest: boolean;
  /** How many steps have a response. */
  step: number;
  cart: number;
  /** Its acknowledged order. */
  order: number | null;
  /** The last response. */
  response: { status: number; id: number } | null;
}

export function checkoutOf(key: string, n: number): Checkout {
  const plan = PLANS[n % PLANS.length]!;
  const isGuest = Math.floor(n / PLANS.length) % 2 === 1;
  return { kind: 'checkout', key, plan, qty: 1 + (n % 3), isGuest, step: 0, cart: 0, order: null, response: null };
}

/** Goes on with a checkout. Throws, or returns, without a response where a step has to be sent again. */
export async function proceed(checkout: Checkout, shop: CheckoutShop): Promise<void> {
  const steps = STEPS[checkout.plan];
  while (checkout.step < steps.length) {
    const step = steps[checkout.step]!;
    if (step === 'expire') await shop.expire(checkout.cart);
    else {
      const { status, body } = await sent(step, checkout, shop);
      // A server that is shutting down may return 500: that promises nothing.
      if (status >= 500) return;
      if (status >= 300) {
        checkout.response = { status, id: checkout.cart };
        return;
      }
      if (step === 'create') checkout.cart = body.data.id;
      else if (step === 'pay') checkout.order = body.data.order.id;
      else if (step === 'place') {
        checkout.order ??= body.data.id;
        expect(body.data.id).toBe(checkout.order);
      }
    }
    checkout.step += 1;
  }
  checkout.response = { status: 200, id: checkout.cart };
}

function sent(step: Exclude<(typeof STEPS)[Plan][number], 'expire'>, checkout: Checkout, shop: CheckoutShop) {
  const { key, qty, cart, isGuest } = checkout;
  const once = { 'idempotency-key': `${key} ${step}` };
  const lines = (count: number) => [{ product_id: shop.product, qty: count }];
  const buyer = isGuest
    ? { email: `${key}@example.com`, shipping_address: '1', shipping_city: 'X', shipping_zip: '1' }
    : { customer_id: shop.customer, redeem_points: 1, shipping_address: '1', shipping_city: 'X', shipping_zip: '1' };
  switch (step) {
    case 'create':
      return shop.call('POST', '/commerce/v1/carts', { ...buyer, lines: lines(qty), promo_code: shop.promo }, once);
    case 'add':
      return shop.call('POST', `/commerce/v1/carts/${cart}/lines`, { lines: lines(1) }, once);
    case 'pay':
      return shop.call('POST', `/commerce/v1/carts/${cart}/pay`, { method_id: shop.cash });
    case 'reserve':
      return shop.call('POST', `/commerce/v1/carts/${cart}/pay`, { method_id: shop.transfer });
    case 'reopen':
      return shop.call('POST', `/commerce/v1/carts/${cart}/reopen`);
    case 'place':
      return shop.call('POST', `/commerce/v1/carts/${cart}/place`);
  }
}

/** Units that the checkout's order has taken of the stock. */
export function soldBy({ plan, qty }: Checkout): number {
  return plan === 'expired' ? 0 : qty + 1;
}

/** Expects the cart to be where the plan leads, with its one acknowledged order. */
export async function expectKept(checkout: Checkout, { call }: CheckoutShop): Promise<void> {
  const { cart, order, plan, qty } = checkout;
  const read = async () => (await call('GET', `/commerce/v1/carts/${cart}`)).body.data;
  // The program ends reservations every ten seconds.
  if (plan === 'expired') await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('open');
  const expected = { status: order === null ? 'open' : 'placed', order_id: order, payment: null, reserved_until: null };
  expect(await read()).toMatchObject(expected);
  if (order === null) return;
  const placed = (await call('GET', `/commerce/v1/orders/${order}`)).body.data;
  expect(placed).toMatchObject({ cart_id: cart, items: [{ qty: qty + 1 }] });
}
