import { expect, test } from 'vitest';
import { newPayment, type PaymentRow } from '../../payments/payment.ts';
import type { Facts } from '../../payments/providers/provider.ts';
import type { Promo } from '../../promotions/discount.ts';
import { DEFAULT_CHECKOUT, DEFAULT_LOYALTY, type Shop } from '../../shop.ts';
import { placeBatch } from './decide.ts';
import type { OrderRequest } from './request.ts';
import type { PlacementSnapshot } from './snapshot.ts';

const shop: Shop = {
  companyId: 1,
  name: 'Shop',
  currency: 'USD',
  exponent: 2,
  timeZone: 'UTC',
  country: 'US',
  tax: { rules: [], rounding: 'line', prices_include_tax: false },
  zones: [{ id: 1, position: 1, countries: [], states: [], zip_patterns: [] }],
  methods: [{ id: 1, zone_id: 1, position: 1, name: 'Post', active: true, type: 'flat', config: { cost: 0 } }],
  locations: [{ id: 1, main: true, online: true }],
  customFields: [],
  loyalty: DEFAULT_LOYALTY,
  paymentMethods: [],
  paymentAccounts: [],
  checkout: DEFAULT_CHECKOUT,
};

const person = (id: number) => ({
  id,
  email: `c${id}@example.com`,
  first_name: '',
  last_name: '',
  phone: null,
  erased: false,
});

function promo(fields: Partial<Promo>): Promo & { id: number; code: string } {
  return {
    id: 5,
    code: 'Tea',
    scope: 'order',
    product_ids: [],
    category_slugs: [],
    min_subtotal: null,
    max_discount: null,
    starts_at: null,
    ends_at: null,
    usage_limit: null,
    per_customer_limit: null,
    first_order_only: false,
    active: true,
    used_count: 0,
    type: 'fixed',
    value: 100,
    ...fields,
  } as Promo & { id: number; code: string };
}

/** Two customers, and a product at 100.00 of which five are left. */
function snapshot(fields: Partial<PlacementSnapshot> = {}): PlacementSnapshot {
  const product = {
    id: 3,
    name: 'Tea',
    sku: null,
    price: 10_000,
    tax_class: null,
    requires_shipping: true,
    categories: [],
    archived: false,
    subscription_enabled: false,
    track_stock: true,
    low_stock_at: null,
    stock_qty: 5,
    variant_of: null,
    title: null,
    options: [],
    variants: null,
  };
  return {
    definitions: null,
    products: new Map([[3, product]]),
    customers: new Map([1, 2].map((id) => [id, person(id)])),
    promos: new Map(),
    orderers: new Set(),
    uses: [],
    levels: [],
    balances: new Map(),
    takenExternalIds: new Set(),
    carts: new Map(),
    heldItems: [],
    awaited: new Map(),
    cancelling: new Set(),
    renewed: new Map(),
    orderIds: [11, 12, 13],
    lineIds: [21, 22, 23],
    paymentIds: [],
    ...fields,
  };
}

function request(fields: Partial<OrderRequest> & { qty?: number } = {}): OrderRequest {
  const { qty = 1, ...rest } = fields;
  return {
    customerId: 1,
    items: [{ product_id: 3, qty }],
    address: { address: '1 Main St', city: 'Fresno', state: '', zip: '93650', country: null },
    promoCode: null,
    redeemPoints: 0,
    shippingMethodId: null,
    locationId: null,
    externalId: null,
    metadata: {},
    custom: null,
    subscriptionId: null,
    cart: null,
    payments: [],
    origin: 'api',
    actor: 'test',
    correlation: null,
    now: new Date('2026-03-01T12:00:00Z'),
    ...rest,
  };
}

/** The outcome of each request: the id of its order, or the code of its error. */
function outcomes(from: PlacementSnapshot, ...requests: OrderRequest[]) {
  const { outcomes: settled, placement } = placeBatch(shop, from, requests);
  const told = settled.map((one) => (one.ok ? one.value.order!.id : (one.error as { code: string; details?: object })));
  return { told, placement };
}
const errors = (from: PlacementSnapshot, ...requests: OrderRequest[]) =>
  outcomes(from, ...requests).told.map((one) => (typeof one === 'number' ? one : one.code));

