import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { type ShopWithLocations, shopWithLocations } from './testing-shop.ts';

const server = testServer();
let at: ShopWithLocations;

beforeAll(async () => {
  at = await shopWithLocations(server);
});

afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const cancel = (id: number) => at.shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
/** Of a product, the latest first: kind, location, delta. */
const movements = async (productId: number) =>
  (await at.shop.commerce('GET', `/products/${productId}/stock-movements`)).body.data.map(
    (one: { kind: string; location_id: number; delta: number }) => [one.kind, one.location_id, one.delta],
  );

test('an order takes everything at the first location that has it, the stock that is not online left out', async () => {
  const [a, b] = [await at.product({ main: 5, store: 3, quarantine: 9 }), await at.product({ store: 2 })];
  expect(await at.stockOf(a)).toEqual([8, 3, 9]);
  const placed = await at.order([
    [a, 2],
    [b, 1],
  ]);
  expect([placed.status, placed.body.data.location_id]).toEqual([201, null]);
  expect([await at.stockOf(a), await at.stockOf(b)]).toEqual([
    [6, 1, 9],
    [1, 1, 0],
  ]);
  expect((await at.order([[a, 2]])).status).toBe(201);
  expect(await at.stockOf(a)).toEqual([4, 1, 9]);
  const short = await at.order([[a, 5]]);
  expect([short.status, short.body.error.details]).toMatchObject([
    422,
    { reason: 'insufficient_stock', items: [{ product_id: a, requested: 5, available: 4 }] },
  ]);
});

test('an order from two locations is cancelled, and both have what they had', async () => {
  const id = await at.product({ main: 2, store: 3 });
  const placed = await at.order([[id, 4]]);
  expect(await at.stockOf(id)).toEqual([1, 1, 0]);
  const line = placed.body.data.items[0].id;
  expect((await cancel(placed.body.data.id)).status).toBe(200);
  expect(await at.stockOf(id)).toEqual([5, 3, 0]);
  const made = (await at.shop.commerce('GET', `/products/${id}/stock-movements`)).body.data;
  const moved = (kind: string) =>
    made
      .filter((one: { kind: string }) => one.kind === kind)
      .map((one: object) => one)
      .toSorted((x: { location_id: number }, y: { location_id: number }) => x.location_id - y.location_id);
  const order = { reference_id: line, order_id: placed.body.data.id };
  expect([moved('order'), moved('cancel')]).toMatchObject([
    [
      { location_id: at.main, delta: -2, ...order },
      { location_id: at.store, delta: -2, ...order },
    ],
    [
      { location_id: at.main, delta: 2, ...order },
      { location_id: at.store, delta: 2, ...order },
    ],
  ]);
});

test('an order that names a location takes its stock only, also where it is not online', async () => {
  const id = await at.product({ main: 5, store: 1, quarantine: 3 });
  const quarantined = await at.order([[id, 2]], { location_id: at.quarantine });
  expect([quarantined.status, quarantined.body.data.location_id]).toEqual([201, at.quarantine]);
  expect(await at.stockOf(id)).toEqual([6, 1, 1]);
  const read = await at.shop.commerce('GET', `/orders/${quarantined.body.data.id}`);
  expect(read.body.data).toEqual(quarantined.body.data);
  const short = await at.order([[id, 2]], { location_id: at.store });
  expect(short.body.error.details.items).toMatchObject([{ requested: 2, available: 1 }]);
  expect((await at.order([[id, 5]], { location_id: at.main })).status).toBe(201);
  expect(await at.stockOf(id)).toEqual([1, 1, 1]);
  await cancel(quarantined.body.data.id);
  expect(await at.stockOf(id)).toEqual([1, 1, 3]);
  expect(await movements(id)).toEqual([
    ['cancel', at.quarantine, 2],
    ['order', at.main, -5],
    ['order', at.quarantine, -2],
    ['adjust', at.quarantine, 3],
    ['adjust', at.store, 1],
    ['initial', at.main, 5],
  ]);
  const unknown = await at.order([[id, 1]], { location_id: 999_999 });
  expect(unknown.body.error.details.fields).toMatchObject([{ field: 'location_id', code: 'unknown' }]);
});

test('what was taken at a location that is closed by now returns to the main location', async () => {
  const id = await at.product({ main: 1 });
  const outlet = (await at.make('/locations', { name: 'Outlet' })).id;
  const placed = await at.order([[id, 1]]);
  await server.rows('update order_allocations set location_id = $1 where order_id = $2', [outlet, placed.body.data.id]);
  expect((await at.shop.commerce('PATCH', `/locations/${outlet}`, { active: false })).status).toBe(200);
  expect((await at.order([[id, 1]], { location_id: outlet })).body.error.details.fields).toMatchObject([
    { field: 'location_id', code: 'unknown' },
  ]);
  await cancel(placed.body.data.id);
  expect(await at.stockOf(id)).toEqual([1, 0, 0]);
});

test('an order calculation looks at the stock of the named location', async () => {
  const id = await at.product({ main: 1, quarantine: 2 });
  const calculate = (qty: number, more: object) =>
    at.shop.commerce('POST', '/orders/calculate', { items: [{ product_id: id, qty }], ...more });
  expect((await calculate(2, { location_id: at.quarantine })).status).toBe(200);
  expect((await calculate(2, {})).body.error.details.items).toMatchObject([{ available: 1 }]);
});

/** What the statements of one order's transaction read or write first, and the number of turns in which they were sent. */
async function statementsOf(place: () => Promise<{ status: number }>) {
  expect((await place()).status).toBe(201);
  const all = await recordStatements(async () => expect((await place()).status).toBe(201));
  const sent = all.slice(
    all.findIndex(({ text }) => text === 'begin'),
    all.findIndex(({ text }) => text === 'commit') + 1,
  );
  const names = sent.map(({ text }) => /\b(?:insert into|update|from) (\w+)/.exec(text)?.[0] ?? text.slice(0, 40));
  return { names, texts: sent.map(({ text }) => text), turns: new Set(sent.map(({ turn }) => turn)).size };
}

test('an order in a shop with one location takes two round trips and knows nothing of locations', async () => {
  const shop = await server.company();
  const make = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data.id;
  const product = await make('/products', { name: 'Tea', price: 10, stock_qty: 100 });
  const customer_id = await make('/customers', { email: 'single@example.com' });
  const body = { customer_id, items: [{ product_id: product, qty: 1 }] };
  const address = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
  const one = await statementsOf(() => shop.commerce('POST', '/orders', { ...body, ...address }));
  expect(one.names).toMatchInlineSnapshot(`
    [
      "begin",
      "select set_config('role', $1, true), set",
      "select set_config('lock_timeout', $1, tr",
      "from product_stock",
      "from products",
      "from customers",
      "from generate_series",
      "from company_versions",
      "insert into customer_accounts",
      "insert into loyalty_ledger",
      "from json_to_recordset",
      "insert into order_items",
      "from unnest",
      "insert into outbox",
      "commit",
    ]
  `);
  expect(one.turns).toBe(2);
  expect(one.texts.filter((text) => /\b(locations|stock_levels|order_allocations)\b/.test(text))).toEqual([]);
  const id = await at.product({ main: 50, store: 50 });
  const several = await statementsOf(() => at.order([[id, 1]]));
  expect([several.names.length, several.turns]).toEqual([one.names.length + 2, 2]);
});
