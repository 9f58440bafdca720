import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { drawn, upload } from '../commerce/pictures/testing-pictures.ts';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { testPerson } from '../testing/people.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;
let id: number;
let other: pg.Client;

beforeAll(async () => {
  other = new pg.Client(server.connection);
  await other.connect();
});
afterAll(() => other.end());
beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
  id = shop.company_id;
});
afterEach(async () => {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
});

const idOf = async (table: string): Promise<number> =>
  Number((await server.rows<{ id: string }>(`select id from ${table} where company_id = $1`, [id]))[0]!.id);
const product = async (slug: string) => (await shop.commerce('GET', `/products/${slug}`)).body.data;

const CUSTOMERS = 'email,first name,consent\nann@example.com,Ann,yes\n';
const PRODUCTS = 'name,sku,price,stock\nCup,CUP-1,5,10\n';
const ORDER = `insert into orders (company_id, customer_id, status, subtotal, discount, tax, shipping, total, shipping_address, shipping_city, shipping_zip,
    shipping_country, created_at, updated_at)
  values ($1, $2, 'pending', 500, 0, 0, 0, 500, '1 Main', 'X', '1', 'US', now(), now()) returning id`;
const ACCOUNT = `insert into customer_accounts as a (company_id, customer_id, order_count) values ($1, $2, 1)
  on conflict (company_id, customer_id) do update set order_count = a.order_count + 1`;

/** Orders a product for a customer in a separate transaction, as placing does, which commits while the undo waits. */
async function undoneMeanwhile(undone: number, order: () => Promise<void>) {
  await other.query('begin');
  await order();
  const [done] = await Promise.all([imports.undo(undone), sleep(300).then(() => other.query('commit'))]);
  return done;
}

describe('an undo', () => {
  test('keeps a customer whose order is placed meanwhile', async () => {
    const stock = await shop.commerce('POST', '/products', { name: 'Cup', price: 5, stock_qty: 10 });
    const done = await imports.import('csv-customers', CUSTOMERS);
    const customer = await idOf('customers');
    const undone = await undoneMeanwhile(done.id, async () => {
      await other.query(ACCOUNT, [id, customer]);
      const { rows } = await other.query(ORDER, [id, customer]);
      await other.query(
        `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
         values ($1, $2, 0, $3, 'Cup', 1, 500, 500)`,
        [id, rows[0].id, stock.body.data.id],
      );
      await other.query('update product_stock set stock_qty = stock_qty - 1 where company_id = $1', [id]);
      await other.query(
        `insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
         select company_id, product_id, 'order', id, -qty, 'test', now() from order_items where company_id = $1 and order_id = $2`,
        [id, rows[0].id],
      );
      await other.query(
        `insert into order_history (company_id, order_id, type, to_status, actor, created_at)
         values ($1, $2, 'created', 'pending', 'test', now())`,
        [id, rows[0].id],
      );
    });
    expect(undone).toMatchObject({ status: 'undone', kept: 2 });
    expect(await idOf('customers')).toBe(customer);
  });

  test('closes the accounts of the customers that it removes to orders that have read them before', async () => {
    const done = await imports.import('csv-customers', CUSTOMERS);
    const customer = await idOf('customers');
    expect(await imports.undo(done.id)).toMatchObject({ kept: 0 });
    await expect(other.query(ACCOUNT, [id, customer])).rejects.toMatchObject({ code: '40001' });
  });

  test('keeps a product whose stock is taken meanwhile', async () => {
    const done = await imports.import('csv-products', PRODUCTS);
    const cup = await idOf('products');
    const undone = await undoneMeanwhile(done.id, async () => {
      await other.query('update product_stock set stock_qty = stock_qty - 1 where company_id = $1', [id]);
      await other.query(
        `insert into stock_movements (company_id, product_id, kind, delta, actor, created_at)
         values ($1, $2, 'adjust', -1, 'test', now())`,
        [id, cup],
      );
    });
    expect(undone).toMatchObject({ status: 'undone', kept: 1 });
    expect((await product('cup')).stock_qty).toBe(9);
  });

  test('keeps customers and orders that somebody wrote a note about', async () => {
    const customers = await imports.import('csv-customers', CUSTOMERS);
    const orders = await imports.import('csv-orders', 'number,email,item name,item price\n1,bob@example.com,Cup,5\n');
    await shop.commerce('POST', `/orders/${await idOf('orders')}/notes`, { text: 'Call them' });
    const [ann] = (await shop.commerce('GET', '/customers?search=ann')).body.data;
    await shop.commerce('POST', `/customers/${ann.id}/notes`, { text: 'Likes cups' });
    // Keeps the order, its product, its customer and their contact.
    expect(await imports.undo(orders.id)).toMatchObject({ undone: 0, kept: 4 });
    expect(await imports.undo(customers.id)).toMatchObject({ undone: 0, kept: 2 });
  });

  test('keeps orders that money was recorded for', async () => {
    const orders = await imports.import('csv-orders', 'number,email,item name,item price\n1,bob@example.com,Cup,5\n');
    const method = await shop.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Till' });
    const money = { method_id: method.body.data.id, amount: 5 };
    expect((await shop.commerce('POST', `/orders/${await idOf('orders')}/payments`, money)).status).toBe(201);
    expect(await imports.undo(orders.id)).toMatchObject({ undone: 0, kept: 4 });
  });

  test.each(['sku', 'barcode'])('keeps a product as it is whose %s another one has got', async (field) => {
    await shop.commerce('POST', '/products', { name: 'Cup', sku: 'CUP-1', barcode: '40', price: 4, stock_qty: 10 });
    const done = await imports.import('csv-products', PRODUCTS);
    expect(done).toMatchObject({ updated: 1 });
    await server.rows(`update products set ${field} = 'CUP-2' where company_id = $1`, [id]);
    const taken = { sku: 'CUP-1', barcode: '40' }[field];
    const other = await shop.commerce('POST', '/products', { name: 'Other', [field]: taken, price: 1 });
    expect(other.status).toBe(201);
    expect(await imports.undo(done.id)).toMatchObject({ status: 'undone', undone: 0, kept: 1 });
    const cup = await product('cup');
    expect(cup).toMatchObject({ [field]: 'CUP-2', price: 5 });
    expect(await imports.findings(done.id, 'undo')).toMatchObject([
      { reason: expect.stringContaining(`product ${cup.id} `) },
    ]);
  });

  test('leaves fields as they are that products have got since the import', async () => {
    const given = { barcode: '40', compare_at_price: 9, cost: 2, weight_g: 300, requires_shipping: false };
    await shop.commerce('POST', '/products', { name: 'Cup', sku: 'CUP-1', price: 4, stock_qty: 10, ...given });
    const done = await imports.import('csv-products', PRODUCTS);
    await server.rows('update import_journal set before = before - $2::text[] where company_id = $1', [
      id,
      Object.keys(given),
    ]);
    expect(await imports.undo(done.id)).toMatchObject({ status: 'undone', undone: 1, kept: 0 });
    expect(await product('cup')).toMatchObject({ price: 4, ...given });
  });
});

