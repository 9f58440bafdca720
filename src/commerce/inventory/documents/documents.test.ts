import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { testServer } from '../../../testing/harness.ts';
import { type ShopWithLocations, shopWithLocations } from '../testing-shop.ts';

const server = testServer({ described: true });
let at: ShopWithLocations;

beforeAll(async () => {
  at = await shopWithLocations(server);
});

afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const post = (path: string, body: object = {}) => at.shop.commerce('POST', path, body);
const adjust = (lines: object[], reason?: string) => post('/inventory/adjustments', { reason, lines });
const fieldsOf = ({ status, body }: Awaited<ReturnType<typeof post>>) => [
  status,
  body.error.details.fields.map(({ field, code }: { field: string; code: string }) => [field, code]),
];
const movements = async (id: number) => (await at.shop.commerce('GET', `/products/${id}/stock-movements`)).body.data;

describe('adjustments', () => {
  test('change several products at several locations, later lines seeing earlier ones', async () => {
    const [a, b] = [await at.product({ main: 5 }), await at.product({ main: 1, store: 4 })];
    const made = await adjust(
      [
        { product_id: a, delta: -2 },
        { product_id: a, set_to: 7 },
        { product_id: b, location_id: at.store, set_to: 0 },
        { product_id: b, location_id: at.quarantine, delta: 4 },
        { product_id: b, location_id: at.quarantine, delta: 0 },
      ],
      'Counted',
    );
    expect([made.status, made.body.data]).toMatchObject([
      201,
      {
        reason: 'Counted',
        actor: expect.stringMatching(/^key:/),
        lines: [
          { product_id: a, location_id: at.main, delta: -2, available: 3 },
          { product_id: a, location_id: at.main, delta: 4, available: 7 },
          { product_id: b, location_id: at.store, delta: -4, available: 0 },
          { product_id: b, location_id: at.quarantine, delta: 4, available: 4 },
          { product_id: b, location_id: at.quarantine, delta: 0, available: 4 },
        ],
      },
    ]);
    expect([await at.stockOf(a), await at.stockOf(b)]).toEqual([
      [7, 0, 0],
      [1, 0, 4],
    ]);
    const { id } = made.body.data;
    expect((await movements(a)).slice(0, 2)).toMatchObject([
      { kind: 'adjust', reference_id: id, order_id: null, delta: 4, reason: 'Counted', product_id: a },
      { kind: 'adjust', reference_id: id, location_id: at.main, delta: -2 },
    ]);
    const listed = await at.shop.commerce('GET', '/inventory/adjustments');
    expect(listed.body.data[0]).toEqual(made.body.data);
  });

  test('write all lines or none, and name every wrong one', async () => {
    const id = await at.product({ main: 1, store: 2 });
    const untracked = (await at.make('/products', { name: 'Card', price: 5, track_stock: false })).id;
    const parent = await at.make('/products', {
      name: 'Shirt',
      options: [{ name: 'Size', values: ['S'] }],
      variants: [{ price: 5, options: [{ name: 'Size', value: 'S' }] }],
    });
    const refused = await adjust([
      { product_id: id, delta: 1 },
      { product_id: id, delta: -3 },
      { product_id: id, location_id: at.store, delta: -3 },
      { product_id: id },
      { product_id: id, delta: 1, set_to: 1 },
      { product_id: id, location_id: 999_999, delta: 1 },
      { product_id: 999_999, delta: 1 },
      { product_id: untracked, delta: 1 },
      { product_id: parent.id, delta: 1 },
      { product_id: id, set_to: 1_000_000_000 },
    ]);
    expect(fieldsOf(refused)).toEqual([
      422,
      [
        ['lines.1.delta', 'out_of_range'],
        ['lines.2.delta', 'out_of_range'],
        ['lines.3.delta', 'required'],
        ['lines.4.set_to', 'not_allowed'],
        ['lines.5.location_id', 'unknown'],
        ['lines.6.product_id', 'unknown'],
        ['lines.7.product_id', 'untracked'],
        ['lines.8.product_id', 'of_variant'],
        ['lines.9.set_to', 'out_of_range'],
      ],
    ]);
    expect(await at.stockOf(id)).toEqual([3, 2, 0]);
  });

  test('lower a stock that is too large, and are limited by the online stock at online locations only', async () => {
    const id = await at.product({ main: 1_000_000_000, quarantine: 1 });
    await server.rows('update product_stock set stock_qty = 1000000009 where product_id = $1', [id]);
    await server.rows("update stock_movements set delta = 1000000009 where product_id = $1 and kind = 'initial'", [id]);
    const lowered = await adjust([
      { product_id: id, location_id: at.quarantine, delta: 1 },
      { product_id: id, delta: -1 },
    ]);
    expect(lowered.status).toBe(201);
    expect(await at.stockOf(id)).toEqual([1_000_000_008, 0, 2]);
    expect(fieldsOf(await adjust([{ product_id: id, delta: 1 }]))).toEqual([422, [['lines.0.delta', 'out_of_range']]]);
  });

  test('send stock_low when the sum over the online locations falls to the limit', async () => {
    const id = await at.product({ main: 3, store: 3 });
    await at.shop.commerce('PATCH', `/products/${id}`, { low_stock_at: 4 });
    await adjust([{ product_id: id, delta: -1 }]);
    const low = () =>
      server.rows(
        "select payload from outbox where company_id = $1 and topic = 'stock_low' and payload ->> 'product_id' = $2",
        [at.shop.company_id, String(id)],
      );
    expect(await low()).toEqual([]);
    await adjust([{ product_id: id, location_id: at.store, delta: -1 }]);
    expect(await low()).toMatchObject([{ payload: { stock_qty: 4, low_stock_at: 4 } }]);
  });
});

