import { beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../erasure/markers.ts';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { sample, TestImports } from './testing/imports.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
  // These flows would start if imported data were treated as new.
  for (const trigger_type of ['customer_created', 'order_placed', 'order_completed']) {
    await shop.marketing('POST', '/flows', {
      name: trigger_type,
      trigger_type,
      status: 'active',
      steps: [{ step_id: 'mail', type: 'send_email', config: { subject: 'Hi', content: '<p>Hi</p>' } }],
      connections: [{ from: 'trigger', to: 'mail' }],
    });
  }
});

const product = async (slug: string) => (await shop.commerce('GET', `/products/${slug}`)).body.data;

/** Checks that the import caused no event, run or message, and that all invariants hold. */
async function isQuietAndSound(): Promise<void> {
  await settle(server);
  for (const table of ['events', 'flow_runs', 'messages', 'webhook_deliveries', 'outbox']) {
    expect(await server.rows(`select * from ${table} where company_id = $1`, [shop.company_id])).toEqual([]);
  }
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
}

describe('a Shopify shop', () => {
  test('comes with its products and their variants, with price, stock, pictures and category', async () => {
    const done = await imports.import('shopify-products', sample('shopify-products'));
    expect(done).toMatchObject({ created: 4, refused: 1, total: 6 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 7, column: 'Variant Price', reason: '«about ten» is no amount' },
    ]);
    expect(await product('linen-shirt-s-white')).toMatchObject({
      name: 'Linen shirt – S / White',
      sku: 'LS-S-W',
      price: 49.9,
      weight_g: 220,
      requires_shipping: true,
      stock_qty: 12,
      description: '<p>Light, and <b>washed</b>.</p>',
      categories: ['shirts'],
      archived: false,
    });
    expect((await product('linen-shirt-m-white')).images).toEqual([
      { url: 'https://cdn.example.com/shirt-m.jpg', is_primary: true },
    ]);
    expect(await product('linen-shirt')).toMatchObject({
      name: 'Linen shirt',
      variant_count: 2,
      options: [
        { name: 'Size', values: ['S', 'M'] },
        { name: 'Color', values: ['White'] },
      ],
      images: ['shirt', 'shirt-back', 'shirt-label'].map((name, i) => ({
        url: `https://cdn.example.com/${name}.jpg`,
        is_primary: i === 0,
      })),
    });
    expect(await product('mug')).toMatchObject({ name: 'Mug', stock_qty: 30 });
    expect(await product('old-poster')).toMatchObject({ archived: true, stock_qty: 0, price: 9.5 });
    const again = await imports.import('shopify-products', sample('shopify-products').replace('12.00', '13.00'));
    expect(again).toMatchObject({ created: 0, updated: 1, unchanged: 3, refused: 1 });
    const history = (await shop.commerce('GET', `/products/${(await product('mug')).id}/price-history`)).body.data;
    expect(history).toMatchObject([{ old_price: 12, new_price: 13 }, { new_price: 12 }]);
    await isQuietAndSound();
  });

  test('takes the barcode, compared price, cost and weight; a barcode of another product is refused', async () => {
    await shop.commerce('POST', '/products', { name: 'Pot', price: 20, barcode: '4006381333931' });
    const rows = [
      'Tea,tea,TEA-1,5.00,7.50,2.25,96385074,453.59,false',
      'Mug,mug,MUG-1,12.00,,,4006381333931,,true',
      'Cup,cup,CUP-1,6.00,,,96385074,,true',
    ];
    const header =
      'Title,Handle,Variant SKU,Variant Price,Variant Compare At Price,Cost per item,Variant Barcode,Variant Grams,Variant Requires Shipping';
    const file = `${[header, ...rows].join('\n')}\n`;
    const done = await imports.import('shopify-products', file);
    expect(done).toMatchObject({ created: 1, refused: 2 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 3, field: 'barcode', reason: 'belongs to another product' },
      { row: 4, field: 'barcode', reason: 'belongs to another product' },
    ]);
    const [tea] = (await shop.commerce('GET', '/products?search=Tea')).body.data;
    expect(tea).toMatchObject({
      price: 5,
      compare_at_price: 7.5,
      cost: 2.25,
      barcode: '96385074',
      weight_g: 454,
      requires_shipping: false,
    });
    expect(await imports.import('shopify-products', file)).toMatchObject({ unchanged: 1, refused: 2 });
  });

  test('keeps the formatting of descriptions, and nothing in them that could run', async () => {
    const cells = [
      '<h1>Tea</h1><p onclick=""x()"">Green &amp; <b>fresh</b></p><script>alert(1)</script>',
      'Fish & chips, 3 < 5',
      '<svg onload=alert(1)>',
    ];
    const rows = cells.map((cell, i) => `Item ${i},item-${i},ITEM-${i},5,"${cell}"`).join('\n');
    for (const [format, header] of [
      ['shopify-products', 'Title,Handle,Variant SKU,Variant Price,Body (HTML)'],
      ['woocommerce-products', 'Name,Notes,SKU,Regular price,Description'],
      ['csv-products', 'name,slug,sku,price,description'],
    ] as const) {
      const file = `${header}\n${rows}`;
      const outcome = format === 'shopify-products' ? { created: 3 } : { unchanged: 3 };
      expect(await imports.import(format, file), format).toMatchObject(outcome);
      const stored = (await shop.commerce('GET', '/products?search=item')).body.data;
      const descriptions = stored.map(({ sku, description }: Record<string, string>) => [sku, description]).sort();
      expect(descriptions).toEqual([
        ['ITEM-0', '<h2>Tea</h2><p>Green &amp; <b>fresh</b></p>'],
        ['ITEM-1', 'Fish & chips, 3 < 5'],
        ['ITEM-2', ''],
      ]);
    }
  });

  test('refuses a description that is too long once its HTML is completed', async () => {
    const file = `Title,Handle,Variant SKU,Variant Price,Body (HTML)\nLong,long,L,5,${'<p>'.repeat(30_000)}\nMug,mug,M,5,<p>Mug`;
    const done = await imports.import('shopify-products', file);
    expect(done).toMatchObject({ created: 1, refused: 1 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 2, column: 'Body (HTML)', reason: 'has at most 100000 characters, once its HTML is completed' },
    ]);
  });

  test('comes with its customers, who become contacts without a welcome', async () => {
    const done = await imports.import('shopify-customers', sample('shopify-customers'));
    expect(done).toMatchObject({ created: 2, refused: 2 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 4, reason: 'a customer needs an e-mail address, or a phone number to be a contact' },
      { row: 5, column: 'Default Address Country Code', reason: '«XQ» is no country' },
    ]);
    const [grace, ada] = (await shop.commerce('GET', '/customers')).body.data;
    expect(ada).toMatchObject({ email: 'ada@example.com', accepts_marketing: true, shipping_state: 'OR' });
    expect(ada.metadata).toMatchObject({ note: 'Likes linen', tags: ['vip', 'summer'] });
    expect(grace).toMatchObject({ email: 'grace@example.com', shipping_zip: '02108', accepts_marketing: false });
    const tagged = (await shop.commerce('GET', '/customers?tag=vip')).body;
    expect([tagged.data.map(({ email }: { email: string }) => email), tagged.meta?.total ?? 1]).toEqual([
      ['ada@example.com'],
      1,
    ]);
    const { contacts } = (await shop.marketing('GET', '/contacts')).body;
    expect(contacts.find(({ email }: { email: string }) => email === 'ada@example.com').tags).toEqual([
      'vip',
      'summer',
    ]);
    expect(contacts).toMatchObject([
      {
        email: 'grace@example.com',
        external_id: String(grace.id),
        consent: { email: { state: 'never', source: 'import' } },
      },
      { email: 'ada@example.com', external_id: String(ada.id), consent: { email: { state: 'subscribed' } } },
    ]);
    await isQuietAndSound();
  });

  test('comes with its orders as history: exact totals, no stock taken, no flow started', async () => {
    await imports.import('shopify-products', sample('shopify-products'));
    await imports.import('shopify-customers', sample('shopify-customers'));
    const done = await imports.import('shopify-orders', sample('shopify-orders'));
    expect(done).toMatchObject({ created: 3, refused: 2, total: 6 });
    expect((await imports.findings(done.id)).map(({ row, reason }) => [row, reason])).toEqual([
      [6, 'an order needs the e-mail address of its customer'],
      [7, "the order is in EUR, the company's currency is USD"],
    ]);
    const orders: Record<string, Record<string, unknown>> = Object.fromEntries(
      (await shop.commerce('GET', '/orders')).body.data.map((one: { external_id: string }) => [one.external_id, one]),
    );
    expect(orders['#1001']).toMatchObject({
      subtotal: 61.9,
      discount: 5,
      tax: 4.55,
      shipping: 5,
      total: 66.45,
      status: 'delivered',
      promo_code: 'SPRING',
      shipping_zip: '97301',
      created_at: '2025-03-01T09:00:00.000Z',
      tax_lines: [{ name: 'State Tax 8%', rate: 0.08, amount: 4.55 }],
      items: [{ product_name: 'Linen shirt - S / White', qty: 1 }, { product_name: 'Mug' }],
    });
    expect(orders['#1002']).toMatchObject({ status: 'cancelled', total: 20 });
    // The prices include the tax.
    expect(orders['#1003']).toMatchObject({
      total: 12,
      tax: 0,
      status: 'processing',
      metadata: { tax_included: '2.00' },
    });
    expect(await product('mug')).toMatchObject({ stock_qty: 30 });
    expect(await product('a-thing-that-is-gone')).toMatchObject({ archived: true, sku: 'GONE-9' });
    await isQuietAndSound();
    // An order that was open continues here; cancelling it returns no stock, because it never took any.
    const open = orders['#1003'] as { id: number };
    await shop.commerce('PATCH', `/orders/${open.id}/status`, { status: 'cancelled' });
    expect(await product('mug')).toMatchObject({ stock_qty: 30 });
    expect(await imports.import('shopify-orders', sample('shopify-orders'))).toMatchObject({
      unchanged: 3,
      refused: 2,
    });
    const findings = await checkInvariants(server.app.db);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('is removed by an undo of its imports, except used records', async () => {
    const products = await imports.import('shopify-products', sample('shopify-products'));
    const customers = await imports.import('shopify-customers', sample('shopify-customers'));
    const orders = await imports.import('shopify-orders', sample('shopify-orders'));
    server.clock.advance(60_000);
    const [used] = (await shop.commerce('GET', '/orders')).body.data.filter(
      (one: { external_id: string }) => one.external_id === '#1003',
    );
    await shop.commerce('PATCH', `/orders/${used.id}/status`, { status: 'shipped' });
    expect(await imports.undo(orders.id)).toMatchObject({ kept: 1 });
    // Keeps the customer of that order, and their contact.
    expect(await imports.undo(customers.id)).toMatchObject({ kept: 2 });
    expect(await imports.undo(products.id)).toMatchObject({ kept: 1 });
    const count = async (path: string) => (await shop.commerce('GET', path)).body.meta.pagination.total;
    expect([await count('/orders'), await count('/customers'), await count('/products')]).toEqual([1, 1, 1]);
    expect(await server.rows('select email from contacts where company_id = $1', [shop.company_id])).toEqual([
      { email: 'ada@example.com' },
    ]);
    const findings = await checkInvariants(server.app.db);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('restores products that an import changed, keeping sales since', async () => {
    await shop.commerce('POST', '/products', { name: 'Mug', sku: 'MUG-1', price: 10, stock_qty: 5 });
    const done = await imports.import('shopify-products', sample('shopify-products'));
    expect(done).toMatchObject({ created: 3, updated: 1 });
    const mug = await product('mug');
    expect(mug).toMatchObject({ price: 12, stock_qty: 30, categories: ['kitchen'] });
    const moved = (await shop.commerce('GET', `/products/${mug.id}/stock-movements`)).body.data;
    expect(moved[0]).toMatchObject({ kind: 'import', reference_id: done.id, delta: 25 });
    const customer = (await shop.commerce('POST', '/customers', { email: 'buyer@example.com' })).body.data.id;
    const address = { shipping_address: '1 Main', shipping_city: 'X', shipping_zip: '1' };
    await shop.commerce('POST', '/orders', {
      customer_id: customer,
      items: [{ product_id: mug.id, qty: 2 }],
      ...address,
    });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 4, kept: 0 });
    expect(await product('mug')).toMatchObject({ price: 10, stock_qty: 3, categories: [], images: [] });
    const findings = await checkInvariants(server.app.db);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe('products with variants', () => {
  const options = (value: string) => [{ name: 'Size', value }];

  test('stay as they are when the list exported from here is imported again', async () => {
    await shop.commerce('POST', '/products', {
      name: 'Tee',
      categories: ['tees'],
      images: [{ url: 'https://cdn.example.com/tee.jpg' }],
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: ['S', 'M'].map((value) => ({ options: options(value), price: 9, stock_qty: 2 })),
    });
    const key = { 'x-api-key': shop.key };
    const list = '/commerce/v1/products?format=csv&include=variants';
    const exported = await (await fetch(server.origin + list, { headers: key })).text();
    const done = await imports.import('csv-products', exported);
    expect(done).toMatchObject({ created: 0, updated: 0, unchanged: 2, skipped: 0, refused: 0 });
    await isQuietAndSound();
  });

  test('keep what differs between them when an import changes what they share', async () => {
    await shop.commerce('POST', '/products', {
      name: 'Tee',
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: [
        { options: options('S'), price: 9, tax_class: 'reduced', subscription_enabled: true },
        { options: options('M'), price: 9 },
      ],
    });
    const done = await imports.import('csv-products', 'name,slug,description\nBetter tee,tee,Soft');
    expect(done).toMatchObject({ updated: 1 });
    expect(await product('tee')).toMatchObject({ name: 'Better tee', description: 'Soft', price: 9, variant_count: 2 });
    expect(await product('tee-s')).toMatchObject({
      name: 'Better tee – S',
      tax_class: 'reduced',
      subscription_enabled: true,
    });
    expect(await product('tee-m')).toMatchObject({
      name: 'Better tee – M',
      tax_class: null,
      subscription_enabled: false,
    });
    await isQuietAndSound();
  });
});

describe('a WooCommerce shop', () => {
  test('comes with products, customers and orders', async () => {
    expect(await imports.import('woocommerce-products', sample('woocommerce-products'))).toMatchObject({
      created: 3,
      skipped: 0,
      refused: 0,
    });
    expect(await product('green-tea')).toMatchObject({
      sku: 'W-TEA',
      price: 7.5,
      stock_qty: 40,
      tax_class: 'reduced',
      categories: ['drinks', 'drinks-tea', 'sale'],
      images: [{ url: 'https://shop.example.com/tea-1.jpg' }, { url: 'https://shop.example.com/tea-2.jpg' }],
    });
    expect(await product('draft')).toMatchObject({ archived: true });
    const options = { email_consent: 'never' };
    expect(await imports.import('woocommerce-customers', sample('woocommerce-customers'), options)).toMatchObject({
      created: 2,
    });
    const [, marie] = (await shop.commerce('GET', '/customers')).body.data;
    expect(marie).toMatchObject({ shipping_address: '2 Rue Y, Bat. B', created_at: '2023-02-01T12:00:00.000Z' });
    expect(await imports.import('woocommerce-orders', sample('woocommerce-orders'))).toMatchObject({ created: 2 });
    const [, first] = (await shop.commerce('GET', '/orders')).body.data;
    expect(first).toMatchObject({
      external_id: '501',
      subtotal: 15,
      discount: 2,
      tax: 1,
      shipping: 5.5,
      total: 19.5,
      status: 'delivered',
      promo_code: 'tea10',
      shipping_city: 'Paris',
      shipping_country: 'FR',
    });
    await isQuietAndSound();
  });

  test('has separate variations with what their product has, which WooCommerce does not repeat', async () => {
    const header = 'ID,Type,SKU,Name,Published,Tax class,Stock,Regular price,Categories,Images,Parent';
    const rows = [
      '90,variable,,Plate,1,reduced,,,"Kitchen > Plates",https://shop.example.com/plate.jpg,',
      '91,variation,P-L,Plate - Large,1,parent,parent,8.00,,,id:90',
      '92,"variation, virtual",P-S,Plate - Small,1,standard,3,6.00,,https://shop.example.com/small.jpg,id:90',
      '93,variable,BOWL,Bowl,-1,,,,Bowls,,',
      '94,variation,B-L,Bowl - Large,1,parent,2,5.00,,,BOWL',
      '95,variation,LOST,Lost,1,parent,2,5.00,,,id:4711',
      '96,variable-subscription,,Box,1,reduced,,,,,',
      '97,subscription_variation,BOX-M,Box - Monthly,1,parent,parent,9.00,,,id:96',
    ];
    const file = [header, ...rows].join('\n');
    expect(await imports.import('woocommerce-products', file, { variants: 'separate' })).toMatchObject({
      created: 4,
      skipped: 3,
      refused: 1,
    });
    expect(await product('plate-large')).toMatchObject({
      tax_class: 'reduced',
      stock_qty: 0,
      categories: ['kitchen', 'kitchen-plates'],
      archived: false,
      images: [{ url: 'https://shop.example.com/plate.jpg' }],
    });
    expect(await product('plate-small')).toMatchObject({
      tax_class: 'standard',
      stock_qty: 3,
      categories: ['kitchen', 'kitchen-plates'],
      images: [{ url: 'https://shop.example.com/small.jpg' }],
    });
    expect(await product('bowl-large')).toMatchObject({ archived: true, categories: ['bowls'], images: [] });
    expect(await product('box-monthly')).toMatchObject({ tax_class: 'reduced', stock_qty: 0 });
    expect((await shop.commerce('GET', '/products/lost')).status).toBe(404);
  });

  test('takes the price of a sale from its beginning to its end', async () => {
    const header = 'Type,SKU,Name,Published,Date sale price starts,Date sale price ends,Sale price,Regular price';
    const now = server.clock.now().getTime();
    const day = (offset: number) => `${new Date(now + offset * 86_400_000).toISOString().slice(0, 10)} 0:00:00`;
    const rows = [
      ['Always', '', '', 5],
      ['Now', day(-2), day(2), 5],
      ['Open', day(-2), '', 5],
      ['Later', day(2), day(4), 9],
      ['Over', day(-4), day(-2), 9],
      ['Endless', '1970-01-01 0:00:00', '2999-12-31 23:59:59', 5],
    ] as const;
    const file = rows.map(([name, from, to]) => `simple,S-${name},${name},1,${from},${to},5.00,9.00`);
    expect(await imports.import('woocommerce-products', [header, ...file].join('\n'))).toMatchObject({
      created: rows.length,
      refused: 0,
    });
    for (const [name, , , price] of rows) expect(await product(name.toLowerCase())).toMatchObject({ price });
  });
});
