import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';
import { releaseOverdueCarts } from './release.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let transfer: number;
let cash: number;
let till: number;

const made = async (path: string, body: object) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const post = (id: number, action: string, body?: object) => shop.commerce('POST', `/carts/${id}/${action}`, body);
const pay = (id: number, method_id: number | null, more: object = {}) => post(id, 'pay', { method_id, ...more });
const cartAt = async (id: number) => (await shop.commerce('GET', `/carts/${id}`)).body.data;
const stockOf = async (id: number) => (await shop.commerce('GET', `/products/${id}`)).body.data.stock_qty;
const usesOf = async (code: string) => {
  const [row] = await server.rows<{ used_count: number }>('select used_count from promo_codes where code = $1', [code]);
  return row!.used_count;
};
const reasonOf = ({ status, body }: { status: number; body: { error?: { details: { reason?: string } } } }) => [
  status,
  body.error?.details.reason,
];

let emails = 0;
const newEmail = (): string => `buyer-${++emails}@example.com`;
const newProduct = async (fields: object = {}): Promise<number> =>
  (await made('/products', { name: 'Tea', price: 10, stock_qty: 10, ...fields })).id;
/** A cart of 2 units that is ready to be paid, a guest's without `customer_id`. */
async function ready(fields: object = {}): Promise<{ id: number; product: number }> {
  const product = await newProduct();
  const lines = [{ product_id: product, qty: 2 }];
  const buyer = 'customer_id' in fields ? {} : { email: newEmail() };
  return { id: (await made('/carts', { lines, ...buyer, ...ADDRESS, ...fields })).id, product };
}
const newCustomer = async (points = 0): Promise<number> => {
  const { id } = await made('/customers', { email: newEmail() });
  if (points > 0) await made(`/customers/${id}/loyalty/adjust`, { points });
  return id;
};

beforeAll(async () => {
  shop = await server.company();
  await shop.commerce('PATCH', '/loyalty/settings', { enabled: true, points_per_dollar: 1, min_redeem_points: 1 });
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', instructions: 'IBAN 1' })).id;
  cash = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'Cash', max_total: 500 })).id;
  till = (await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true })).id;
  await made('/promo-codes', { code: 'TEN', type: 'percent', value: 10, scope: 'order' });
  await made('/promo-codes', { code: 'ONCE', type: 'percent', value: 10, scope: 'order', per_customer_limit: 1 });
  await made('/promo-codes', { code: 'FIRST', type: 'percent', value: 10, scope: 'order', first_order_only: true });
  await made('/promo-codes', { code: 'FREE', type: 'percent', value: 100, scope: 'order' });
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

