import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Tx } from '../../db/pool.ts';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { convert, release, reserve } from './reservations.ts';
import { moveStock } from './stock.ts';
import { type ShopWithLocations, shopWithLocations } from './testing-shop.ts';

const server = testServer();
let at: ShopWithLocations;
let carts = 0;

beforeAll(async () => {
  at = await shopWithLocations(server);
});

afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const stamp = () => ({ actor: 'test', now: server.clock.now() });
const inTx = <T>(work: (tx: Tx, companyId: number) => Promise<T>): Promise<T> =>
  server.app.db.tx((tx) => work(tx, at.shop.company_id));
const reservedUntil = new Date('2026-03-01T12:30:00Z');

/** Reserves for a new cart, and returns its id. */
async function reserved(lines: [number, number][], locationId: number | null = null): Promise<number> {
  const cartId = ++carts;
  const one = { cartId, reservedUntil, locationId, lines: lines.map(([productId, qty]) => ({ productId, qty })) };
  await inTx((tx, company) => reserve(tx, company, [one], stamp()));
  return cartId;
}

const reservationsOf = async (id: number) => (await at.shop.commerce('GET', `/products/${id}/reservations`)).body.data;
const movements = async (id: number) =>
  (await at.shop.commerce('GET', `/products/${id}/stock-movements`)).body.data.map(
    (one: { kind: string; location_id: number; delta: number }) => [one.kind, one.location_id, one.delta],
  );

test('a reservation takes stock where an order would, and its end gives it back there', async () => {
  const id = await at.product({ main: 2, store: 3 });
  const cart = await reserved([[id, 4]]);
  expect(await at.stockOf(id)).toEqual([1, 1, 0]);
  const item = { id: expect.any(Number), cart_id: cart, reserved_until: reservedUntil.toISOString() };
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
  await inTx((tx, company) => release(tx, company, [cart], stamp()));
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
  const short = reserved([
    [card, 3],
    [a, 5],
    [b, 2],
  ]);
  await expect(short).rejects.toMatchObject({
    code: 'insufficient_stock',
    details: { items: [{ index: 2, product_id: b, requested: 2, available: 1 }] },
  });
  expect(await at.stockOf(a)).toEqual([5, 0, 0]);
  const cart = await reserved(
    [
      [card, 3],
      [b, 4],
    ],
    at.quarantine,
  );
  expect([await at.stockOf(b), await reservationsOf(card)]).toEqual([[1, 1, 1], []]);
  const close = await at.shop.commerce('PATCH', `/locations/${at.quarantine}`, { online: true });
  expect(close.body.error.details.reason).toBe('location_not_empty');
  await inTx((tx, company) => release(tx, company, [cart], stamp()));
});

test('carts that are reserved together see what those before them took', async () => {
  const id = await at.product({ main: 3 });
  const two = [++carts, ++carts].map((cartId) => ({
    cartId,
    reservedUntil,
    locationId: null,
    lines: [{ productId: id, qty: 2 }],
  }));
  await expect(inTx((tx, company) => reserve(tx, company, two, stamp()))).rejects.toMatchObject({
    details: { items: [{ available: 1 }] },
  });
  expect(await at.stockOf(id)).toEqual([3, 0, 0]);
});

test('an order from a reservation writes no stock, and is cancelled as any other', async () => {
  const id = await at.product({ main: 1, store: 2 });
  const cart = await reserved([[id, 3]]);
  // Stands for the order that is placed from the cart: written without taking stock.
  const other = await at.product({ main: 9 });
  const placed = (await at.order([[other, 3]])).body.data;
  const lineId = placed.items[0].id;
  await server.rows("delete from stock_movements where kind = 'order' and reference_id = $1", [lineId]);
  await server.rows('delete from order_allocations where line_id = $1', [lineId]);
  await server.rows('update product_stock set stock_qty = 9 where product_id = $1', [other]);
  await server.rows('update order_items set product_id = $1 where id = $2', [id, lineId]);
  const order = { cartId: cart, orderId: placed.id, lines: [{ lineId, productId: id }] };
  // Another transaction holds the stock meanwhile.
  const sent = await recordStatements(() =>
    server.app.db.tx(async (held) => {
      await held.query({
        name: 'held',
        text: 'select from product_stock where company_id = $1 and product_id = $2 for update',
        values: [at.shop.company_id, id],
      });
      await inTx((tx, company) => convert(tx, company, [order], { ...stamp(), keepsAllocations: true }));
    }),
  );
  expect(sent.filter(({ text }) => /for update/.test(text))).toHaveLength(1);
  expect([await at.stockOf(id), await reservationsOf(id)]).toEqual([[0, 0, 0], []]);
  await at.shop.commerce('PATCH', `/orders/${placed.id}/status`, { status: 'cancelled' });
  expect(await at.stockOf(id)).toEqual([3, 2, 0]);
});

test('an order without a line for a reserved product is an error', async () => {
  const id = await at.product({ main: 1 });
  const cart = await reserved([[id, 1]]);
  const order = { cartId: cart, orderId: 1, lines: [] };
  const converted = inTx((tx, company) => convert(tx, company, [order], { ...stamp(), keepsAllocations: true }));
  await expect(converted).rejects.toThrow(`no line for reserved product ${id}`);
});

test('a reservation sends stock_low when it lowers the stock to the limit, its end and its order nothing', async () => {
  const id = await at.product({ main: 3, store: 2 });
  await at.shop.commerce('PATCH', `/products/${id}`, { low_stock_at: 3 });
  const low = () =>
    server.rows(
      "select payload from outbox where company_id = $1 and topic = 'stock_low' and payload ->> 'product_id' = $2",
      [at.shop.company_id, String(id)],
    );
  await reserved([[id, 1]]);
  expect(await low()).toEqual([]);
  const cart = await reserved([[id, 2]]);
  const sent = [{ payload: { stock_qty: 2, low_stock_at: 3 } }];
  expect(await low()).toMatchObject(sent);
  await inTx((tx, company) => release(tx, company, [cart], stamp()));
  expect(await low()).toMatchObject(sent);
});

test('a move at an unknown location is an error, and writes nothing', async () => {
  const id = await at.product({ main: 3 });
  const move = { productId: id, kind: 'adjust', referenceId: null, delta: -1, actor: 'test' } as const;
  const moves = [at.main, 999_999].map((locationId) => ({ ...move, locationId, at: server.clock.now() }));
  await expect(inTx((tx, company) => moveStock(tx, company, moves))).rejects.toThrow('1 of 2 moves have a location');
  expect(await at.stockOf(id)).toEqual([3, 0, 0]);
});
