import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ described: true });

const worker = () => server.app.workers.find((one) => one.name === 'renewals')!;

/** Runs the worker until nothing is due. */
async function settle(): Promise<void> {
  while ((await worker().runOnce()) > 0);
}

beforeEach(() => server.clock.set('2026-01-31T12:00:00.000Z'));

const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_state: 'IL',
  shipping_zip: '12345',
  shipping_country: 'US',
};

async function setUp(options: { stock?: number } = {}) {
  const shop = await server.company();
  const product = await shop.commerce('POST', '/products', {
    name: 'Coffee',
    price: 12.5,
    stock_qty: options.stock ?? 1000,
    subscription_enabled: true,
  });
  const customer = await shop.commerce('POST', '/customers', {
    email: 'ada@example.com',
    first_name: 'Ada',
    ...ADDRESS,
  });
  return { shop, product: Number(product.body.data!.id), customer: Number(customer.body.data!.id) };
}

async function subscribe(set: Awaited<ReturnType<typeof setUp>>, fields: object = {}) {
  const body = { customer_id: set.customer, product_id: set.product, frequency_id: 3, ...fields };
  return set.shop.commerce('POST', '/subscriptions', body);
}

const ordersOf = async (shop: TestCompany, id: number) =>
  (await shop.commerce('GET', `/subscriptions/${id}/orders?per_page=100`)).body.data!;

describe('POST /subscriptions', () => {
  test('starts today at the present price, shipped to the default address', async () => {
    const set = await setUp();
    const made = await subscribe(set);
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: expect.any(Number),
      customer_id: set.customer,
      product_id: set.product,
      frequency_id: 3,
      frequency_name: 'Monthly',
      quantity: 1,
      price: 12.5,
      status: 'active',
      next_billing_date: '2026-01-31',
      ...ADDRESS,
      resume_on: null,
      pause_reason: null,
      saved_method_id: null,
      payment_attempts: 0,
      cancelled_at: null,
      cancel_reason: null,
      created_at: '2026-01-31T12:00:00.000Z',
      updated_at: '2026-01-31T12:00:00.000Z',
    });
    expect((await set.shop.commerce('GET', `/subscriptions/${made.body.data!.id}`)).body.data).toEqual(made.body.data);
    const [event] = await server.rows<{ topic: string; payload: object }>(
      "select topic, payload from outbox where company_id = $1 and topic like 'sub%'",
      [set.shop.company_id],
    );
    expect(event).toMatchObject({
      topic: 'subscription_created',
      payload: { email: 'ada@example.com', subscription_id: String(made.body.data!.id), plan: 'Monthly' },
    });
  });

  test('names every failing field', async () => {
    const set = await setUp();
    const plain = (await set.shop.commerce('POST', '/products', { name: 'Mug', price: 1 })).body.data!.id;
    const homeless = (await set.shop.commerce('POST', '/customers', { email: 'b@example.com' })).body.data!.id;
    const response = await subscribe(set, {
      customer_id: homeless,
      product_id: plain,
      frequency_id: 99,
      start_date: '2026-01-30',
    });
    expect(response.status).toBe(422);
    const fields = response.body.error!.details!.fields!.map((field: { field: string }) => field.field);
    expect(fields).toEqual([
      'product_id',
      'frequency_id',
      'start_date',
      'shipping_address',
      'shipping_city',
      'shipping_zip',
    ]);
  });

  test('ships to the address given as a whole, never to a mixture with the default one', async () => {
    const set = await setUp();
    const given = { shipping_address: '2 Elm St', shipping_city: 'Bern', shipping_zip: '3000', shipping_country: 'CH' };
    expect((await subscribe(set, given)).body.data).toMatchObject({ ...given, shipping_state: '' });
    for (const part of [{ shipping_country: 'CH' }, { shipping_state: 'IL' }, { shipping_city: 'Bern' }]) {
      const { status, body } = await subscribe(set, part);
      expect(status).toBe(422);
      const missing = ['shipping_address', 'shipping_city', 'shipping_zip'].filter((field) => !(field in part));
      expect(body.error!.details!.fields).toEqual(
        missing.map((field) => ({ field, code: 'required', message: `${field} is required` })),
      );
    }
    const nobody = await subscribe(set, { customer_id: 999_999 });
    expect(nobody.body.error!.details!.fields.map((one: { field: string }) => one.field)).toEqual(['customer_id']);
  });

  test('seven frequencies are there from the start', async () => {
    const { shop } = await setUp();
    const { body } = await shop.commerce('GET', '/subscription-frequencies');
    expect(body.data!.map((one: { id: number; name: string }) => [one.id, one.name])).toEqual([
      [1, 'Weekly'],
      [2, 'Every 2 weeks'],
      [3, 'Monthly'],
      [4, 'Every 2 months'],
      [5, 'Every 3 months'],
      [6, 'Every 6 months'],
      [7, 'Yearly'],
    ]);
  });
});

