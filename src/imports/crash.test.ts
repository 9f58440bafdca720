import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestBody } from '../testing/harness.ts';
import { KilledProgram } from './testing/killed-program.ts';

/** Higher values of IMPORT_ROWS and IMPORT_KILLS test the same at length. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 6_000);
/** An order has rows in several tables, which cost as much as some contacts. */
const ORDERS = Math.ceil(ROWS / 10);
/** Must be even: half of the products exist before the import. */
const PRODUCT_ROWS = 2 * Math.ceil(ROWS / 6);
const KILLS = Number(process.env.IMPORT_KILLS ?? 1);

const CUSTOMERS = 150;
const PRODUCTS = 40;

const killed = new KilledProgram();

beforeAll(() => killed.start(), 300_000);
beforeEach(() => killed.newCompany());
afterAll(async () => expect(await killed.stop()).toMatchObject({ ok: true }), 300_000);

async function count(of: string): Promise<TestBody> {
  return (await killed.onDatabase(`select ${of} where company_id = $1`, [killed.company]))[0];
}

function file(header: string, lines: string[]): Buffer {
  return Buffer.from(`${header}\n${lines.join('\n')}\n`);
}

test(`${ROWS} contacts over ${KILLS} kills with -9 in each phase: each row is checked, imported and undone once`, {
  timeout: 300_000,
}, async () => {
  const lines = Array.from({ length: ROWS }, (_, i) => `p${i}@example.com,P${i},${i % 100 === 0 ? 'perhaps' : 'yes'}`);
  const id = await killed.upload('csv-contacts', file('email,first name,consent', lines));
  const refused = Math.ceil(ROWS / 100);
  const result = { total: ROWS, position: ROWS, created: ROWS - refused, updated: 0, refused };
  const phase = { total: ROWS, kills: KILLS };
  expect(await killed.phase(id, 'check', phase)).toMatchObject({ status: 'checked', ...result });
  expect(await count('count(*)::int as n from contacts')).toEqual({ n: 0 });
  const findings = 'count(*)::int as n, count(distinct row)::int as rows from import_findings';
  expect(await count(findings)).toEqual({ n: refused, rows: refused });

  expect(await killed.phase(id, 'run', phase)).toMatchObject({ status: 'done', ...result });
  const contacts = 'count(*)::int as n, count(distinct email)::int as people from contacts';
  expect(await count(contacts)).toEqual({ n: ROWS - refused, people: ROWS - refused });
  const journal = 'sum(cardinality(record_ids))::int as n from import_journal';
  expect(await count(journal)).toEqual({ n: ROWS - refused });

  // A contact that was changed since is kept.
  await killed.onDatabase(
    "update contacts set updated_at = updated_at + interval '1 s' where email = 'p1@example.com'",
  );
  const undone = await killed.phase(id, 'undo', phase);
  expect(undone).toMatchObject({ status: 'undone', undone: ROWS - refused - 1, kept: 1 });
  expect(await count('array_agg(email) as emails from contacts')).toEqual({ emails: ['p1@example.com'] });
  expect(await count('count(*)::int as n from contact_last_activity')).toEqual({ n: 1 });
});