test('PATCH stock_qty and inventory/adjust change the main location, which does not go below 0', async () => {
  const id = await at.product({ main: 2, store: 3 });
  expect((await at.shop.commerce('PATCH', `/products/${id}`, { stock_qty: 7 })).status).toBe(200);
  expect(await at.stockOf(id)).toEqual([7, 3, 0]);
  expect((await post(`/products/${id}/inventory/adjust`, { delta: -4 })).body.data.stock_qty).toBe(3);
  expect(await at.stockOf(id)).toEqual([3, 3, 0]);
  expect(fieldsOf(await post(`/products/${id}/inventory/adjust`, { delta: -1 }))).toEqual([
    422,
    [['delta', 'out_of_range']],
  ]);
  expect(fieldsOf(await at.shop.commerce('PATCH', `/products/${id}`, { stock_qty: 2 }))).toEqual([
    422,
    [['stock_qty', 'out_of_range']],
  ]);
  expect(fieldsOf(await at.shop.commerce('PATCH', '/products', { products: [{ id, stock_qty: 2 }] }))).toEqual([
    422,
    [['products.0.stock_qty', 'out_of_range']],
  ]);
  expect(await at.stockOf(id)).toEqual([3, 3, 0]);
});

test('a receipt adds goods to the stock of its location and keeps their cost', async () => {
  const id = await at.product({ main: 1 });
  const body = { location_id: at.store, supplier: 'Mills', reference: 'D-7' };
  const made = await post('/inventory/receipts', { ...body, lines: [{ product_id: id, qty: 6, unit_cost: 2.35 }] });
  expect([made.status, made.body.data]).toMatchObject([
    201,
    { ...body, lines: [{ product_id: id, qty: 6, unit_cost: 2.35 }] },
  ]);
  expect(await at.stockOf(id)).toEqual([7, 6, 0]);
  expect((await movements(id))[0]).toMatchObject({
    kind: 'receipt',
    reference_id: made.body.data.id,
    location_id: at.store,
    delta: 6,
  });
  expect((await at.shop.commerce('GET', '/inventory/receipts')).body.data[0]).toEqual(made.body.data);
  expect((await at.shop.commerce('GET', `/inventory/receipts/${made.body.data.id}`)).body.data).toEqual(made.body.data);
  expect((await at.shop.commerce('GET', '/inventory/receipts/999999')).status).toBe(404);
  const refused = await post('/inventory/receipts', {
    location_id: 999_999,
    lines: [
      { product_id: 999_999, qty: 1 },
      { product_id: id, qty: 1, unit_cost: 0.001 },
    ],
  });
  expect(fieldsOf(refused)).toEqual([
    422,
    [
      ['location_id', 'unknown'],
      ['lines.0.product_id', 'unknown'],
      ['lines.1.unit_cost', 'too_many_decimals'],
    ],
  ]);
});

