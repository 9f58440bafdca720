import { afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { random, rounds } from '../../testing/random/seed.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let transfer: number;
let cash: number;
let customer: number;
let tea: number;

const made = async (path: string, body: object) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const read = async (path: string) => (await shop.commerce('GET', path)).body.data;
const order = (fields: object = {}) =>
  made('/orders', { customer_id: customer, items: [{ product_id: tea, qty: 3 }], ...ADDRESS, ...fields });
const record = (id: number, body: object) => shop.commerce('POST', `/orders/${id}/payments`, body);
const refund = (id: number, body: object) => shop.commerce('POST', `/orders/${id}/refunds`, body);
const money = async (id: number) => {
  const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
  return [payment_status, paid, refunded, balance];
};
const lines = async (id: number) =>
  (await read(`/orders/${id}/ledger`)).entries.map(({ side, kind, amount }: Record<string, unknown>) => [
    side,
    kind,
    amount,
  ]);
const reasonOf = ({ status, body }: { status: number; body: { error?: { details: { reason?: string } } } }) => [
  status,
  body.error?.details.reason,
];
const stock = async () => (await read(`/products/${tea}`)).stock_qty;
/** Waits until transactions wait for locks of rows. */
const waiting = (count: number) =>
  expect
    .poll(() =>
      server.rows("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"),
    )
    .toHaveLength(count);
const events = async (type: string) =>
  (
    await server.rows<{ data: Record<string, unknown> }>(
      'select payload as data from outbox where topic = $1 order by id',
      [type],
    )
  ).map(({ data }) => data);

beforeAll(async () => {
  shop = await server.company();
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  cash = (await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true })).id;
  customer = (await made('/customers', { email: 'ann@example.com' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1_000 })).id;
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

test('an order without a payment has no ledger', async () => {
  const { id, ...rest } = await order();
  expect(rest).toMatchObject({ payment_status: 'none', paid: 0, refunded: 0, balance: null });
  expect(await read(`/orders/${id}/ledger`)).toEqual({
    charged: 0,
    paid: 0,
    refunded: 0,
    balance: null,
    payment_status: 'none',
    entries: [],
  });
  expect(await read(`/orders/${id}/payments`)).toEqual([]);
  expect(reasonOf(await shop.commerce('GET', '/orders/999999/payments'))[0]).toBe(404);
});

test('money is recorded for an order, in parts, and raises order_paid once', async () => {
  const { id } = await order();
  const first = await record(id, { method_id: transfer, amount: 12.5, reference: 'No. 7', received_on: '2026-01-02' });
  expect(first.status).toBe(201);
  expect(first.body.data).toMatchObject({
    order_id: id,
    amount: 12.5,
    captured: 12.5,
    status: 'paid',
    reference: 'No. 7',
  });
  expect(await money(id)).toEqual(['partially_paid', 12.5, 0, 17.5]);
  await record(id, { method_id: cash, amount: 20 });
  expect(await money(id)).toEqual(['paid', 32.5, 0, -2.5]);
  await record(id, { method_id: cash, amount: 1 });
  expect(await lines(id)).toEqual([
    ['charge', 'order', 30],
    ['payment', 'manual', 12.5],
    ['payment', 'manual', 20],
    ['payment', 'manual', 1],
  ]);
  const raised = (await events('order_paid')).filter(({ order_id }) => order_id === String(id));
  expect(raised).toMatchObject([{ total: 30, email: 'ann@example.com', items: [{ quantity: 3 }] }]);
  expect((await read('/orders?payment_status=paid')).map((one: { id: number }) => one.id)).toContain(id);
  expect((await read('/orders?payment_status=partially_paid')).map((one: { id: number }) => one.id)).not.toContain(id);
});

test('the same Idempotency-Key records money once', async () => {
  const { id } = await order();
  const send = () =>
    shop.commerce('POST', `/orders/${id}/payments`, { method_id: cash, amount: 10 }, { 'idempotency-key': 'once' });
  const both = await Promise.all([send(), send()]);
  expect(new Set(both.map(({ body }) => body.data.id)).size).toBe(1);
  expect(await money(id)).toEqual(['partially_paid', 10, 0, 20]);
});

test('money at the same moment is all counted', async () => {
  const { id } = await order();
  await Promise.all(Array.from({ length: 6 }, () => record(id, { method_id: cash, amount: 5 })));
  expect(await money(id)).toEqual(['paid', 30, 0, 0]);
  expect((await events('order_paid')).filter(({ order_id }) => order_id === String(id))).toHaveLength(1);
});

test('an order is placed with money that was received', async () => {
  const placed = await order({
    payments: [
      { method_id: cash, amount: 20 },
      { method_id: transfer, amount: 10 },
    ],
  });
  expect(placed).toMatchObject({ payment_status: 'paid', paid: 30, balance: 0 });
  expect(await money(placed.id)).toEqual(['paid', 30, 0, 0]);
  expect((await read(`/orders/${placed.id}/payments`)).map((one: { amount: number }) => one.amount)).toEqual([10, 20]);
  expect((await events('order_paid')).filter(({ order_id }) => order_id === String(placed.id))).toHaveLength(1);
  const both = await Promise.all([order({ payments: [{ method_id: cash, amount: 1 }] }), order(), order()]);
  expect(both.map(({ payment_status }) => payment_status)).toEqual(['partially_paid', 'none', 'none']);
});

test('recording payments needs their scope', async () => {
  const seller = await server.company({ scopes: ['orders:write'] });
  const place = (payments: object[]) =>
    seller.commerce('POST', '/orders', { customer_id: 1, items: [{ product_id: 1, qty: 1 }], payments, ...ADDRESS });
  const refused = await place([{ method_id: cash, amount: 10 }]);
  expect([refused.status, refused.body.error!.details.required]).toEqual([403, 'payments:write']);
  expect(reasonOf(await place([]))).toEqual([422, 'validation_failed']);
});

test('charging a saved method needs the same scope, because no customer takes part', async () => {
  const seller = await server.company({ scopes: ['carts:write'] });
  const refused = await seller.commerce('POST', '/carts/1/pay', { saved_method_id: 1 });
  expect([refused.status, refused.body.error!.details.required]).toEqual([403, 'payments:write']);
  expect((await seller.commerce('POST', '/carts/1/pay', { method_id: 1 })).status).toBe(404);
});

test.each([
  [{ amount: 0 }, 'validation_failed'],
  [{ amount: 1.005 }, 'validation_failed'],
  [{ received_on: '2999-01-01' }, 'validation_failed'],
  [{ method_id: 999_999 }, 'payment_method_unavailable'],
])('refuses to record %o', async (fields, reason) => {
  const { id } = await order();
  expect(reasonOf(await record(id, { method_id: cash, amount: 10, ...fields }))).toEqual([422, reason]);
  expect(await money(id)).toEqual(['none', 0, 0, null]);
});

test('a cart that awaits a transfer is placed with it', async () => {
  const cart = await made('/carts', { lines: [{ product_id: tea, qty: 3 }], customer_id: customer, ...ADDRESS });
  const { payment } = (await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: transfer })).body.data;
  const placed = await shop.commerce('POST', `/carts/${cart.id}/place`, {
    payments: [{ method_id: transfer, amount: 30, reference: 'Bank 1' }],
  });
  expect(placed.body.data).toMatchObject({ payment_status: 'paid', paid: 30, balance: 0 });
  expect(await read(`/payments/${payment.id}`)).toMatchObject({
    status: 'paid',
    captured: 30,
    order_id: placed.body.data.id,
    reference: payment.reference,
  });
  expect((await read(`/orders/${placed.body.data.id}/ledger`)).entries[1]).toMatchObject({ reference: 'Bank 1' });
});

