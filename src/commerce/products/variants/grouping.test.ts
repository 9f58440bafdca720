import { expect, test } from 'vitest';
import { TestImports } from '../../../imports/testing/imports.ts';
import { checkInvariants } from '../../../invariants.ts';
import { testServer } from '../../../testing/harness.ts';
import { rounds } from '../../../testing/random/seed.ts';

const server = testServer();
const PRODUCTS = rounds(300, 10_000);
const PER_PARENT = 100;

test(`grouping ${PRODUCTS} imported products leaves orders, stock and subscriptions as they were`, {
  timeout: 600_000,
}, async () => {
  const shop = await server.company();
  const rows = Array.from({ length: PRODUCTS }, (_, i) => `Shirt ${i},shirt-${i},${5 + (i % 7)},${i % 4},S-${i}`);
  const csv = ['name,slug,price,stock_qty,sku', ...rows].join('\n');
  const imported = await new TestImports(server, shop).import('csv-products', csv);
  expect(imported).toMatchObject({ created: PRODUCTS, refused: 0 });
  const ids = (
    await server.rows<{ id: number }>('select id from products where company_id = $1 order by id', [shop.company_id])
  ).map(({ id }) => Number(id));

  const customer = (await shop.commerce('POST', '/customers', { email: 'ada@example.com' })).body.data!.id;
  const address = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
  for (let i = 1; i < PRODUCTS; i += PRODUCTS / 10) {
    const items = [{ product_id: ids[i], qty: 1 }];
    expect((await shop.commerce('POST', '/orders', { customer_id: customer, items, ...address })).status).toBe(201);
    await shop.commerce('PATCH', `/products/${ids[i + 1]}`, { subscription_enabled: true });
    const plan = { customer_id: customer, product_id: ids[i + 1], frequency_id: 1, ...address };
    expect((await shop.commerce('POST', '/subscriptions', plan)).body).toMatchObject({ success: true });
  }
  const state = async () => ({
    orders: (await shop.commerce('GET', '/orders?per_page=100')).body.data,
    subscriptions: (await shop.commerce('GET', '/subscriptions?per_page=100')).body.data,
    stock: await server.rows<{ stock_qty: number }>(
      `select p.id, p.sku, p.price, s.stock_qty from products p join product_stock s using (company_id)
       where p.company_id = $1 and s.product_id = p.id and p.variant_count = 0 order by p.id`,
      [shop.company_id],
    ),
    movements: await server.rows(
      'select product_id, kind, delta from stock_movements where company_id = $1 order by id',
      [shop.company_id],
    ),
  });
  const before = await state();
  for (let first = 0; first < PRODUCTS; first += PER_PARENT) {
    const variants = ids
      .slice(first, first + PER_PARENT)
      .map((product_id, i) => ({ product_id, options: [{ name: 'Size', value: `${i}` }] }));
    const options = [{ name: 'Size', values: variants.map((_, i) => `${i}`) }];
    const grouped = await shop.commerce('POST', '/products/group', { name: `Shirts ${first}`, options, variants });
    expect(grouped.body).toMatchObject({ success: true });
    const sum = before.stock.slice(first, first + PER_PARENT).reduce((total, { stock_qty }) => total + stock_qty, 0);
    expect(grouped.body.data).toMatchObject({ variant_count: PER_PARENT, stock_qty: sum });
  }
  expect(await state()).toEqual(before);
  expect((await shop.commerce('GET', '/products')).body.meta.pagination.total).toBe(PRODUCTS / PER_PARENT);
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
});