describe('a method that places the order at once', () => {
  test('places it with a payment that is awaited, once', async () => {
    const { id, product } = await ready();
    const paid = await pay(id, cash, { expected_total: 20 });
    expect(paid.status).toBe(200);
    const { order, payment, ...rest } = paid.body.data;
    expect(rest).toEqual({ status: 'placed', order_token: expect.stringMatching(/^[\w-]{55}$/), reserved_until: null });
    expect(order).toMatchObject({ cart_id: id, total: 20, status: 'pending', guest: true });
    expect(payment).toMatchObject({ cart_id: id, order_id: order.id, method_id: cash, label: 'Cash', amount: 20 });
    expect(payment).toMatchObject({ status: 'action_required', reference: null, due_on: null, currency: 'USD' });
    for (const again of [await pay(id, cash), await pay(id, transfer), await post(id, 'confirm')]) {
      expect([again.status, again.body.data]).toEqual([200, paid.body.data]);
    }
    expect(reasonOf(await post(id, 'reopen'))).toEqual([200, undefined]);
    expect(await stockOf(product)).toBe(8);
    expect(await cartAt(id)).toMatchObject({ status: 'placed', order_id: order.id, payment: null });
  });

  test('two tabs place one order', async () => {
    const { id, product } = await ready();
    const both = await Promise.all([pay(id, cash), pay(id, cash), post(id, 'place')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set([both[0]!.body.data.order.id, both[1]!.body.data.order.id, both[2]!.body.data.id]).size).toBe(1);
    expect(await stockOf(product)).toBe(8);
  });
});

describe('a method that waits for the money', () => {
  test('reserves at a fixed price, and the order is placed from the reservation', async () => {
    const buyer = await newCustomer(100);
    const { id, product } = await ready({
      customer_id: buyer,
      promo_code: 'TEN',
      redeem_points: 50,
      note: 'Ring twice',
    });
    const uses = await usesOf('TEN');
    const paid = await pay(id, transfer);
    const until = new Date(server.clock.now().getTime() + 10_080 * 60_000);
    expect(paid.body.data).toMatchObject({ status: 'action_required', order: null, order_token: null });
    expect(paid.body.data.reserved_until).toBe(until.toISOString());
    const { client_secret, publishable_key, redirect_url, ...payment } = paid.body.data.payment;
    expect([client_secret, publishable_key, redirect_url]).toEqual([null, null, null]);
    expect(payment).toMatchObject({ amount: 17.5, status: 'action_required', order_id: null, instructions: 'IBAN 1' });
    expect(payment).toMatchObject({ reference: `PAY-${payment.id}`, due_on: until.toISOString().slice(0, 10) });
    expect([await stockOf(product), await usesOf('TEN')]).toEqual([8, uses + 1]);
    expect((await pay(id, transfer)).body.data).toEqual(paid.body.data);

    // Neither later prices nor later codes change it.
    await shop.commerce('PATCH', `/products/${product}`, { price: 99, name: 'Dear tea' });
    const shown = await cartAt(id);
    expect(shown).toMatchObject({ status: 'paying', total: 17.5, payment, reserved_until: until.toISOString() });
    expect(shown.lines).toMatchObject([{ name: 'Tea', price: 10, discount: 2.5 }]);
    expect((await shop.commerce('GET', `/customers/${buyer}/orders`)).body.data).toEqual([]);
    expect((await shop.commerce('GET', `/customers/${buyer}/loyalty`)).body.data.current_balance).toBe(100);

    const placed = await post(id, 'place');
    expect(placed.body.data).toMatchObject({ total: 17.5, promo_code: 'TEN', points_redeemed: 50, cart_id: id });
    expect(placed.body.data.items).toMatchObject([{ product_name: 'Tea', qty: 2, price: 10 }]);
    expect([await stockOf(product), await usesOf('TEN')]).toEqual([8, uses + 1]);
    const loyalty = (await shop.commerce('GET', `/customers/${buyer}/loyalty`)).body.data;
    expect(loyalty.current_balance).toBe(50 + 17);
    const confirmed = (await post(id, 'confirm')).body.data;
    expect(confirmed).toMatchObject({ status: 'placed', payment: { id: payment.id, order_id: placed.body.data.id } });
    expect((await post(id, 'place')).body.data).toEqual(placed.body.data);
  });

  test('says so in an event, and announces the order once it is placed', async () => {
    const { id } = await ready({ first_name: 'Kim' });
    await pay(id, transfer);
    const events = () =>
      server.rows<{ topic: string; payload: Record<string, unknown> }>(
        "select topic, payload from outbox where payload ->> 'cart_id' = $1 order by id",
        [String(id)],
      );
    const [, pending] = await events();
    expect(pending).toMatchObject({ topic: 'payment_pending', payload: { amount: 20, method: 'Transfer' } });
    expect(pending!.payload).toMatchObject({ first_name: 'Kim', instructions: 'IBAN 1', currency: 'USD' });
    expect(pending!.payload).not.toHaveProperty('customer_id');
    await post(id, 'place');
    expect((await events()).map(({ topic }) => topic)).toEqual(['checkout_started', 'payment_pending', 'order_placed']);
  });

  test('is changed only after it was reopened, which gives everything back', async () => {
    const buyer = await newCustomer(100);
    const { id, product } = await ready({ customer_id: buyer, promo_code: 'TEN', redeem_points: 50 });
    const uses = await usesOf('TEN');
    const { payment } = (await pay(id, transfer)).body.data;
    expect(reasonOf(await shop.commerce('PATCH', `/carts/${id}`, { note: 'x' }))).toEqual([422, 'cart_not_open']);
    expect(reasonOf(await shop.commerce('DELETE', `/carts/${id}`))).toEqual([422, 'cart_not_open']);
    const other = await pay(id, cash);
    expect(reasonOf(other)).toEqual([422, 'payment_in_progress']);
    expect(other.body.error!.details.payment_id).toBe(payment.id);
    const opened = await post(id, 'reopen');
    const nothing = { order: null, order_token: null, payment: null, reserved_until: null };
    expect(opened.body.data).toEqual({ status: 'open', ...nothing });
    expect((await post(id, 'reopen')).body.data).toEqual(opened.body.data);
    expect((await post(id, 'confirm')).body.data).toEqual(opened.body.data);
    expect([await stockOf(product), await usesOf('TEN')]).toEqual([10, uses]);
    expect(await cartAt(id)).toMatchObject({ status: 'open', payment: null, reserved_until: null });
    const [row] = await server.rows('select status from payments where id = $1', [payment.id]);
    expect(row).toEqual({ status: 'cancelled' });
    expect((await shop.commerce('PATCH', `/carts/${id}`, { note: 'x' })).status).toBe(200);
    expect((await pay(id, cash)).body.data.status).toBe('placed');
  });

  test('two tabs begin one payment', async () => {
    const { id, product } = await ready();
    const both = await Promise.all([pay(id, transfer), pay(id, transfer), pay(id, cash)]);
    const other = both.pop()!;
    const states = both.map(({ body }) => body.data.status);
    // Whichever came first.
    if (other.status === 200) expect(states).toEqual(['placed', 'placed']);
    else {
      expect([states, reasonOf(other)]).toEqual([
        ['action_required', 'action_required'],
        [422, 'payment_in_progress'],
      ]);
      expect(both[0]!.body.data).toEqual(both[1]!.body.data);
    }
    expect(await stockOf(product)).toBe(8);
  });

  test('ends in time, whoever the buyer is and however many there are', async () => {
    const buyer = await newCustomer(100);
    const carts = [
      await ready({ customer_id: buyer, promo_code: 'TEN', redeem_points: 50 }),
      await ready(),
      await ready(),
    ];
    const uses = await usesOf('TEN');
    for (const { id } of carts) await pay(id, transfer);
    const before = server.clock.now();
    const release = releaseOverdueCarts({ db: server.app.db, clock: server.clock, log: server.app.log });
    const released = async (): Promise<number> => (await release(null)).done;
    const own = () => Promise.all(carts.map(async ({ id }) => (await cartAt(id)).status));
    await released();
    expect(await own()).toEqual(['paying', 'paying', 'paying']);
    server.clock.set(new Date(before.getTime() + 10_080 * 60_000));
    while ((await released()) > 0);
    expect(await own()).toEqual(['open', 'open', 'open']);
    expect(await Promise.all(carts.map(({ product }) => stockOf(product)))).toEqual([10, 10, 10]);
    expect(await usesOf('TEN')).toBe(uses);
    server.clock.set(before);
  });

  test('of a guest creates no customer before the order', async () => {
    const email = newEmail();
    const { id } = await ready({ email, customer_id: null });
    const found = async () => (await shop.commerce('GET', `/customers?search=${email}`)).body.data.length;
    await pay(id, transfer);
    expect(await found()).toBe(0);
    await post(id, 'place');
    expect(await found()).toBe(1);
  });
});

test('nothing to pay needs no method, and places the order', async () => {
  for (const method of [null, transfer]) {
    const { id } = await ready({ promo_code: 'FREE' });
    const { status, body } = await pay(id, method);
    expect([status, body.data.status, body.data.payment, body.data.order.total]).toEqual([200, 'placed', null, 0]);
  }
  const { id } = await ready();
  expect((await pay(id, null)).body.error!.details.fields).toMatchObject([{ field: 'method_id', code: 'required' }]);
});

test('a code is used by reservations as by orders, for each buyer', async () => {
  const email = newEmail();
  const guest = { email, customer_id: null };
  const first = await ready({ ...guest, promo_code: 'ONCE' });
  expect((await pay(first.id, transfer)).status).toBe(200);
  const second = await ready({ ...guest, promo_code: 'ONCE' });
  expect(reasonOf(await pay(second.id, transfer))).toEqual([422, 'promo_customer_limit']);
  expect(reasonOf(await pay(second.id, cash))).toEqual([422, 'promo_customer_limit']);
  const opened = await ready({ ...guest, promo_code: 'FIRST' });
  expect(reasonOf(await pay(opened.id, transfer))).toEqual([422, 'promo_not_applicable']);
  // The same person opens an account.
  const customer = await made('/customers', { email });
  const order = { customer_id: customer.id, items: [{ product_id: first.product, qty: 1 }], ...ADDRESS };
  const ordered = await shop.commerce('POST', '/orders', { ...order, promo_code: 'ONCE' });
  expect(reasonOf(ordered)).toEqual([422, 'promo_customer_limit']);
  const signedIn = await ready({ customer_id: customer.id, promo_code: 'ONCE' });
  expect(reasonOf(await pay(signedIn.id, transfer))).toEqual([422, 'promo_customer_limit']);
  await post(first.id, 'reopen');
  expect((await pay(signedIn.id, transfer)).status).toBe(200);
  expect(reasonOf(await pay(second.id, transfer))).toEqual([422, 'promo_customer_limit']);
});

test('a code is used once by a new guest in several tabs, some of which reserve and some of which order', async () => {
  for (const promo_code of ['ONCE', 'FIRST']) {
    const carts = await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const { id } = await ready({ email: `tabs-${promo_code}-${i % 8}@example.com`, customer_id: null, promo_code });
        return id;
      }),
    );
    const paid = await Promise.all(carts.map((id, i) => pay(id, i < 8 || i % 2 === 0 ? transfer : cash)));
    const used = Array.from(
      { length: 8 },
      (_, n) => paid.filter(({ status }, i) => i % 8 === n && status === 200).length,
    );
    expect([promo_code, used]).toEqual([promo_code, [1, 1, 1, 1, 1, 1, 1, 1]]);
  }
});

