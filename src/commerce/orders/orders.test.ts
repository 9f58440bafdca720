import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { rounds } from '../../testing/random/seed.ts';

const server = testServer();

const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };

async function product(shop: TestCompany, fields: object = {}): Promise<number> {
  const made = await shop.commerce('POST', '/products', { name: 'Thing', price: 10, stock_qty: 100, ...fields });
  return Number(made.body.data!.id);
}

let people = 0;
async function customer(shop: TestCompany): Promise<number> {
  const made = await shop.commerce('POST', '/customers', { email: `person${++people}@example.com`, first_name: 'Ada' });
  expect(made.status).toBe(201);
  return Number(made.body.data!.id);
}

/** Places an order, and repeats it while a busy machine refuses it, as clients do. */
async function place(
  shop: TestCompany,
  customerId: number,
  items: [number, number][],
  rest: object = {},
  headers = {},
): Promise<TestResponse> {
  const lines = items.map(([product_id, qty]) => ({ product_id, qty }));
  const order = { customer_id: customerId, items: lines, ...ADDRESS, ...rest };
  const response = await shop.commerce('POST', '/orders', order, headers);
  const isRefused = response.body.error?.details?.reason === 'overloaded';
  return isRefused ? place(shop, customerId, items, rest, headers) : response;
}

const stockOf = async (shop: TestCompany, id: number) =>
  Number((await shop.commerce('GET', `/products/${id}/inventory`)).body.data!.stock_qty);