test(`${ORDERS} orders over ${KILLS} kills with -9 in each phase: each is imported and undone once, and the books are equal`, {
  timeout: 300_000,
}, async () => {
  // Two items per order, each in its own row, at 3 and 2 × 5; every hundredth order has a status that does not exist.
  const lines = Array.from({ length: ORDERS }, (_, i) => [
    `${i},b${i % CUSTOMERS}@example.com,${i % 100 === 0 ? 'lost' : 'delivered'},13.00,A${i % PRODUCTS},1,3.00`,
    `${i},,,,B${i % PRODUCTS},2,5.00`,
  ]).flat();
  const id = await killed.upload('csv-orders', file('number,email,status,total,item name,quantity,price', lines));
  const refused = Math.ceil(ORDERS / 100);
  const made = ORDERS - refused;
  const result = { total: 2 * ORDERS, position: 2 * ORDERS, created: made, updated: 0, refused };
  const phase = { total: 2 * ORDERS, kills: KILLS };
  expect(await killed.phase(id, 'check', phase)).toMatchObject({ status: 'checked', ...result });
  expect(await count('count(*)::int as n from orders')).toEqual({ n: 0 });

  expect(await killed.phase(id, 'run', phase)).toMatchObject({ status: 'done', ...result });
  const orders =
    'count(*)::int as n, count(distinct external_id)::int as numbers, sum(total)::int as total from orders';
  expect(await count(orders)).toEqual({ n: made, numbers: made, total: made * 1_300 });
  const items =
    'count(*)::int as n, count(distinct order_id)::int as orders, sum(subtotal)::int as total from order_items';
  expect(await count(items)).toEqual({ n: 2 * made, orders: made, total: made * 1_300 });
  expect(await count('sum(order_count)::int as n from customer_accounts')).toEqual({ n: made });
  const people = new Set(Array.from({ length: ORDERS }, (_, i) => i).flatMap((i) => (i % 100 ? [i % CUSTOMERS] : [])));
  expect(await count('count(*)::int as n from customers')).toEqual({ n: people.size });
  expect(await count('count(*)::int as n from products')).toEqual({ n: 2 * PRODUCTS });

  // An order that was changed since is kept, with its customer, their contact and its products.
  await killed.onDatabase("update orders set updated_at = updated_at + interval '1 s' where external_id = '1'");
  const records = (await count('sum(cardinality(record_ids))::int as n from import_journal')).n;
  const undone = await killed.phase(id, 'undo', { total: records, kills: KILLS });
  expect(undone).toMatchObject({ status: 'undone', undone: records - 5, kept: 5 });
  expect(await count('array_agg(external_id) as numbers from orders')).toEqual({ numbers: ['1'] });
  expect(await count('count(*)::int as n from order_items')).toEqual({ n: 2 });
  expect(await count('sum(order_count)::int as n from customer_accounts')).toEqual({ n: 1 });
  expect(await count('count(*)::int as n from customers')).toEqual({ n: 1 });
  expect(await count('array_agg(name order by name) as names from products')).toEqual({ names: ['A1', 'B1'] });
  expect(await count('count(*)::int as n from contacts')).toEqual({ n: 1 });
});

test(`${PRODUCT_ROWS} products over ${KILLS} kills with -9 in each phase: each is imported and undone once, with its price and stock`, {
  timeout: 300_000,
}, async () => {
  const known = PRODUCT_ROWS / 2;
  const header = 'name,sku,price,stock,categories';
  const line = (i: number, price: string, stock: number): string =>
    `Cup ${i},C-${i},${price},${stock},"cups, c${i % 7}"`;
  // Half of them exist before, with another price and stock.
  const before = await killed.upload(
    'csv-products',
    file(
      header,
      Array.from({ length: known }, (_, i) => line(i, '2.00', 1)),
    ),
  );
  expect(await killed.imported(before)).toMatchObject({ status: 'done', created: known });
  const there =
    'select name, slug, sku, price, categories, stock_qty from products p join product_stock s using (company_id)';
  const products = `${there} where company_id = $1 and s.product_id = p.id order by sku`;
  const old = await killed.onDatabase(products, [killed.company]);

  const lines = Array.from({ length: PRODUCT_ROWS }, (_, i) => line(i, i % 100 === 0 ? 'cheap' : '3.00', 5));
  const id = await killed.upload('csv-products', file(header, lines));
  const refused = Math.ceil(PRODUCT_ROWS / 100);
  const updated = known - Math.ceil(known / 100);
  const created = PRODUCT_ROWS - refused - updated;
  const result = { total: PRODUCT_ROWS, position: PRODUCT_ROWS, created, updated, unchanged: 0, refused };
  const phase = { total: PRODUCT_ROWS, kills: KILLS };
  expect(await killed.phase(id, 'check', phase)).toMatchObject({ status: 'checked', ...result });
  expect(await killed.onDatabase(products, [killed.company])).toEqual(old);

  expect(await killed.phase(id, 'run', phase)).toMatchObject({ status: 'done', ...result });
  expect(
    await count(
      'count(*)::int as n, count(distinct sku)::int as skus, count(distinct slug)::int as slugs from products',
    ),
  ).toEqual({
    n: known + created,
    skus: known + created,
    slugs: known + created,
  });
  // Each price and each stock was written once: either 1 and later 4 more, or 5 at once.
  const prices = 'count(*)::int as n from price_history';
  const movements = 'count(*)::int as n, sum(delta)::int as stock from stock_movements';
  const unread = known - updated;
  expect(await count(prices)).toEqual({ n: known + updated + created });
  expect(await count(movements)).toEqual({ n: known + updated + created, stock: unread + 5 * (updated + created) });
  expect(await count('count(*)::int as n from product_categories')).toEqual({ n: 2 * (known + created) });

  // A product that was changed since is kept.
  await killed.onDatabase("update products set updated_at = updated_at + interval '1 s' where sku = 'C-1'");
  const undone = await killed.phase(id, 'undo', { total: updated + created, kills: KILLS });
  expect(undone).toMatchObject({ status: 'undone', undone: updated + created - 1, kept: 1 });
  const now = await killed.onDatabase(products, [killed.company]);
  expect(now).toEqual(old.map((one) => (one.sku === 'C-1' ? { ...one, price: '300', stock_qty: 5 } : one)));
  expect(await count(movements)).toEqual({ n: known + 2 * updated - 1, stock: known + 4 });
  expect(await count('count(*)::int as n from product_categories')).toEqual({ n: 2 * known });
});