test('money that is awaited by a method is recorded, also after the method was switched off', async () => {
  const post = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Post' })).id;
  const pay = async () => {
    const cart = await made('/carts', { lines: [{ product_id: tea, qty: 3 }], customer_id: customer, ...ADDRESS });
    await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: post });
    return cart.id;
  };
  const [first, second] = [await pay(), await pay()];
  const { id } = (await shop.commerce('POST', `/carts/${first}/place`)).body.data;
  await shop.commerce('PATCH', `/payment-methods/${post}`, { active: false });
  const all = { method_id: post, amount: 30 };
  expect((await record(id, all)).status).toBe(201);
  expect((await shop.commerce('POST', `/carts/${second}/place`, { payments: [all] })).body.data.balance).toBe(0);
  expect(reasonOf(await record(id, all))).toEqual([422, 'payment_method_unavailable']);
});

test('money is not recorded with a cart that was placed before', async () => {
  const cart = await made('/carts', { lines: [{ product_id: tea, qty: 3 }], customer_id: customer, ...ADDRESS });
  const place = (body?: object) => shop.commerce('POST', `/carts/${cart.id}/place`, body);
  const { id } = (await place()).body.data;
  expect((await place({ payments: [] })).body.data.id).toBe(id);
  const refused = await place({ payments: [{ method_id: cash, amount: 30 }] });
  expect(refused.body.error?.details).toMatchObject({ reason: 'cart_not_open', status: 'placed' });
});