test('reserved points can be neither spent elsewhere nor taken away', async () => {
  const buyer = await newCustomer(100);
  const { id } = await ready({ customer_id: buyer, redeem_points: 80 });
  await pay(id, transfer);
  const other = await ready({ customer_id: buyer, redeem_points: 30 });
  const refused = await pay(other.id, cash);
  expect([reasonOf(refused), refused.body.error!.details.available]).toEqual([[422, 'insufficient_points'], 20]);
  const taken = await shop.commerce('POST', `/customers/${buyer}/loyalty/adjust`, { points: -30 });
  expect(reasonOf(taken)).toEqual([422, 'insufficient_points']);
  expect((await shop.commerce('POST', `/customers/${buyer}/loyalty/adjust`, { points: -20 })).status).toBe(200);
  expect((await post(id, 'place')).status).toBe(200);
});

test('a cart is refused by the first reason: what it lacks, the method, the order, the total', async () => {
  const empty = (await made('/carts', {})).id;
  const lacking = await pay(empty, 999_999);
  expect([reasonOf(lacking), lacking.body.error!.details.missing.length]).toEqual([[422, 'cart_not_ready'], 5]);
  const product = await newProduct({ price: 300 });
  const lines = [{ product_id: product, qty: 2 }];
  const { id } = await made('/carts', { lines, email: newEmail(), ...ADDRESS });
  expect(reasonOf(await pay(id, 999_999))).toEqual([422, 'payment_method_unavailable']);
  expect(reasonOf(await pay(id, cash, { expected_total: 1 }))).toEqual([422, 'payment_method_unavailable']);
  const changed = await pay(id, transfer, { expected_total: 599.5 });
  expect([reasonOf(changed), changed.body.error!.details.total]).toEqual([[422, 'total_changed'], 600]);
  await shop.commerce('PATCH', `/products/${product}`, { stock_qty: 1 });
  expect(reasonOf(await pay(id, transfer, { expected_total: 1 }))).toEqual([422, 'insufficient_stock']);
  await shop.commerce('PATCH', `/payment-methods/${transfer}`, { active: false });
  expect(reasonOf(await pay(id, transfer))).toEqual([422, 'payment_method_unavailable']);
  await shop.commerce('PATCH', `/payment-methods/${transfer}`, { active: true });
  await shop.commerce('PATCH', `/products/${product}`, { stock_qty: 2 });
  expect((await pay(id, till, { expected_total: 600 })).body.data.status).toBe('placed');
  expect((await shop.commerce('POST', '/carts/999999/pay', {})).status).toBe(404);
  const cancelled = (await made('/carts', {})).id;
  await shop.commerce('DELETE', `/carts/${cancelled}`);
  expect(reasonOf(await pay(cancelled, cash))).toEqual([422, 'cart_not_open']);
});