describe('POST /orders', () => {
  test('computes totals, takes stock, writes movements, history, points and the event', async () => {
    const shop = await server.company();
    const [a, b, buyer] = [
      await product(shop),
      await product(shop, { name: 'Other', price: 2.5 }),
      await customer(shop),
    ];
    const made = await place(shop, buyer, [
      [a, 2],
      [b, 1],
      [a, 1],
    ]);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      customer_id: buyer,
      status: 'pending',
      subtotal: 32.5,
      discount: 0,
      tax: 0,
      shipping: 0,
      total: 32.5,
      currency: 'USD',
      tracking_number: null,
      shipping_state: '',
      shipping_country: 'US',
      is_subscription: false,
      ...ADDRESS,
    });
    const lines = made.body.data!.items!.map((item: Record<string, number>) => [
      item.product_id,
      item.qty,
      item.price,
      item.subtotal,
    ]);
    expect(lines).toEqual([
      [a, 3, 10, 30],
      [b, 1, 2.5, 2.5],
    ]);
    expect([await stockOf(shop, a), await stockOf(shop, b)]).toEqual([97, 99]);
    const id = made.body.data!.id;
    expect((await shop.commerce('GET', `/orders/${id}`)).body.data).toEqual(made.body.data);
    const history = await shop.commerce('GET', `/orders/${id}/history`);
    expect(history.body.data![0]).toMatchObject({ type: 'created', from: null, to: 'pending', actor: 'key:test' });
    const moves = await Promise.all(
      [a, b].map(async (product) => (await shop.commerce('GET', `/products/${product}/stock-movements`)).body.data![0]),
    );
    const items = made.body.data!.items;
    expect(moves).toMatchObject([
      { kind: 'order', reference_id: items[0].id, order_id: id, delta: -3 },
      { kind: 'order', reference_id: items[1].id, order_id: id, delta: -1 },
    ]);
    const points = await server.rows(
      'select points_balance, order_count from customer_accounts where customer_id = $1',
      [buyer],
    );
    expect(points).toEqual([{ points_balance: '32', order_count: '1' }]);
  });

  test('a line keeps what its product was when it was ordered', async () => {
    const shop = await server.company();
    const was = { sku: 'TEA-1', tax_class: 'reduced', categories: ['tea'] };
    const [id, buyer] = [await product(shop, was), await customer(shop)];
    const order = await place(shop, buyer, [[id, 1]]);
    expect(order.body.data!.items).toMatchObject([was]);
    await shop.commerce('PATCH', `/products/${id}`, { sku: 'TEA-2', tax_class: null, categories: ['sale'] });
    const read = await shop.commerce('GET', `/orders/${order.body.data!.id}`);
    expect(read.body.data).toEqual(order.body.data);
  });

  test('unknown customer and products are failing fields of the body, all at once', async () => {
    const shop = await server.company();
    const other = await server.company();
    const foreign = await product(other);
    const response = await place(shop, 999_999, [
      [foreign, 1],
      [888_888, 1],
    ]);
    expect(response.status).toBe(422);
    const fields = response.body.error!.details!.fields!.map((field: { field: string }) => field.field);
    expect(fields).toEqual(['customer_id', 'items.0.product_id', 'items.1.product_id']);
  });

  test('every line short of stock is told at once, and nothing is changed', async () => {
    const shop = await server.company();
    const [a, b, c] = [
      await product(shop, { stock_qty: 1 }),
      await product(shop),
      await product(shop, { stock_qty: 0 }),
    ];
    const response = await place(shop, await customer(shop), [
      [a, 2],
      [b, 1],
      [c, 1],
    ]);
    expect(response.status).toBe(422);
    expect(response.body.error!.details).toMatchObject({
      reason: 'insufficient_stock',
      items: [
        { index: 0, product_id: a, requested: 2, available: 1 },
        { index: 2, product_id: c, requested: 1, available: 0 },
      ],
    });
    expect([await stockOf(shop, a), await stockOf(shop, b)]).toEqual([1, 100]);
    expect((await shop.commerce('GET', '/orders')).body.meta!.pagination!.total).toBe(0);
  });

  test('an archived product cannot be ordered', async () => {
    const shop = await server.company();
    const id = await product(shop);
    await shop.commerce('PATCH', `/products/${id}`, { archived: true });
    const response = await place(shop, await customer(shop), [[id, 1]]);
    expect(response.body.error!.details!.fields![0]).toMatchObject({ field: 'items.0.product_id', code: 'archived' });
  });

  test('a product whose stock is not tracked is sold without limit; neither order nor cancellation moves its stock', async () => {
    const shop = await server.company();
    const id = await product(shop, { stock_qty: 1 });
    const buyer = await customer(shop);
    await shop.commerce('PATCH', `/products/${id}`, { track_stock: false });
    const order = await place(shop, buyer, [[id, 50]]);
    expect(order.status).toBe(201);
    await shop.commerce('PATCH', `/orders/${order.body.data!.id}/status`, { status: 'cancelled' });
    const moves = await shop.commerce('GET', `/products/${id}/stock-movements`);
    expect(moves.body.data).toMatchObject([{ kind: 'initial', delta: 1 }]);
    const tracked = await shop.commerce('PATCH', `/products/${id}`, { track_stock: true });
    expect(tracked.body.data!.stock_qty).toBe(1);
    expect((await place(shop, buyer, [[id, 2]])).body.error!.details!.reason).toBe('insufficient_stock');
  });

  test('each fall of the stock to its low mark raises one event: by orders, by hand, not while it is low', async () => {
    const shop = await server.company();
    const id = await product(shop, { stock_qty: 5, low_stock_at: 3, sku: 'LOW' });
    const buyer = await customer(shop);
    const raised = async () => {
      const query = "select payload from outbox where company_id = $1 and topic = 'stock_low' order by id";
      const rows = (await server.rows(query, [shop.company_id])) as { payload: object }[];
      return rows.map(({ payload }) => payload);
    };
    await place(shop, buyer, [[id, 1]]);
    expect(await raised()).toEqual([]);
    await place(shop, buyer, [[id, 1]]);
    const low = { product_id: String(id), name: 'Thing', sku: 'LOW', stock_qty: 3, low_stock_at: 3 };
    expect(await raised()).toEqual([low]);
    await place(shop, buyer, [[id, 1]]);
    await shop.commerce('PATCH', `/products/${id}`, { stock_qty: 4 });
    await shop.commerce('PATCH', `/products/${id}`, { stock_qty: 0 });
    await shop.commerce('POST', `/products/${id}/inventory/adjust`, { delta: 9 });
    await shop.commerce('POST', `/products/${id}/inventory/adjust`, { delta: -8 });
    expect(await raised()).toEqual([low, { ...low, stock_qty: 0 }, { ...low, stock_qty: 1 }]);
  });

  test('countries are taken as codes or names and normalised', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    for (const given of ['DE', 'deu', 'Germany']) {
      expect((await place(shop, buyer, [[id, 1]], { shipping_country: given })).body.data!.shipping_country).toBe('DE');
    }
    const bad = await place(shop, buyer, [[id, 1]], { shipping_country: 'Atlantis' });
    expect(bad.body.error!.details!.fields![0]!.field).toBe('shipping_country');
  });

  test('metadata of any shape is kept as it was given, whatever its keys are called', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop, { stock_qty: 10_000 }), await customer(shop)];
    const given = fc.dictionary(
      fc.oneof(fc.constantFrom('items', 'id', 'actor', 'metadata'), fc.string()),
      fc.jsonValue(),
    );
    // PostgreSQL stores neither NUL nor a lone surrogate. V8's JSON.parse occasionally reads the key '"' of one object as the key '\' that
    // it met in another of the same shape, so no '\' is generated here.
    const keepable = (value: object) => !/\\u(0000|d[89a-f])|\\\\/.test(JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(given.filter(keepable), async (metadata) => {
        const made = await place(shop, buyer, [[id, 1]], { metadata });
        expect(made.status).toBe(201);
        const read = await shop.commerce('GET', `/orders/${made.body.data!.id}`);
        expect(read.body.data).toEqual(made.body.data);
        expect(read.body.data!.metadata).toEqual(JSON.parse(JSON.stringify(metadata)));
      }),
      { numRuns: rounds(20, 60) },
    );
  });

  test('metadata of more than 16 KiB is refused', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const refused = await place(shop, buyer, [[id, 1]], { metadata: { note: 'x'.repeat(16_384) } });
    expect([refused.status, refused.body.error!.details!.fields[0].field]).toEqual([422, 'metadata']);
    expect((await place(shop, buyer, [[id, 1]], { metadata: { note: 'x'.repeat(16_000) } })).status).toBe(201);
  });

  test('external_id is unique in the company', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const twins = await Promise.all(
      Array.from({ length: 5 }, () => place(shop, buyer, [[id, 1]], { external_id: 'pos-1' })),
    );
    expect(twins.map((twin) => twin.status).sort()).toEqual([201, 422, 422, 422, 422]);
    expect(twins.find((twin) => twin.status === 422)!.body.error!.details!.reason).toBe('duplicate');
    expect(await stockOf(shop, id)).toBe(99);
  });

  test.each([
    [{ items: [] }],
    [{ items: [{ product_id: 1, qty: 0 }] }],
    [{ items: [{ product_id: 1, qty: 10_000 }] }],
    [{ items: [{ product_id: '1', qty: 1 }] }],
    [{ shipping_zip: undefined }],
    [{ shipping_city: 5 }],
    [{ redeem_points: -1 }],
  ])('refuses %j with 422 and leaves nothing behind', async (fields) => {
    const shop = await server.company();
    const id = await product(shop);
    const body = { customer_id: await customer(shop), items: [{ product_id: id, qty: 1 }], ...ADDRESS, ...fields };
    const response = await shop.commerce('POST', '/orders', body);
    expect([response.status, response.body.error!.details!.reason]).toEqual([422, 'validation_failed']);
    expect(await stockOf(shop, id)).toBe(100);
  });
});