test('a payment that is awaited can be cancelled, that of a cart with its reservation', async () => {
  const left = await stock();
  const cart = await made('/carts', { lines: [{ product_id: tea, qty: 3 }], customer_id: customer, ...ADDRESS });
  const { payment } = (await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: transfer })).body.data;
  const cancel = (id: number) => shop.commerce('POST', `/payments/${id}/cancel`);
  const cancelled = await cancel(payment.id);
  expect(cancelled.body.data).toMatchObject({ id: payment.id, status: 'cancelled' });
  expect(await read(`/payments/${payment.id}`)).toEqual(cancelled.body.data);
  expect([(await read(`/carts/${cart.id}`)).status, await stock()]).toEqual(['open', left]);
  expect(reasonOf(await cancel(payment.id))).toEqual([422, 'payment_not_awaited']);
  await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: transfer });
  const { id } = (await shop.commerce('POST', `/carts/${cart.id}/place`)).body.data;
  expect(await money(id)).toEqual(['pending', 0, 0, 30]);
  const [awaited] = await read(`/payments?status=action_required&order_id=${id}`);
  const day = Date.parse(awaited.due_on);
  const dueBefore = (time: number) =>
    read(`/payments?status=action_required&due_before=${new Date(time).toISOString().slice(0, 10)}`);
  expect(await dueBefore(day)).toEqual([]);
  expect(await dueBefore(day + 86_400_000)).toMatchObject([{ id: awaited.id }]);
  expect((await cancel(awaited.id)).body.data.status).toBe('cancelled');
  expect(await money(id)).toEqual(['failed', 0, 0, 30]);
});

test('an order is refunded by lines, to the stock or not, and by amount', async () => {
  const placed = await order({ payments: [{ method_id: cash, amount: 30 }] });
  const [line] = placed.items;
  const left = await stock();
  const first = await refund(placed.id, { lines: [{ line_id: line.id, qty: 2, restock: true }], reason: 'Torn' });
  expect(first.status).toBe(201);
  expect(first.body.data).toMatchObject({
    amount: 20,
    to: 'manual',
    reason: 'Torn',
    lines: [{ line_id: line.id, qty: 2, amount: 20, restocked: 2 }],
  });
  expect([await stock(), await money(placed.id)]).toEqual([left + 2, ['partially_refunded', 30, 20, 0]]);
  expect(await events('order_refunded')).toMatchObject([{ amount: 20, reason: 'Torn', order_id: String(placed.id) }]);
  const over = await refund(placed.id, { lines: [{ line_id: line.id, qty: 2 }] });
  expect(over.body.error?.details.fields).toMatchObject([{ field: 'lines.0.qty', code: 'out_of_range' }]);
  expect((await refund(placed.id, { amount: 10.01 })).body.error?.details).toMatchObject({
    reason: 'amount_too_large',
    available: 10,
  });
  expect((await refund(placed.id, { amount: 4, lines: [{ line_id: line.id, qty: 1 }] })).body.data.amount).toBe(4);
  expect((await refund(placed.id, { amount: 6 })).body.data.lines).toEqual([]);
  expect(await money(placed.id)).toEqual(['refunded', 30, 30, 0]);
  expect((await read(`/orders/${placed.id}/refunds`)).map((one: { amount: number }) => one.amount)).toEqual([6, 4, 20]);
  // The order is cancelled: only what no refund restocked returns.
  await shop.commerce('PATCH', `/orders/${placed.id}/status`, { status: 'cancelled' });
  expect(await stock()).toBe(left + 3);
});

