import { expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../../testing/harness.ts';
import { inventoryInvariants } from './invariants.ts';
import { shopWithLocations } from './testing-shop.ts';

const server = testServer();

/** Creates a shop with an order that took stock at two locations. */
async function busyShop() {
  const at = await shopWithLocations(server);
  const product = await at.product({ main: 4, store: 6 });
  const order = (await at.order([[product, 7]])).body.data.id;
  await at.reserved([[product, 1]]);
  const lines = [{ product_id: product, qty: 1 }];
  const between = { from_location_id: at.store, to_location_id: at.main };
  const transfer = (await at.make('/inventory/transfers', { ...between, lines })).id;
  await at.make(`/inventory/transfers/${transfer}/send`, {});
  return {
    transfer,
    product,
    order,
    main: at.main,
    store: at.store,
    quarantine: at.quarantine,
    company: at.shop.company_id,
  };
}

test('a healthy shop violates no invariant', async () => {
  await busyShop();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const DAMAGES = [
  ['S1.stock', 'update product_stock set stock_qty = stock_qty + 1 where product_id = $1', 'product'],
  ['S1.stock', 'update locations set online = false where id = $1', 'store'],
  ['S2.levels', 'update stock_levels set available = available + 1 where product_id = $1', 'product'],
  ['S2.levels', 'delete from stock_levels where product_id = $1', 'product'],
  ['S2.levels', 'update product_stock set stock_qty = 0 where product_id = $1', 'product'],
  [
    'S2.levels',
    'insert into stock_levels (company_id, product_id, location_id, available) select company_id, 1, id, 0 from locations where id = $1',
    'main',
  ],
  [
    'S3.lines',
    "delete from stock_movements where kind = 'order' and reference_id in (select id from order_items where order_id = $1)",
    'order',
  ],
  ['S3.lines', 'delete from order_items where order_id = $1', 'order'],
  ['S3.lines', 'delete from order_allocations where order_id = $1 and qty = 3', 'order'],
  [
    'S3.lines',
    "insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at) select company_id, product_id, 'cancel', id, qty, 'test', now() from order_items where order_id = $1",
    'order',
  ],
  ['S4.reservations', 'delete from reservation_items where product_id = $1', 'product'],
  ['S4.reservations', "delete from stock_movements where kind = 'reserve' and product_id = $1", 'product'],
  ['S5.transfers', "delete from stock_movements where kind = 'transfer' and product_id = $1", 'product'],
  ['S5.transfers', "update stock_transfers set status = 'received' where id = $1", 'transfer'],
  [
    'S5.transfers',
    `update stock_transfers set lines = jsonb_set(lines, '{0,received}', '1') where id = $1`,
    'transfer',
  ],
  ['S6.in_stock', 'update products set in_stock = not in_stock where id = $1', 'product'],
] as const;

test('every invariant has a test that damages a row', () => {
  expect([...new Set(DAMAGES.map(([id]) => id))]).toEqual(inventoryInvariants.map(({ id }) => id));
});

test.each(DAMAGES)('%s fails when a row is damaged: %s', async (id, damage, subject) => {
  const ids = await busyShop();
  await server.rows(damage, [ids[subject]]);
  const finding = (await checkInvariants(server.app.db)).find((one) => one.id === id);
  expect(finding).toMatchObject({ ok: false });
  expect(finding!.examples.map((example) => example.company_id)).toContain(ids.company);
});