describe('at once', () => {
  test('stock 100 under 300 orders from many connections: exactly 100 are placed', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop, { stock_qty: 100 }), await customer(shop)];
    const responses = await Promise.all(Array.from({ length: 300 }, () => place(shop, buyer, [[id, 1]])));
    const count = (status: number) => responses.filter((response) => response.status === status).length;
    expect([count(201), count(422)]).toEqual([100, 200]);
    expect(await stockOf(shop, id)).toBe(0);
    const ids = new Set(
      responses.filter((response) => response.status === 201).map((response) => response.body.data!.id),
    );
    expect(ids.size).toBe(100);
  });

  test('orders that take two products in opposite order never deadlock visibly', async () => {
    const shop = await server.company();
    const [a, b, buyer] = [await product(shop), await product(shop), await customer(shop)];
    const responses = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        place(
          shop,
          buyer,
          i % 2
            ? [
                [a, 1],
                [b, 1],
              ]
            : [
                [b, 1],
                [a, 1],
              ],
        ),
      ),
    );
    expect(responses.every((response) => response.status === 201)).toBe(true);
    expect([await stockOf(shop, a), await stockOf(shop, b)]).toEqual([20, 20]);
  });

  test('one Idempotency-Key from 20 requests at once is one order with one response', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => place(shop, buyer, [[id, 1]], {}, { 'idempotency-key': 'once' })),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
    expect(await stockOf(shop, id)).toBe(99);
  });

  test('a refusal is kept for its key as well, even when it could succeed later', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop, { stock_qty: 0 }), await customer(shop)];
    const first = await place(shop, buyer, [[id, 1]], {}, { 'idempotency-key': 'refused' });
    await shop.commerce('PATCH', `/products/${id}`, { stock_qty: 5 });
    const second = await place(shop, buyer, [[id, 1]], {}, { 'idempotency-key': 'refused' });
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([422, 422, 'true']);
    expect(second.body).toEqual(first.body);
    const other = await place(shop, buyer, [[id, 2]], {}, { 'idempotency-key': 'refused' });
    expect([other.status, other.body.error!.details!.reason]).toEqual([422, 'idempotency_key_reused']);
  });

  test('cancelling races with shipping: exactly one wins, and the stock says so', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    for (let round = 0; round < 5; round++) {
      const before = await stockOf(shop, id);
      const order = (await place(shop, buyer, [[id, 1]])).body.data!.id;
      const moves = await Promise.all(
        ['cancelled', 'shipped'].map((status) => shop.commerce('PATCH', `/orders/${order}/status`, { status })),
      );
      expect(moves.map((move) => move.status).sort()).toEqual([200, 422]);
      const final = (await shop.commerce('GET', `/orders/${order}`)).body.data!.status;
      expect(await stockOf(shop, id)).toBe(final === 'cancelled' ? before : before - 1);
    }
  });
});