test('refunds at the same moment give back at most what was received', async () => {
  const placed = await order({ payments: [{ method_id: cash, amount: 30 }] });
  const all = await Promise.all(Array.from({ length: 4 }, () => refund(placed.id, { amount: 10 })));
  expect(all.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 422]);
  expect(reasonOf(await refund(placed.id, { amount: 1 }))).toEqual([422, 'not_refundable']);
});

test.each([
  ['nothing', {}],
  ['a line of another order', { lines: [{ line_id: 999_999, qty: 1 }] }],
  ['more shipping than was charged', { shipping: 5 }],
  ['to a card', { amount: 1, to: 'original' }],
])('refuses a refund of %s', async (_what, body) => {
  const placed = await order({ payments: [{ method_id: cash, amount: 30 }] });
  expect(reasonOf(await refund(placed.id, body))).toEqual([422, 'validation_failed']);
  expect(await read(`/orders/${placed.id}/refunds`)).toEqual([]);
});

test('what was charged for shipping is given back once, as a part of the amount', async () => {
  const { id } = await order();
  await server.rows('update orders set shipping = 500, total = 3500 where id = $1', [id]);
  await record(id, { method_id: cash, amount: 35 });
  const fieldOf = async (body: object) => (await refund(id, body)).body.error?.details.fields?.[0].field;
  expect(await fieldOf({ amount: 1, shipping: 2 })).toBe('amount');
  expect((await refund(id, { shipping: 3 })).body.data).toMatchObject({ amount: 3, shipping: 3 });
  expect(await fieldOf({ shipping: 3 })).toBe('shipping');
});

test('orders are found by who owes money', async () => {
  const found = async (balance: string, of: number) =>
    (await read(`/orders?balance=${balance}&per_page=100`)).some(({ id }: { id: number }) => id === of);
  const placed = await order({ payments: [{ method_id: cash, amount: 12 }] });
  expect([await found('due', placed.id), await found('credit', placed.id)]).toEqual([true, false]);
  await record(placed.id, { method_id: cash, amount: 20 });
  expect([await found('due', placed.id), await found('credit', placed.id)]).toEqual([false, true]);
  await refund(placed.id, { amount: 2 });
  expect([await found('due', placed.id), await found('credit', placed.id)]).toEqual([false, false]);
});

test('money of a cancelled order is owed to its buyer until it is paid back', async () => {
  const placed = await order({ payments: [{ method_id: cash, amount: 12 }] });
  const cancelled = await shop.commerce('PATCH', `/orders/${placed.id}/status`, { status: 'cancelled' });
  expect(cancelled.body.data).toMatchObject({ payment_status: 'paid', balance: -12 });
  const line_id = placed.items[0].id;
  expect((await refund(placed.id, { lines: [{ line_id, qty: 1, restock: true }] })).status).toBe(422);
  await refund(placed.id, { amount: 12 });
  expect(await money(placed.id)).toEqual(['refunded', 12, 12, 0]);
});

test('money that arrives for an order that is cancelled is owed to its buyer', async () => {
  const { id } = await order();
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  expect((await record(id, { method_id: cash, amount: 30 })).status).toBe(201);
  expect(await money(id)).toEqual(['paid', 30, 0, -30]);
  expect((await events('order_paid')).filter(({ order_id }) => order_id === String(id))).toEqual([]);
});

test('the first money of an order and its cancellation meet: nothing stays charged', async () => {
  const { id } = await order();
  const cancel = () => shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  let both: Promise<unknown>[] = [];
  await server.app.db.tenantTx(shop.company_id, async (tx) => {
    await tx.query(sql`select from orders where id = ${id} for update`);
    both = [record(id, { method_id: cash, amount: 10 })];
    await waiting(1);
    both.push(cancel());
    await waiting(2);
  });
  await Promise.all(both);
  expect(await money(id)).toEqual(['paid', 10, 0, -10]);
});