describe('renewal', () => {
  test('makes the order at the agreed price, once per date, and clamps to the ends of months', async () => {
    const set = await setUp();
    const { id } = (await subscribe(set, { quantity: 2 })).body.data! as unknown as { id: number };
    await set.shop.commerce('PATCH', `/products/${set.product}`, { price: 99 });
    await settle();
    await settle();
    const dates: unknown[] = [];
    for (const day of ['2026-02-28', '2026-03-31', '2026-04-30']) {
      const { body } = await set.shop.commerce('GET', `/subscriptions/${id}`);
      dates.push(body.data!.next_billing_date);
      server.clock.set(`${day}T00:00:00.000Z`);
      await settle();
    }
    expect(dates).toEqual(['2026-02-28', '2026-03-31', '2026-04-30']);
    const orders = await ordersOf(set.shop, id);
    expect(orders).toHaveLength(4);
    expect(orders[0]).toMatchObject({
      subtotal: 25,
      is_subscription: true,
      subscription_id: id,
      status: 'pending',
      shipping_city: 'Springfield',
    });
    const cycles = await server.rows<{ date: string }>(
      'select cycle_date::text as date from subscription_cycles where subscription_id = $1 order by 1',
      [id],
    );
    expect(cycles.map((cycle) => cycle.date)).toEqual(['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']);
    const listed = await set.shop.commerce('GET', '/orders?is_subscription=true');
    expect(listed.body.meta!.pagination!.total).toBe(4);
    const { body: points } = await set.shop.commerce('GET', `/customers/${set.customer}/loyalty`);
    expect(points.data!.current_balance).toBe(100);
    const [told] = await server.rows(
      `select count(*) filter (where topic = 'subscription_renewed')::int as renewed,
         count(*) filter (where topic = 'order_placed' and (payload ->> 'is_subscription')::boolean)::int as placed
       from outbox where company_id = $1`,
      [set.shop.company_id],
    );
    expect(told).toEqual({ renewed: 4, placed: 4 });
  });

  test('after three weeks of standstill there is one order, and the next date is after today', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set, { frequency_id: 1 })).body.data!.id);
    server.clock.set('2026-02-20T12:00:00.000Z');
    await settle();
    expect(await ordersOf(set.shop, id)).toHaveLength(1);
    expect((await set.shop.commerce('GET', `/subscriptions/${id}`)).body.data!.next_billing_date).toBe('2026-02-21');
  });

  test('not enough stock: three daily retries, then the date is skipped; stock in time renews', async () => {
    const set = await setUp({ stock: 0 });
    const id = Number((await subscribe(set)).body.data!.id);
    const status = async () => (await set.shop.commerce('GET', `/subscriptions/${id}`)).body.data!;
    for (const [day, attempts] of [
      ['2026-01-31', 1],
      ['2026-02-01', 2],
      ['2026-02-02', 3],
    ] as const) {
      server.clock.set(`${day}T12:00:00.000Z`);
      await settle();
      expect(await status()).toMatchObject({ status: 'past_due', next_billing_date: '2026-01-31' });
      const [row] = await server.rows<{ attempts: number }>('select attempts from subscriptions where id = $1', [id]);
      expect(row!.attempts).toBe(attempts);
    }
    server.clock.set('2026-02-03T12:00:00.000Z');
    await settle();
    expect(await status()).toMatchObject({ status: 'active', next_billing_date: '2026-02-28' });
    const { body } = await set.shop.commerce('GET', `/subscriptions/${id}/history`);
    expect(body.data!.map((entry: { type: string; message: string }) => [entry.type, entry.message])).toEqual([
      ['created', null],
      ...[1, 2, 3].map((n) => ['past_due', `attempt ${n} for 2026-01-31: not enough stock`]),
      ['skipped', '2026-01-31: insufficient_stock'],
    ]);
    const topics = await server.rows<{ topic: string }>(
      "select topic from outbox where company_id = $1 and topic like 'subscription_%' order by id",
      [set.shop.company_id],
    );
    expect(topics.map((row) => row.topic)).toEqual([
      'subscription_created',
      ...Array(3).fill('subscription_past_due'),
      'subscription_skipped',
      'subscription_scheduled',
    ]);
    server.clock.set('2026-02-28T12:00:00.000Z');
    await settle();
    await set.shop.commerce('PATCH', `/products/${set.product}`, { stock_qty: 5 });
    server.clock.set('2026-03-01T00:00:00.000Z');
    await settle();
    expect(await status()).toMatchObject({ status: 'active', next_billing_date: '2026-03-31' });
    expect(await ordersOf(set.shop, id)).toHaveLength(1);
  });

  test('an archived product or an erased customer pauses with the reason', async () => {
    const set = await setUp();
    const first = Number((await subscribe(set)).body.data!.id);
    await set.shop.commerce('PATCH', `/products/${set.product}`, { archived: true });
    await settle();
    expect((await set.shop.commerce('GET', `/subscriptions/${first}`)).body.data).toMatchObject({
      status: 'paused',
      pause_reason: 'product_archived',
    });
    await set.shop.commerce('PATCH', `/products/${set.product}`, { archived: false });
    const second = Number((await subscribe(set)).body.data!.id);
    await server.rows('update customers set erased_at = now(), email = null where id = $1', [set.customer]);
    await settle();
    expect((await set.shop.commerce('GET', `/subscriptions/${second}`)).body.data).toMatchObject({
      status: 'paused',
      pause_reason: 'customer_erased',
    });
    expect(await ordersOf(set.shop, second)).toHaveLength(0);
  });
});