describe('PATCH /orders/{id}/status', () => {
  const allowed = {
    pending: ['processing', 'shipped', 'cancelled'],
    processing: ['shipped', 'delivered', 'cancelled'],
    shipped: ['delivered'],
    delivered: [],
    cancelled: [],
  };
  const ways = {
    pending: [],
    processing: ['processing'],
    shipped: ['shipped'],
    delivered: ['shipped', 'delivered'],
    cancelled: ['cancelled'],
  };

  test.each(Object.entries(allowed))('from %s goes exactly to %j', async (from, targets) => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    for (const to of Object.keys(allowed)) {
      const order = (await place(shop, buyer, [[id, 1]])).body.data!.id;
      for (const step of ways[from as keyof typeof ways])
        await shop.commerce('PATCH', `/orders/${order}/status`, { status: step });
      const moved = await shop.commerce('PATCH', `/orders/${order}/status`, { status: to });
      const expected = to === from || (targets as string[]).includes(to) ? 200 : 422;
      expect(moved.status, `${from} → ${to}`).toBe(expected);
      if (expected === 422) {
        expect(moved.body.error!.details).toMatchObject({
          reason: 'invalid_status_transition',
          from,
          to,
          allowed: targets,
        });
      }
    }
  });

  test('the same status again changes nothing but the tracking number', async () => {
    const shop = await server.company();
    const order = (await place(shop, await customer(shop), [[await product(shop), 1]])).body.data!.id;
    await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'shipped', tracking_number: 'A1' });
    const again = await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'shipped', tracking_number: 'B2' });
    expect([again.status, again.body.data!.tracking_number]).toEqual([200, 'B2']);
    const history = (await shop.commerce('GET', `/orders/${order}/history`)).body.data!;
    expect(history.length).toBe(2);
    expect((await shop.commerce('PATCH', `/orders/${order}/status`, {})).status).toBe(422);
    const long = await shop.commerce('PATCH', `/orders/${order}/status`, { tracking_number: 'x'.repeat(101) });
    expect(long.status).toBe(422);
  });

  test('cancelling puts stock and points back once', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const order = (await place(shop, buyer, [[id, 4]])).body.data!.id;
    for (let i = 0; i < 2; i++) await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'cancelled' });
    expect(await stockOf(shop, id)).toBe(100);
    const ledger = await server.rows('select type, points from loyalty_ledger where order_id = $1 order by id', [
      order,
    ]);
    expect(ledger).toEqual([
      { type: 'earn', points: '40' },
      { type: 'reverse_earn', points: '-40' },
    ]);
    const [account] = await server.rows(
      'select points_balance, points_lifetime from customer_accounts where customer_id = $1',
      [buyer],
    );
    expect(account).toEqual({ points_balance: '0', points_lifetime: '0' });
  });
});