test('an order is paid once, also after a refund', async () => {
  const { id } = await order({ payments: [{ method_id: cash, amount: 20 }] });
  await refund(id, { amount: 5 });
  await record(id, { method_id: cash, amount: 10 });
  expect(await money(id)).toEqual(['partially_refunded', 30, 5, 0]);
  await record(id, { method_id: cash, amount: 1 });
  expect((await events('order_paid')).filter(({ order_id }) => order_id === String(id))).toHaveLength(1);
});

test('whatever happens to orders at the same moment, their books balance', async () => {
  const choose = random(37);
  const pick = <T>(values: readonly T[]): T => values[choose(values.length)]!;
  const orders = await Promise.all(
    Array.from({ length: 4 }, (_, i) => order(i % 2 === 0 ? { payments: [{ method_id: cash, amount: 10 }] } : {})),
  );
  const left = await stock();
  const act = ({ id, items }: { id: number; items: { id: number }[] }): Promise<{ status: number }> =>
    pick([
      () => record(id, { method_id: pick([cash, transfer]), amount: pick([5, 10, 15]) }),
      () => refund(id, { amount: pick([1, 5, 12]) }),
      () => refund(id, { lines: [{ line_id: items[0]!.id, qty: 1, restock: pick([true, false]) }] }),
      () => shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' }),
    ])();
  for (let round = 0; round < rounds(5, 50); round++) {
    const results = await Promise.all(Array.from({ length: 10 }, () => act(pick(orders))));
    expect(results.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([]);
  }
  let returned = 0;
  for (const { id } of orders) {
    const refunds: { lines: { restocked: number }[] }[] = await read(`/orders/${id}/refunds?per_page=100`);
    const restocked = refunds.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.restocked, 0);
    returned += (await read(`/orders/${id}`)).status === 'cancelled' ? 3 : restocked;
  }
  expect(await stock()).toBe(left + returned);
});

test('money is recorded while the customer is merged or erased', async () => {
  for (let round = 0; round < rounds(3, 30); round++) {
    const [from, into] = [
      (await made('/customers', { email: `from${round}@example.com` })).id,
      (await made('/customers', { email: `into${round}@example.com` })).id,
    ];
    const { id } = await order({ customer_id: from, payments: [{ method_id: cash, amount: 12 }] });
    const change = () => [
      record(id, { method_id: cash, amount: 6, reference: 'Ann' }),
      refund(id, { amount: 3, reason: 'Ann' }),
    ];
    const first = [shop.commerce('POST', `/customers/${into}/merge`, { from }), ...change()];
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 201, 201]);
    const erased = await Promise.all([shop.commerce('DELETE', `/customers/${into}`), ...change()]);
    expect(erased.map(({ status }) => status)).toEqual([200, 201, 201]);
    expect((await read(`/orders/${id}`)).balance).toBe(6);
  }
  // What the requests left of the erasures.
  const worker = server.app.workers.find(({ name }) => name === 'erasures')!;
  while ((await worker.runOnce()) > 0);
});

test('the units of a line that was taken at several locations return to the first of them', async () => {
  const location_id = (await made('/locations', { name: 'Oslo', online: true, position: 2 })).id;
  const mug = (await made('/products', { name: 'Mug', price: 5, stock_qty: 2 })).id;
  await made('/inventory/adjustments', {
    lines: [{ product_id: mug, location_id, delta: 2 }],
  });
  const placed = await order({ items: [{ product_id: mug, qty: 4 }], payments: [{ method_id: cash, amount: 20 }] });
  const lineId = placed.items[0].id;
  const levels = async () => {
    const rows = await server.rows<{ at: string; n: number }>(
      `select case when location_id is null then 'main' else 'oslo' end as at, sum(delta)::int as n
       from stock_movements where product_id = $1 group by 1`,
      [mug],
    );
    return Object.fromEntries(rows.map(({ at, n }) => [at, n]));
  };
  expect(await levels()).toEqual({ main: 0, oslo: 0 });
  await refund(placed.id, { lines: [{ line_id: lineId, qty: 3, restock: true }] });
  expect(await levels()).toEqual({ main: 2, oslo: 1 });
  await refund(placed.id, { lines: [{ line_id: lineId, qty: 1, restock: true }] });
  expect(await levels()).toEqual({ main: 2, oslo: 2 });
});