describe('changes', () => {
  test('a new date re-anchors, a new frequency keeps the date', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set, { start_date: '2026-02-10' })).body.data!.id);
    const patch = (body: object) => set.shop.commerce('PATCH', `/subscriptions/${id}`, body);
    const upcoming = async () => (await set.shop.commerce('GET', `/subscriptions/${id}/upcoming`)).body.data!;
    await patch({ next_billing_date: '2026-03-31' });
    expect((await upcoming()).following_dates).toEqual(['2026-04-30', '2026-05-31', '2026-06-30']);
    await patch({ frequency_id: 1 });
    expect(await upcoming()).toMatchObject({
      scheduled_date: '2026-03-31',
      following_dates: ['2026-04-07', '2026-04-14', '2026-04-21'],
    });
    await patch({ next_billing_date: '2026-12-31', frequency_id: 3 });
    await set.shop.commerce('POST', `/subscriptions/${id}/skip`);
    await set.shop.commerce('POST', `/subscriptions/${id}/skip`);
    await patch({ frequency_id: 4 });
    expect(await upcoming()).toMatchObject({
      scheduled_date: '2027-02-28',
      following_dates: ['2027-04-30', '2027-06-30', '2027-08-31'],
    });
    expect((await patch({ next_billing_date: '2026-01-30' })).status).toBe(422);
    expect((await patch({ frequency_id: 77 })).status).toBe(422);
    expect((await patch({ quantity: 0 })).status).toBe(422);
    expect((await patch({ quantity: 3 })).body.data!.quantity).toBe(3);
  });

  test('another product at its present price, and another address, come with the next order', async () => {
    const set = await setUp();
    const { id } = (await subscribe(set, { frequency_id: 1, start_date: '2026-02-07' })).body.data!;
    const change = (body: object) => set.shop.commerce('PATCH', `/subscriptions/${id}`, body);
    const made = async (fields: object) => Number((await set.shop.commerce('POST', '/products', fields)).body.data!.id);
    const tea = await made({ name: 'Tea', price: 8, stock_qty: 9, subscription_enabled: true });
    const cup = await made({ name: 'Cup', price: 8, stock_qty: 9 });
    const refusals = [{ product_id: cup }, { product_id: 999_999 }, { shipping_country: 'Atlantis' }];
    for (const refused of refusals) expect((await change(refused)).status).toBe(422);
    await set.shop.commerce('PATCH', `/products/${tea}`, { price: 9 });
    const moved = {
      shipping_address: '2 Side St',
      shipping_city: 'Oslo',
      shipping_zip: '0150',
      shipping_country: 'NO',
    };
    const changed = await change({ product_id: tea, ...moved, shipping_state: '' });
    const after = { product_id: tea, price: 9, quantity: 1, ...moved, shipping_state: '' };
    expect(changed.body.data).toMatchObject(after);
    // The price stays: the same product is no change.
    await set.shop.commerce('PATCH', `/products/${tea}`, { price: 11 });
    expect((await change({ product_id: tea, shipping_city: 'Oslo', quantity: 2 })).body.data!.price).toBe(9);
    const history = (await set.shop.commerce('GET', `/subscriptions/${id}/history`)).body.data!;
    expect(history.map((one: { message: string }) => one.message)).toEqual([
      null,
      `shipping address, product_id: ${tea}`,
      'quantity: 2',
    ]);
    server.clock.set('2026-02-07T12:00:00.000Z');
    await settle();
    expect(await ordersOf(set.shop, id)).toMatchObject([{ ...moved, items: [{ product_id: tea, qty: 2, price: 9 }] }]);
  });

  test('a date that is over cannot be billed again', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set)).body.data!.id);
    await settle();
    const again = await set.shop.commerce('PATCH', `/subscriptions/${id}`, { next_billing_date: '2026-01-31' });
    expect([again.status, again.body.error!.details!.fields![0]!.field]).toEqual([422, 'next_billing_date']);
  });

  test('skip leaves one date out and keeps the anchor', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set)).body.data!.id);
    const skipped = await set.shop.commerce('POST', `/subscriptions/${id}/skip`);
    expect(skipped.body.data).toMatchObject({ status: 'active', next_billing_date: '2026-02-28' });
    expect((await set.shop.commerce('POST', `/subscriptions/${id}/skip`)).body.data!.next_billing_date).toBe(
      '2026-03-31',
    );
    await settle();
    expect(await ordersOf(set.shop, id)).toHaveLength(0);
  });

  test('pause stops renewals; resuming skips the missed ones, by hand and by date', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set, { frequency_id: 1 })).body.data!.id);
    const post = (path: string, body?: object) => set.shop.commerce('POST', `/subscriptions/${id}/${path}`, body);
    expect((await post('pause', { resume_on: '2026-01-31' })).status).toBe(422);
    expect((await post('pause')).body.data).toMatchObject({ status: 'paused', resume_on: null });
    server.clock.set('2026-02-10T12:00:00.000Z');
    await settle();
    expect(await ordersOf(set.shop, id)).toHaveLength(0);
    expect((await set.shop.commerce('GET', `/subscriptions/${id}/upcoming`)).status).toBe(404);
    expect((await post('resume')).body.data).toMatchObject({ status: 'active', next_billing_date: '2026-02-14' });
    await post('pause', { resume_on: '2026-03-01' });
    server.clock.set('2026-03-01T00:00:00.000Z');
    await settle();
    expect((await set.shop.commerce('GET', `/subscriptions/${id}`)).body.data).toMatchObject({
      status: 'active',
      next_billing_date: '2026-03-07',
    });
  });

  test('cancel ends at once and for good; cancelling again changes nothing', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set)).body.data!.id);
    const cancel = (reason: string) => set.shop.commerce('POST', `/subscriptions/${id}/cancel`, { reason });
    const cancelled = await cancel('too much coffee');
    expect(cancelled.body.data).toMatchObject({
      status: 'cancelled',
      next_billing_date: null,
      cancel_reason: 'too much coffee',
      cancelled_at: '2026-01-31T12:00:00.000Z',
    });
    expect((await cancel('other')).body.data).toEqual(cancelled.body.data);
    for (const [method, path, body] of [
      ['PATCH', '', { quantity: 2 }],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
      ['POST', '/skip', undefined],
    ] as const) {
      const refused = await set.shop.commerce(method, `/subscriptions/${id}${path}`, body);
      expect([refused.status, refused.body.error!.details!.reason]).toEqual([422, 'subscription_not_modifiable']);
    }
    const upcoming = await set.shop.commerce('GET', `/subscriptions/${id}/upcoming`);
    expect([upcoming.status, upcoming.body.error!.details!.reason]).toEqual([404, 'no_upcoming_order']);
    await settle();
    expect(await ordersOf(set.shop, id)).toHaveLength(0);
  });
});