test('who is paying is not erased, and a merged customer goes on paying', async () => {
  const [from, into] = [await newCustomer(100), await newCustomer(5)];
  const { id } = await ready({ customer_id: from, redeem_points: 60 });
  await pay(id, transfer);
  expect(reasonOf(await shop.commerce('DELETE', `/customers/${from}`))).toEqual([422, 'payment_in_progress']);
  await made(`/customers/${into}/merge`, { from });
  expect((await post(id, 'place')).body.data).toMatchObject({ customer_id: into, points_redeemed: 60 });
  const email = newEmail();
  const guest = await ready({ email, customer_id: null });
  const known = await made('/customers', { email });
  await pay(guest.id, transfer);
  expect(reasonOf(await shop.commerce('DELETE', `/customers/${known.id}`))).toEqual([422, 'payment_in_progress']);
  await post(guest.id, 'reopen');
  expect((await shop.commerce('DELETE', `/customers/${known.id}`)).status).toBe(200);
});

test('a customer is not erased while a payment of theirs begins', async () => {
  const buyer = await newCustomer();
  const { id, product } = await ready({ customer_id: buyer });
  const [paid, erased] = await server.app.db.tx(async (tx) => {
    await tx.query(sql`select from product_stock where product_id = ${product} for update`);
    const paying = pay(id, transfer);
    await expect.poll(() => server.lockWaits()).toBe(1);
    const erasing = shop.commerce('DELETE', `/customers/${buyer}`);
    await Promise.race([erasing, expect.poll(() => server.lockWaits()).toBe(2)]);
    return [paying, erasing];
  });
  expect((await paid).body.data.status).toBe('action_required');
  expect(reasonOf(await erased)).toEqual([422, 'payment_in_progress']);
  await post(id, 'reopen');
  expect((await shop.commerce('DELETE', `/customers/${buyer}`)).status).toBe(200);
  expect(await cartAt(id)).toMatchObject({ status: 'cancelled', shipping_address: '' });
});

