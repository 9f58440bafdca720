import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { sample, TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

interface Stored {
  name: string;
  sku: string | null;
  stock_qty: number;
  price: number;
  archived: boolean;
}
const products = async (): Promise<Stored[]> => {
  const lists = await Promise.all(
    ['', '&archived=true'].map((more) => shop.commerce('GET', `/products?per_page=100${more}`)),
  );
  return lists.flatMap(({ body }) => body.data);
};
const stocks = async () => Object.fromEntries((await products()).map(({ name, stock_qty }) => [name, stock_qty]));

test('a check counts the filled cells of every column that is not kept, without their values', async () => {
  const id = await imports.upload(
    'csv-products',
    'name,price,Vendor,Empty,Vendor\nMug,5,Ann,,x\nCup,6,,,y\nPot,7,Bob, ,',
  );
  const { notices } = await imports.check(id);
  expect(notices).toEqual([
    { code: 'column_not_kept', column: 'Vendor', count: 2 },
    { code: 'column_not_kept', column: 'Vendor', count: 2 },
  ]);
  const others = await imports.upload('shopify-products', sample('shopify-products'));
  const counted = (await imports.check(others)).notices.filter(
    ({ code }: { code: string }) => code === 'column_not_kept',
  );
  expect(counted).toContainEqual({ code: 'column_not_kept', column: 'Tags', count: 1 });
});

describe('products whose stock is not counted', () => {
  const shopify = [
    'Handle,Title,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price',
    'counted,Counted,A,shopify,3,deny,5',
    'sold-out,Sold out,B,shopify,0,deny,5',
    'uncounted,Uncounted,C,,0,deny,5',
    'continues,Continues,D,shopify,-2,continue,5',
    'more,More,E,shopify,900,continue,5',
  ].join('\n');
  const woo = [
    'Type,SKU,Name,Published,In stock?,Stock,Backorders allowed?,Regular price',
    'simple,A,Counted,1,1,3,0,5',
    'simple,B,Sold out,1,0,,0,5',
    'simple,C,Uncounted,1,1,,0,5',
    'simple,D,Continues,1,1,-2,notify,5',
    'simple,E,More,1,1,900,1,5',
  ].join('\n');

  test.each([
    ['shopify-products', shopify],
    ['woocommerce-products', woo],
  ])('of %s are counted by the check and get the stock that was chosen', async (format, file) => {
    const id = await imports.upload(format, file);
    const checked = await imports.check(id);
    expect(checked.notices).toEqual([{ code: 'stock_not_counted', column: null, count: 3 }]);
    await imports.call('POST', `/imports/${id}/cancel`);
    const done = await imports.import(format, file, { untracked_stock: 500 });
    expect(await stocks()).toEqual({ Counted: 3, 'Sold out': 0, Uncounted: 500, Continues: 500, More: 900 });
    // What was sold since stays sold.
    await server.rows(
      "update product_stock s set stock_qty = 480 from products p where p.company_id = s.company_id and p.id = s.product_id and p.company_id = $1 and p.sku = 'C'",
      [shop.company_id],
    );
    expect(await imports.import(format, file, { untracked_stock: 500 })).toMatchObject({ unchanged: 5 });
    expect((await stocks()).Uncounted).toBe(480);
    expect(done).toMatchObject({ created: 5 });
  });

  test('are not tracked here either, unless a later import sets a stock, until its undo', async () => {
    await imports.import('shopify-products', shopify);
    expect((await stocks()).Uncounted).toBe(999_999);
    const filled = await imports.import('shopify-products', shopify, { untracked_stock: 500 });
    expect((await stocks()).Uncounted).toBe(500);
    await imports.undo(filled.id);
    expect((await stocks()).Uncounted).toBe(999_999);
  });
});

describe('a SKU that several rows have', () => {
  const file = [
    'Handle,Title,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Status',
    'tee-copy,Tee (copy),T,shopify,0,4,draft',
    'tee,Tee,T,shopify,7,5,active',
    'other,Other,T,shopify,0,6,active',
  ].join('\n');

  test('stays with the product that is sold and in stock; the others are imported without it, each time', async () => {
    const done = await imports.import('shopify-products', file);
    expect(done).toMatchObject({ created: 3, refused: 0 });
    expect(done.notices).toEqual([{ code: 'sku_repeated', column: null, count: 2 }]);
    const made = (await products()).map(({ name, sku, price }) => [name, sku, price]);
    expect(made.sort()).toEqual([
      ['Other', null, 6],
      ['Tee (copy)', null, 4],
      ['Tee', 'T', 5],
    ]);
    expect(await imports.import('shopify-products', file)).toMatchObject({ unchanged: 3, updated: 0, created: 0 });
  });

  test('stays with one variant of a product', async () => {
    const variants = ['Handle,Title,Option1 Value,Variant SKU,Variant Price', 'tee,Tee,S,T,5', 'tee,,M,T,6'].join('\n');
    expect(await imports.import('shopify-products', variants)).toMatchObject({ created: 2, refused: 0 });
    expect(await imports.import('shopify-products', variants)).toMatchObject({ unchanged: 2 });
  });
});

describe('orders are counted once, whatever rows they have', () => {
  const shopify = [
    'Name,Email,Phone,Total,Refunded Amount,Lineitem quantity,Lineitem name,Lineitem price',
    '#1,,+15550100,9,0,1,Tea,4',
    '#1,,,,,1,Mug,5',
    '#2,ann@example.com,,9,9,1,Tea,4',
    '#2,,,,,1,Mug,5',
    '#3,,,4,0,1,Tea,4',
  ].join('\n');
  const woo = [
    'order_number,billing_email,billing_phone,order_total,refunded_total,item_name,item_quantity,item_total',
    '1,,+15550100,9,0,Tea,1,4',
    '1,,+15550100,9,0,Mug,1,5',
    '2,ann@example.com,,9,9,Tea,1,4',
    '2,ann@example.com,,9,9,Mug,1,5',
    '3,,,4,0,Tea,1,4',
  ].join('\n');

  test.each([
    ['shopify-orders', shopify],
    ['woocommerce-orders', woo],
  ])('of %s: those without an e-mail address, which are refused, and those with refunds', async (format, file) => {
    const done = await imports.import(format, file);
    expect(done).toMatchObject({ created: 1, refused: 2 });
    expect(done.notices).toEqual([
      { code: 'refunded', column: null, count: 1 },
      { code: 'order_without_email', column: null, count: 2 },
    ]);
    expect((await imports.findings(done.id)).map(({ reason }) => reason)).toEqual([
      'an order needs the e-mail address of its customer; a phone number is not enough',
      'is a part of the record of row 2',
      'an order needs the e-mail address of its customer',
    ]);
  });
});
