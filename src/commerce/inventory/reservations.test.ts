import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Tx } from '../../db/pool.ts';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../../testing/harness.ts';
import { convert } from './reservations.ts';
import { moveStock } from './stock.ts';
import { type ShopWithLocations, shopWithLocations } from './testing-shop.ts';

const server = testServer();
let at: ShopWithLocations;

beforeAll(async () => {
  at = await shopWithLocations(server);
});

afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const inTx = <T>(work: (tx: Tx, companyId: number) => Promise<T>): Promise<T> =>
  server.app.db.tx((tx) => work(tx, at.shop.company_id));

const reservationsOf = async (id: number) => (await at.shop.commerce('GET', `/products/${id}/reservations`)).body.data;
const movements = async (id: number) =>
  (await at.shop.commerce('GET', `/products/${id}/stock-movements`)).body.data.map(
    (one: { kind: string; location_id: number; delta: number }) => [one.kind, one.location_id, one.delta],
  );

test('a reservation takes stock where an order would, and its end gives it back there', async () => {
  const id = await at.product({ main: 2, store: 3 });
  const cart = await at.reserved([[id, 4]]);
  expect(await at.stockOf(id)).toEqual([1, 1, 0]);
  const item = { id: expect.any(Number), cart_id: cart, reserved_until: expect.any(String) };
  expect(await reservationsOf(id)).toEqual([
    { ...item, location_id: at.store, qty: 2 },
    { ...item, location_id: at.main, qty: 2 },
  ]);
  const { data } = (await at.shop.commerce('GET', `/inventory?location_id=${at.store}`)).body;
  expect(data.find((one: { product_id: number }) => one.product_id === id)).toMatchObject({
    stock_qty: 1,
    reserved: 4,
    levels: [
      { location_id: at.main, available: 0, reserved: 2 },
      { location_id: at.store, available: 1, reserved: 2 },
      { location_id: at.quarantine, available: 0, reserved: 0 },
    ],
  });
  expect((await at.order([[id, 2]])).body.error.details.items).toMatchObject([{ requested: 2, available: 1 }]);
  await at.release(cart);
  expect(await at.stockOf(id)).toEqual([5, 3, 0]);
  expect(await reservationsOf(id)).toEqual([]);
  expect((await movements(id)).slice(0, 4)).toEqual([
    ['release', at.store, 2],
    ['release', at.main, 2],
    ['reserve', at.store, -2],
    ['reserve', at.main, -2],
  ]);
});

test('a reservation takes all lines or none, and nothing of untracked products', async () => {
  const [a, b] = [await at.product({ main: 5 }), await at.product({ store: 1, quarantine: 5 })];
  const card = (await at.make('/products', { name: 'Card', price: 5, track_stock: false })).id;
  const short = await at.pay([
    [card, 3],
    [a, 5],
    [b, 2],
  ]);
  expect(short.body.error.details).toMatchObject({
    reason: 'insufficient_stock',
    items: [{ index: 2, product_id: b, requested: 2, available: 1 }],
  });
  expect(await at.stockOf(a)).toEqual([5, 0, 0]);
  const cart = await at.reserved(
    [
      [card, 3],
      [b, 4],
    ],
    { location_id: at.quarantine },
  );
  expect([await at.stockOf(b), await reservationsOf(card)]).toEqual([[1, 1, 1], []]);
  const close = await at.shop.commerce('PATCH', `/locations/${at.quarantine}`, { online: true });
  expect(close.body.error.details.reason).toBe('location_not_empty');
  await at.release(cart);
});

test('of carts that are reserved at the same time, each sees what those before it took', async () => {
  const id = await at.product({ main: 3 });
  const paid = await Promise.all([1, 2, 3].map(() => at.pay([[id, 2]])));
  expect(paid.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  expect(paid.find(({ status }) => status === 422)!.body.error.details.items).toMatchObject([{ available: 1 }]);
  expect(await at.stockOf(id)).toEqual([1, 0, 0]);
  await at.release(paid.find(({ status }) => status === 200)!.cart);
});

test('an order from a reservation locks and writes no stock, and is cancelled as any other', async () => {
  const id = await at.product({ main: 1, store: 2 });
  const cart = await at.reserved([[id, 3]]);
  // Another transaction holds the stock meanwhile.
  const placed = await server.app.db.tx(async (held) => {
    await held.query({
      name: 'held',
      text: 'select from product_stock where company_id = $1 and product_id = $2 for update',
      values: [at.shop.company_id, id],
    });
    return at.shop.commerce('POST', `/carts/${cart}/place`);
  });
  expect([placed.status, await at.stockOf(id), await reservationsOf(id)]).toEqual([200, [0, 0, 0], []]);
  expect((await movements(id)).slice(0, 4)).toEqual([
    ['order', at.store, -2],
    ['release', at.store, 2],
    ['order', at.main, -1],
    ['release', at.main, 1],
  ]);
  await at.shop.commerce('PATCH', `/orders/${placed.body.data.id}/status`, { status: 'cancelled' });
  expect(await at.stockOf(id)).toEqual([3, 2, 0]);
});

test('an order without a line for a reserved product is an error', async () => {
  const items = [{ id: 1, cart_id: 7, product_id: 9, location_id: at.main, qty: 1 }];
  const order = { cartId: 7, orderId: 1, lines: [], actor: 'test', now: server.clock.now() };
  const converted = inTx(async (tx, company) => {
    await Promise.all(convert(tx, company, { orders: [order], items }, { keepsAllocations: true }));
  });
  await expect(converted).rejects.toThrow('lacks reserved product 9');
});

test('a reservation sends stock_low when it lowers the stock to the limit, its end and its order nothing', async () => {
  const id = await at.product({ main: 3, store: 2 });
  await at.shop.commerce('PATCH', `/products/${id}`, { low_stock_at: 3 });
  const low = () =>
    server.rows(
      "select payload from outbox where company_id = $1 and topic = 'stock_low' and payload ->> 'product_id' = $2",
      [at.shop.company_id, String(id)],
    );
  const first = await at.reserved([[id, 1]]);
  expect(await low()).toEqual([]);
  const cart = await at.reserved([[id, 2]]);
  const sent = [{ payload: { stock_qty: 2, low_stock_at: 3 } }];
  expect(await low()).toMatchObject(sent);
  await at.release(cart);
  await at.release(first);
  expect(await low()).toMatchObject(sent);
});

test('a move at an unknown location is an error, and writes nothing', async () => {
  const id = await at.product({ main: 3 });
  const move = { productId: id, kind: 'adjust', referenceId: null, delta: -1, actor: 'test' } as const;
  const moves = [at.main, 999_999].map((locationId) => ({ ...move, locationId, at: server.clock.now() }));
  await expect(inTx((tx, company) => moveStock(tx, company, moves))).rejects.toThrow('1 of 2 moves have a location');
  expect(await at.stockOf(id)).toEqual([3, 0, 0]);
});