test('an order sees the stock that those before it in the batch left, and one that fails takes none', () => {
  const { told, placement } = outcomes(snapshot(), request({ qty: 3 }), request({ qty: 3 }), request({ qty: 2 }));
  expect(told).toMatchObject([
    11,
    { code: 'insufficient_stock', details: { items: [{ index: 0, product_id: 3, requested: 3, available: 2 }] } },
    13,
  ]);
  expect(placement.orders.map(({ items }) => items.map(({ product_id, qty }) => [product_id, qty]))).toEqual([
    [[3, 3]],
    [[3, 2]],
  ]);
  expect([...placement.ordersByCustomer]).toEqual([[1, 2]]);
});

test('an order with money that cannot be recorded takes nothing either', () => {
  const refused = request({ qty: 5, payments: [{ method_id: 9, amount: 500 }] });
  const { told, placement } = outcomes(snapshot(), refused, request({ qty: 5 }));
  expect(told).toMatchObject([{ code: 'payment_method_unavailable' }, 12]);
  expect(placement.stockChanges).toMatchObject([{ before: 5, after: 0 }]);
});

test('a code is used up within a batch: for all, and for each customer', () => {
  const limited = (fields: Partial<Promo>, more: Partial<PlacementSnapshot> = {}) =>
    snapshot({ promos: new Map([['TEA', promo(fields)]]), ...more });
  const by = (customerId: number) => request({ customerId, promoCode: 'tea' });
  expect(errors(limited({ usage_limit: 2, used_count: 1 }), by(1), by(2))).toEqual([11, 'promo_usage_limit']);
  expect(errors(limited({ per_customer_limit: 1 }), by(1), by(1), by(2))).toEqual([11, 'promo_customer_limit', 13]);
  const uses = [{ buyer: '1', promo_code_id: 5, uses: 1 }];
  expect(errors(limited({ per_customer_limit: 2 }, { uses }), by(1), by(1))).toEqual([11, 'promo_customer_limit']);
  expect([...outcomes(limited({}), by(1), by(1), by(2)).placement.promoUses]).toEqual([[5, 3]]);
});

test('a code for first orders ends with the first order of the batch, and says nothing about others', () => {
  const first = snapshot({ promos: new Map([['TEA', promo({ first_order_only: true })]]), orderers: new Set(['2']) });
  const by = (customerId: number, promoCode: string | null = 'TEA') => request({ customerId, promoCode });
  const [one, two, three] = errors(first, by(1, null), by(1), by(2));
  expect([typeof one, two, three]).toEqual(['number', 'promo_not_applicable', 'promo_not_applicable']);
  expect(errors(first, by(1))).toEqual([11]);
});

test('points are redeemed once within a batch', () => {
  const redeem = request({ redeemPoints: 300 });
  const { told, placement } = outcomes(snapshot({ balances: new Map([[1, 500]]) }), redeem, redeem);
  expect(told).toMatchObject([11, { code: 'insufficient_points', details: { requested: 300, available: 200 } }]);
  expect(placement.ledger).toMatchObject([
    { customerId: 1, type: 'redeem', points: -300, orderId: 11 },
    { customerId: 1, type: 'earn', orderId: 11 },
  ]);
});

test('an external id names one order of a batch, and none that is there already', () => {
  const known = snapshot({ takenExternalIds: new Set(['old']) });
  const named = (externalId: string) => request({ externalId });
  expect(errors(known, named('new'), named('new'), named('old'))).toEqual([11, 'duplicate', 'duplicate']);
});

/** The fields that one request is refused for. */
function refusedFields(from: PlacementSnapshot, one: OrderRequest, at: Shop = shop): string[] {
  const [outcome] = placeBatch(at, from, [one]).outcomes;
  if (outcome!.ok) return [];
  const { details } = outcome!.error as { details: { fields: { field: string; code: string }[] } };
  return details.fields.map(({ field, code }) => `${field} ${code}`);
}

test('every field that is wrong is named, by its place in the request', () => {
  const from = snapshot();
  const gone = { ...from.products.get(3)!, id: 4, archived: true };
  const at = snapshot({
    products: new Map([...from.products, [4, gone]]),
    customers: new Map([...from.customers, [8, { ...person(8), erased: true }]]),
  });
  const items = [
    { product_id: 3, qty: 1 },
    { product_id: 4, qty: 1 },
    { product_id: 9, qty: 1 },
  ];
  expect(refusedFields(at, request())).toEqual([]);
  expect(refusedFields(at, request({ customerId: 7, items }))).toEqual([
    'customer_id unknown',
    'items.1.product_id archived',
    'items.2.product_id unknown',
  ]);
  expect(refusedFields(at, request({ customerId: 8 }))).toEqual(['customer_id unknown']);
  const address = (country: string | null, state = '') =>
    request({ address: { ...request().address, country, state } });
  expect(refusedFields(at, address('Atlantis'))).toEqual(['shipping_country unknown']);
  expect(refusedFields(at, address('Germany'))).toEqual([]);
  expect(refusedFields(at, request({ metadata: { note: 'x'.repeat(20_000) } }))).toEqual(['metadata too_long']);
});