describe('GET /orders', () => {
  test('filters by customer, status, day and kind, newest first, with exact totals', async () => {
    const shop = await server.company();
    const [id, ann, bob] = [await product(shop), await customer(shop), await customer(shop)];
    server.clock.set('2026-03-10T23:59:59.999Z');
    const first = (await place(shop, ann, [[id, 1]])).body.data!.id;
    server.clock.set('2026-03-11T00:00:00.000Z');
    const second = (await place(shop, bob, [[id, 1]])).body.data!.id;
    const third = (await place(shop, ann, [[id, 1]])).body.data!.id;
    await shop.commerce('PATCH', `/orders/${third}/status`, { status: 'processing' });
    const ids = async (query: string, path = '/orders') => {
      const { body } = await shop.commerce('GET', `${path}?${query}`);
      expect(body.meta!.pagination!.total, query).toBe(body.data!.length);
      return body.data!.map((order: { id: number }) => order.id);
    };
    expect(await ids('')).toEqual([third, second, first]);
    expect(await ids(`customer_id=${ann}`)).toEqual([third, first]);
    expect(await ids(`customer_id=${ann}&status=pending`)).toEqual([first]);
    expect(await ids('status=pending')).toEqual([second, first]);
    expect(await ids('date_from=2026-03-11')).toEqual([third, second]);
    expect(await ids('date_to=2026-03-10')).toEqual([first]);
    expect(await ids('date_from=2026-03-10&date_to=2026-03-11&status=processing')).toEqual([third]);
    expect(await ids('is_subscription=true')).toEqual([]);
    expect(await ids('is_subscription=false&status=processing')).toEqual([third]);
    expect(await ids('', `/customers/${bob}/orders`)).toEqual([second]);
    expect((await shop.commerce('GET', '/customers/999999/orders')).status).toBe(404);
    for (const query of ['status=lost', 'date_from=2026-02-30', 'date_to=yesterday', 'customer_id=x']) {
      expect((await shop.commerce('GET', `/orders?${query}`)).status, query).toBe(400);
    }
    expect((await shop.commerce('GET', '/orders?time_zone=%2B02:00')).status).toBe(422);
    await server.rows("select fold_deltas('counter')");
    expect(await ids('status=pending&date_from=2026-03-11')).toEqual([second]);
  });
});