test(`${PRODUCT_ROWS} variants over ${KILLS} kills with -9 in each phase: each is one of its parent, whose rows are spread over the file`, {
  timeout: 300_000,
}, async () => {
  const parents = Math.max(20, Math.ceil(PRODUCT_ROWS / 1_000));
  const known = PRODUCT_ROWS / 2;
  // Half of them exist as simple products before.
  const simple = Array.from({ length: known }, (_, i) => `Old ${i},V-${i},2.00,1`);
  const before = await killed.upload('csv-products', file('name,sku,price,stock', simple));
  expect(await killed.imported(before)).toMatchObject({ status: 'done', created: known });
  const products = `select id, name, slug, price, variant_of, options, categories, stock_qty
    from products p join product_stock s using (company_id) where company_id = $1 and s.product_id = p.id order by id`;
  const old = await killed.onDatabase(products, [killed.company]);

  const lines = Array.from({ length: PRODUCT_ROWS }, (_, i) => {
    const n = Math.floor(i / parents);
    return `p-${i % parents},Product ${i % parents},V-${i},${i % 100 === 0 ? 'cheap' : '3.00'},5,tops,A,${n % 50},B,${Math.floor(n / 50)}`;
  });
  const header = 'parent_slug,name,sku,price,stock,categories,option1_name,option1_value,option2_name,option2_value';
  const id = await killed.upload('csv-products', file(header, lines));
  const refused = Math.ceil(PRODUCT_ROWS / 100);
  const updated = known - Math.ceil(known / 100);
  const created = PRODUCT_ROWS - refused - updated;
  const result = { total: PRODUCT_ROWS, position: PRODUCT_ROWS, created, updated, unchanged: 0, refused };
  const phase = { total: PRODUCT_ROWS, kills: KILLS };
  expect(await killed.phase(id, 'check', phase)).toMatchObject({ status: 'checked', ...result });
  expect(await killed.onDatabase(products, [killed.company])).toEqual(old);

  expect(await killed.phase(id, 'run', phase)).toMatchObject({ status: 'done', ...result });
  expect(
    (
      await killed.onDatabase(
        'select count(*)::int as n, sum(variant_count)::int as variants from products where company_id = $1 and variant_count > 0',
        [killed.company],
      )
    )[0],
  ).toEqual({
    n: parents,
    variants: created + updated,
  });

  const undone = await killed.phase(id, 'undo', { total: updated + created, kills: KILLS });
  expect(undone).toMatchObject({ status: 'undone', undone: updated + created, kept: 0 });
  expect(await killed.onDatabase(products, [killed.company])).toEqual(old);
});