describe('transfers', () => {
  const draft = (lines: [number, number][], more: object = {}) =>
    post('/inventory/transfers', {
      from_location_id: at.main,
      to_location_id: at.store,
      lines: lines.map(([product_id, qty]) => ({ product_id, qty })),
      ...more,
    });
  const act = (id: number, action: string, body: object = {}) => post(`/inventory/transfers/${id}/${action}`, body);
  const transitions = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body.error?.details];

  test('move units through the transit, received in parts', async () => {
    const [a, b] = [await at.product({ main: 5 }), await at.product({ main: 3 })];
    const made = await draft([
      [a, 4],
      [b, 3],
    ]);
    const { id } = made.body.data;
    expect([made.status, made.body.data]).toMatchObject([201, { status: 'draft', sent_at: null }]);
    expect(await at.stockOf(a)).toEqual([5, 0, 0]);
    const sent = await act(id, 'send');
    expect([sent.status, sent.body.data]).toMatchObject([200, { status: 'in_transit', sent_at: expect.any(String) }]);
    expect([await at.stockOf(a), await at.stockOf(b)]).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
    const part = await act(id, 'receive', { lines: [{ product_id: a, qty: 3 }] });
    expect(part.body.data).toMatchObject({ status: 'in_transit', lines: [{ qty: 4, received: 3 }, { received: 0 }] });
    expect(await at.stockOf(a)).toEqual([4, 3, 0]);
    const tooMuch = await act(id, 'receive', {
      lines: [
        { product_id: a, qty: 2 },
        { product_id: 999_999, qty: 1 },
      ],
    });
    expect(fieldsOf(tooMuch)).toEqual([
      422,
      [
        ['lines.0.qty', 'out_of_range'],
        ['lines.1.product_id', 'unknown'],
      ],
    ]);
    const rest = await act(id, 'receive', { lines: [{ product_id: b, qty: 2 }], complete: true });
    expect(rest.body.data).toMatchObject({
      status: 'received',
      lines: [
        { received: 3, missing: 1 },
        { received: 2, missing: 1 },
      ],
    });
    expect([await at.stockOf(a), await at.stockOf(b)]).toEqual([
      [4, 3, 0],
      [2, 2, 0],
    ]);
    expect(transitions(await act(id, 'cancel'))).toMatchObject([
      422,
      { reason: 'invalid_status_transition', from: 'received', to: 'cancelled', allowed: [] },
    ]);
    expect((await at.shop.commerce('GET', `/inventory/transfers/${id}`)).body.data).toEqual(rest.body.data);
  });

  test('are received as soon as nothing is open', async () => {
    const id = await at.product({ main: 2 });
    const transfer = (await draft([[id, 2]])).body.data.id;
    await act(transfer, 'send');
    const received = await act(transfer, 'receive', { lines: [{ product_id: id, qty: 2 }] });
    expect(received.body.data.status).toBe('received');
  });

  test('leave the source with all lines or none', async () => {
    const [a, b] = [await at.product({ main: 5 }), await at.product({ store: 5 })];
    const { id } = (
      await draft([
        [a, 1],
        [b, 1],
      ])
    ).body.data;
    const short = await act(id, 'send');
    expect(transitions(short)).toMatchObject([
      422,
      { reason: 'insufficient_stock', items: [{ index: 1, product_id: b, requested: 1, available: 0 }] },
    ]);
    expect(await at.stockOf(a)).toEqual([5, 0, 0]);
    expect(transitions(await act(id, 'receive'))).toMatchObject([
      422,
      { reason: 'invalid_status_transition', from: 'draft', allowed: ['in_transit', 'cancelled'] },
    ]);
  });

  test('return to the source when they are cancelled, but for what was received', async () => {
    const id = await at.product({ main: 1, quarantine: 6 });
    const made = await draft([[id, 5]], { from_location_id: at.quarantine });
    const transfer = made.body.data.id;
    await act(transfer, 'send');
    expect(await at.stockOf(id)).toEqual([1, 0, 1]);
    await act(transfer, 'receive', { lines: [{ product_id: id, qty: 2 }] });
    const cancelled = await act(transfer, 'cancel');
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', lines: [{ received: 2, returned: 3 }] });
    expect(await at.stockOf(id)).toEqual([3, 2, 4]);
    const listed = await at.shop.commerce('GET', '/inventory/transfers?status=cancelled');
    expect(listed.body.data).toEqual([cancelled.body.data]);
  });

  test('are not received or returned where a stock would become too large', async () => {
    const [id, other] = [await at.product({ main: 5 }), await at.product({ main: 1 })];
    const made = await draft([
      [other, 1],
      [id, 5],
    ]);
    const transfer = made.body.data.id;
    await act(transfer, 'send');
    await adjust([{ product_id: id, location_id: at.store, set_to: 999_999_998 }]);
    const arrived = await act(transfer, 'receive', { lines: [{ product_id: id, qty: 3 }] });
    expect(fieldsOf(arrived)).toEqual([422, [['lines.0.qty', 'out_of_range']]]);
    expect(fieldsOf(await act(transfer, 'cancel'))).toEqual([422, [['lines.1.qty', 'out_of_range']]]);
    expect(await at.stockOf(id)).toEqual([999_999_998, 999_999_998, 0]);
    const fits = await act(transfer, 'receive', { lines: [{ product_id: id, qty: 2 }] });
    expect(fits.body.data.lines[1]).toMatchObject({ received: 2 });
    await adjust([{ product_id: id, location_id: at.store, set_to: 0 }]);
    expect((await act(transfer, 'cancel')).body.data.status).toBe('cancelled');
  });

  test('are received with lines, or with complete', async () => {
    const id = await at.product({ main: 2 });
    const transfer = (await draft([[id, 2]])).body.data.id;
    await act(transfer, 'send');
    for (const body of [{}, { lines: [] }, { complete: false }]) {
      expect(fieldsOf(await act(transfer, 'receive', body))).toEqual([422, [['lines', 'required']]]);
    }
    const lost = await act(transfer, 'receive', { complete: true });
    expect(lost.body.data).toMatchObject({ status: 'received', lines: [{ received: 0, missing: 2 }] });
  });

  test('are changed while they are drafts, and keep their locations open', async () => {
    const id = await at.product({ main: 5 });
    const outlet = (await at.make('/locations', { name: 'Outlet' })).id;
    const transfer = (await draft([[id, 5]])).body.data.id;
    const path = `/inventory/transfers/${transfer}`;
    const patch = { to_location_id: outlet, note: 'Monday', lines: [{ product_id: id, qty: 2 }] };
    expect((await at.shop.commerce('PATCH', path, patch)).body.data).toMatchObject(patch);
    const closed = () => at.shop.commerce('PATCH', `/locations/${outlet}`, { active: false });
    expect((await closed()).body.error.details.reason).toBe('location_not_empty');
    await act(transfer, 'send');
    expect((await at.shop.commerce('PATCH', path, { note: 'Late' })).body.error.details.reason).toBe(
      'invalid_status_transition',
    );
    await act(transfer, 'cancel');
    expect((await closed()).status).toBe(200);
    const wrong = await draft(
      [
        [id, 1],
        [id, 1],
      ],
      { to_location_id: outlet, from_location_id: outlet },
    );
    expect(fieldsOf(wrong)).toEqual([
      422,
      [
        ['from_location_id', 'unknown'],
        ['to_location_id', 'unknown'],
        ['to_location_id', 'not_allowed'],
        ['lines.1.product_id', 'duplicate'],
      ],
    ]);
  });
});