describe('a picture that is stored here', () => {
  const deleteAfterOf = async (picture: number) =>
    (await server.rows<{ delete_after: Date | null }>('select delete_after from pictures where id = $1', [picture]))[0]!
      .delete_after;
  const uploaded = async (width: number) => {
    const owner = await testPerson(server, { [id]: 'owner' });
    return (await upload(server, owner, id, await drawn(width, 50))).body;
  };

  test('stays while a product of an import shows it, and is let go of with the import', async () => {
    const [old, fresh] = [await uploaded(50), await uploaded(51)];
    await shop.commerce('POST', '/products', { name: 'Cup', price: 5, stock_qty: 1, images: [{ url: old.url }] });
    const file = `name,slug,price,images\nCup,cup,6,${fresh.url}\nPot,pot,7,${fresh.url}\n`;
    const done = await imports.import('csv-products', file);
    expect(done).toMatchObject({ created: 1, updated: 1 });
    expect([await deleteAfterOf(old.id), await deleteAfterOf(fresh.id)]).toEqual([expect.any(Date), null]);
    expect(await checkInvariants(server.app.db).then((all) => all.filter(({ ok }) => !ok))).toEqual([]);
    expect(await imports.undo(done.id)).toMatchObject({ kept: 0 });
    expect([await deleteAfterOf(old.id), await deleteAfterOf(fresh.id)]).toEqual([null, expect.any(Date)]);
    await server.rows('delete from product_pictures where picture_id = $1', [old.id]);
    const broken = async () => (await checkInvariants(server.app.db)).filter(({ ok }) => !ok).map((one) => one.id);
    expect(await broken()).toContain('I2.pictures.linked');
    await shop.commerce('PATCH', '/products/cup', { images: [{ url: old.variants.thumb }] });
    expect(await broken()).toEqual([]);
  });
});

describe('a product of a file', () => {
  test('with another SKU is another product, though its slug is the same', async () => {
    await shop.commerce('POST', '/products', { name: 'Mug', sku: 'M-1', price: 4, stock_qty: 1 });
    await shop.commerce('POST', '/products', { name: 'Tee', price: 4, stock_qty: 1 });
    const file = 'name,slug,sku,price\nMug,mug,M-2,7\nTee,tee,T-1,8\nTee,tee,T-2,9\nMug,mug,,6\n';
    expect(await imports.import('csv-products', file)).toMatchObject({ created: 2, updated: 2 });
    expect(await product('mug')).toMatchObject({ sku: 'M-1', price: 6 });
    expect(await product('mug-2')).toMatchObject({ sku: 'M-2', price: 7 });
    expect(await product('tee')).toMatchObject({ sku: 'T-1', price: 8 });
    expect(await product('tee-2')).toMatchObject({ sku: 'T-2', price: 9 });
  });

  test('is ordered under its own SKU, though the name is that of another one', async () => {
    await shop.commerce('POST', '/products', { name: 'Mug', sku: 'M-1', price: 4, stock_qty: 1 });
    const file = 'number,email,item name,item sku,item price\n1,bob@example.com,Mug,M-2,5\n';
    expect(await imports.import('csv-orders', file)).toMatchObject({ created: 1 });
    expect(await product('mug-2')).toMatchObject({ sku: 'M-2', archived: true });
  });
});

test('customers whose sums are being added up are removed afterwards: neither waits for the other in a circle', async () => {
  const emails = Array.from({ length: 2 }, (_, i) => `p${i}@example.com`);
  const done = await imports.import('csv-customers', `email,consent\n${emails.map((one) => `${one},no\n`).join('')}`);
  const rows = await server.rows<{ id: string }>('select id from customers where company_id = $1 order by id', [id]);
  const [first, last] = [rows[0]!.id, rows[1]!.id];
  // Locks rows as fold_customer_figures does, in the order of its plan.
  const update = 'update customer_figures set spent = spent where company_id = $1 and customer_id = $2';
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(7265319432)');
  await other.query(update, [id, last]);
  const undone = imports.undo(done.id);
  await expect.poll(() => server.lockWaits('advisory')).toBe(1);
  await other.query(update, [id, first]);
  await other.query('commit');
  // Each customer is undone with their contact.
  expect(await undone).toMatchObject({ status: 'undone', undone: 4, kept: 0 });
});