test('a guest whose contact is erased goes on paying', async () => {
  const email = newEmail();
  const { id } = await ready({ email, customer_id: null });
  const open = await ready({ email, customer_id: null });
  await pay(id, transfer);
  const { contact_id } = (await shop.marketing('POST', '/contacts', { email })).body;
  expect((await shop.marketing('DELETE', `/contacts/${contact_id}`)).status).toBe(200);
  expect(await cartAt(open.id)).toMatchObject({ status: 'cancelled', email: null, shipping_address: '' });
  expect((await post(id, 'place')).body.data).toMatchObject({ shipping_address: '1 Main St', guest: true });
});

test('what a payment has become is told as long as it changes', async () => {
  const carts = await Promise.all(Array.from({ length: 30 }, () => ready()));
  for (const { id } of carts) await pay(id, transfer);
  const told = await Promise.all(
    carts.flatMap(({ id }) => [
      ...Array.from({ length: 4 }, () => post(id, 'confirm')),
      post(id, 'place').then(() => post(id, 'confirm')),
      ...Array.from({ length: 4 }, () => pay(id, transfer)),
    ]),
  );
  const states = new Set(told.map(({ body }) => body.data.status));
  expect(states.has('open')).toBe(false);
});

test('people who take an order leave entries in the audit log', async () => {
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const { id } = await ready();
  const ask = (action: string, body: object = {}) =>
    owner.ask('POST', `/${shop.company_id}/carts/${id}/${action}`, body);
  for (const [action, body] of [
    ['pay', { method_id: transfer }],
    ['pay', { method_id: transfer }],
    ['reopen', {}],
    ['place', {}],
  ] as const) {
    expect([action, (await ask(action, body)).status]).toEqual([action, 200]);
  }
  const entries = await server.rows('select action from audit_log where target = $1 order by id', [`cart:${id}`]);
  expect(entries).toHaveLength(4);
});