describe('GET /subscriptions/{id}/upcoming', () => {
  test('is the order that then comes, also when the stock is short', async () => {
    const set = await setUp({ stock: 1 });
    const id = Number((await subscribe(set, { quantity: 3 })).body.data!.id);
    const short = (await set.shop.commerce('GET', `/subscriptions/${id}/upcoming`)).body.data!;
    expect(short).toMatchObject({
      in_stock: false,
      warnings: ['insufficient_stock'],
      total: 37.5,
      scheduled_date: '2026-01-31',
    });
    await set.shop.commerce('PATCH', `/products/${set.product}`, { stock_qty: 10 });
    const preview = (await set.shop.commerce('GET', `/subscriptions/${id}/upcoming`)).body.data!;
    expect(preview).toMatchObject({ in_stock: true, warnings: [] });
    await settle();
    const [order] = (await ordersOf(set.shop, id)) as unknown as Record<string, unknown>[];
    for (const field of [
      'subtotal',
      'discount',
      'tax',
      'shipping',
      'total',
      'shipping_city',
      'shipping_country',
    ] as const) {
      expect(preview[field], field).toEqual(order![field]);
    }
  });
});

describe('GET /subscriptions', () => {
  test('lists the newest first, by customer and by status', async () => {
    const set = await setUp();
    const other = await set.shop.commerce('POST', '/customers', { email: 'grace@example.com', ...ADDRESS });
    const ids: number[] = [];
    for (const customer_id of [set.customer, set.customer, Number(other.body.data!.id)]) {
      ids.push(Number((await subscribe(set, { customer_id })).body.data!.id));
    }
    await set.shop.commerce('POST', `/subscriptions/${ids[0]}/cancel`, {});
    const list = async (query: string) => {
      const { body } = await set.shop.commerce('GET', `/subscriptions${query}`);
      return [body.data!.map((one: { id: number }) => one.id), body.meta!.pagination!.total];
    };
    expect(await list('')).toEqual([[ids[2], ids[1], ids[0]], 3]);
    expect(await list('?per_page=1&page=2')).toEqual([[ids[1]], 3]);
    expect(await list('?page=9')).toEqual([[], 3]);
    expect(await list(`?customer_id=${set.customer}`)).toEqual([[ids[1], ids[0]], 2]);
    expect(await list('?status=cancelled')).toEqual([[ids[0]], 1]);
    expect(await list(`?status=active&customer_id=${set.customer}`)).toEqual([[ids[1]], 1]);
    expect((await set.shop.commerce('GET', '/subscriptions?status=asleep')).status).toBe(400);
  });

  test('the history tells what happened, by whom and when, in order', async () => {
    const set = await setUp();
    const id = Number((await subscribe(set)).body.data!.id);
    server.clock.advance(60_000);
    await set.shop.commerce('POST', `/subscriptions/${id}/skip`);
    server.clock.advance(60_000);
    await set.shop.commerce('POST', `/subscriptions/${id}/cancel`, { reason: 'too much coffee' });
    const { body } = await set.shop.commerce('GET', `/subscriptions/${id}/history`);
    expect(body.data).toHaveLength(3);
    for (const entry of body.data!) expect(entry.actor).toBe('key:test');
    expect(body.data!.map((entry: { created_at: string }) => entry.created_at).sort()).toEqual([
      '2026-01-31T12:00:00.000Z',
      '2026-01-31T12:01:00.000Z',
      '2026-01-31T12:02:00.000Z',
    ]);
    expect(JSON.stringify(body.data)).toContain('too much coffee');
    expect((await set.shop.commerce('GET', '/subscriptions/999999/history')).status).toBe(404);
  });
});