test('a state is required only in a country whose taxes or zones go by it', () => {
  const address = (country: string | null, state = '') =>
    request({ address: { ...request().address, country, state } });
  const zones = [...shop.zones, { id: 2, position: 2, countries: ['US'], states: ['NY'], zip_patterns: [] }];
  const byZones = { ...shop, zones };
  expect(refusedFields(snapshot(), address(null), byZones)).toEqual(['shipping_state required']);
  expect(refusedFields(snapshot(), address('US', 'CA'), byZones)).toEqual([]);
  expect(refusedFields(snapshot(), address('DE'), byZones)).toEqual([]);
});

test('points are earned on the amount paid for goods if the program is active when the order is placed', () => {
  const earned = (loyalty: Partial<Shop['loyalty']>) =>
    placeBatch({ ...shop, loyalty: { ...DEFAULT_LOYALTY, ...loyalty } }, snapshot(), [request()]).placement.ledger.map(
      ({ type, points }) => [type, points],
    );
  expect(earned({})).toEqual([['earn', 100]]);
  expect(earned({ earn_on: 'delivered' })).toEqual([]);
  expect(earned({ enabled: false })).toEqual([]);
  expect(earned({ points_per_dollar: 0 })).toEqual([]);
});

test('what a service said of a payment before it ended does not place the cart, which another payment may have reserved', () => {
  const method = {
    id: 4,
    provider: 'stripe',
    kind: 'any',
    name: 'Card',
    description: null,
    instructions: null,
    account_id: 2,
    position: 0,
    active: true,
    staff_only: false,
    places: 'when_paid',
    reserve_minutes: 30,
    capture: 'by_hand',
    min_total: null,
    max_total: null,
  } as const;
  const { now } = request();
  const payable = { cartId: 6, orderId: null, amount: 10_000, reservedUntil: now };
  const begun = newPayment(method, 20, payable, { timeZone: 'UTC', accounts: [], now });
  const facts: Facts = {
    ref: 'pi_1',
    status: 'authorized',
    currency: 'USD',
    amount: 10_000,
    authorized: 10_000,
    captured: 0,
    refunds: [],
    disputes: [],
    cancelable: true,
    authorizedUntil: null,
    failure: null,
    declines: 0,
    savedMethod: null,
  };
  const cart: OrderRequest['cart'] = {
    id: 6,
    revision: 1,
    guest: null,
    billing: null,
    note: null,
    pays: null,
    paid: null,
    reserved: null,
    acceptsMarketing: null,
    cycleDate: null,
    expectsOrder: true,
  };
  const open = snapshot({ carts: new Map([[6, { id: 6, status: 'open', revision: 1 }]]) });
  const frozen = placeBatch(shop, open, [request({ cart })]).placement.orders[0]!.frozen!;
  const placed = (payment: PaymentRow, captured = 0, cancelling: number[] = []): boolean => {
    const at = snapshot({
      carts: new Map([[6, { id: 6, status: 'paying', revision: 1 }]]),
      awaited: new Map([[6, { ...payment }]]),
      cancelling: new Set(cancelling),
    });
    const paid = { paymentId: 20, facts: { ...facts, captured }, seen: 0, ending: null, saved: null };
    const paidCart = { ...cart, paid, reserved: { frozen, custom: {} } };
    return placeBatch(shop, at, [request({ items: [], cart: paidCart })]).outcomes[0]!.ok;
  };
  expect(placed(begun)).toBe(true);
  expect(placed({ ...begun, status: 'cancelled' })).toBe(false);
  expect(placed({ ...begun, fetches: 1 })).toBe(false);
  // Its authorization may be voided at this moment.
  expect(placed(begun, 0, [20])).toBe(false);
  // Money that was taken stays taken.
  expect(placed(begun, 10_000, [20])).toBe(true);
  expect(placed({ ...begun, fetches: 1 }, 10_000)).toBe(true);
});
