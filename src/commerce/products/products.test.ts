import { describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestResponse, testServer } from '../../testing/harness.ts';
import { lockSlugs } from './slug-queries.ts';

const server = testServer();

describe('POST /products', () => {
  test('creates with defaults and responds 201 with the full record', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', { name: '  Blue Mug ', price: 12.5 });
    expect(made.status).toBe(201);
    expect(made.body.success).toBe(true);
    expect(made.body.data).toEqual({
      id: expect.any(Number),
      name: 'Blue Mug',
      slug: 'blue-mug',
      price: 12.5,
      description: '',
      stock_qty: 0,
      subscription_enabled: false,
      categories: [],
      images: [],
      sku: null,
      tax_class: null,
      barcode: null,
      compare_at_price: null,
      cost: null,
      weight_g: null,
      requires_shipping: true,
      track_stock: true,
      low_stock_at: null,
      custom: {},
      seo_title: null,
      seo_description: null,
      status: 'active',
      publish_at: null,
      archived: false,
      active: true,
      has_variants: false,
      variant_count: 0,
      price_max: null,
      options: [],
      variant_of: null,
      title: null,
      position: null,
      revision: 1,
      created_at: '2026-03-15T12:00:00.000Z',
      updated_at: '2026-03-15T12:00:00.000Z',
    });
  });

  test('generates unique slugs: -2, -3, also for ten at once', async () => {
    const shop = await server.company();
    const made = await Promise.all(
      Array.from({ length: 10 }, () => shop.commerce('POST', '/products', { name: 'Café Crème', price: 1 })),
    );
    const slugs = made.map((response) => String(response.body.data!.slug)).sort();
    const expected = ['cafe-creme', ...Array.from({ length: 9 }, (_, i) => `cafe-creme-${i + 2}`)].sort();
    expect(slugs).toEqual(expected);
  });

  test('a product with a given slug waits while another slug is generated, which might be the same', async () => {
    const shop = await server.company();
    await shop.commerce('POST', '/products', { name: 'Old', price: 1 });
    const waiting: Promise<TestResponse>[] = [];
    await server.app.db.tx(async (tx) => {
      await lockSlugs(tx, shop.company_id, 'generated');
      waiting.push(shop.commerce('POST', '/products', { name: 'Other', price: 1, slug: 'race-car' }));
      waiting.push(shop.commerce('PATCH', '/products/old', { slug: 'old-car' }));
      await expect.poll(() => server.lockWaits('advisory')).toBe(2);
      await tx.query(sql`
        insert into products (company_id, name, slug, price, search, created_at, updated_at)
        values (${shop.company_id}, 'Race car', 'race-car', 1, 'race car', now(), now())`);
    });
    expect((await Promise.all(waiting)).map((response) => response.status)).toEqual([422, 200]);
  });

  test('products with given slugs do not wait for each other', async () => {
    const shop = await server.company();
    await server.app.db.tx(async (tx) => {
      await lockSlugs(tx, shop.company_id, 'given');
      const given = await shop.commerce('POST', '/products', { name: 'A', price: 1, slug: 'given' });
      expect(given.status).toBe(201);
      expect((await shop.commerce('PATCH', '/products/given', { slug: 'given-anew' })).status).toBe(200);
    });
  });

  test.each([
    ['2024', 'product-2024'],
    ['!!!', 'product'],
    ['Größe XL', 'grosse-xl'],
    ['玄米茶', 'xuanmicha'],
    ['Чай чёрный', 'chay-chernyy'],
    ['ガ', 'ga'],
    ['한국 녹차', 'hangug-nogcha'],
    ['Ελιά & μέλι', 'elia-meli'],
  ])('a name %s that makes no slug gets one that no id can be mistaken for', async (name, slug) => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', { name, price: 1 });
    expect(made.body.data!.slug).toBe(slug);
  });

  test('names every failing field at once', async () => {
    const shop = await server.company();
    const bad = {
      name: ' ',
      price: -1,
      slug: '123',
      stock_qty: 1.5,
      categories: ['Not A Slug'],
      images: [{ url: 'ftp://x' }],
    };
    const response = await shop.commerce('POST', '/products', bad);
    expect(response.status).toBe(422);
    expect(response.body.error!.code).toBe(422);
    expect(response.body.error!.details!.reason).toBe('validation_failed');
    const fields = response.body.error!.details!.fields!.map((field: { field: string }) => field.field);
    expect(new Set(fields)).toEqual(new Set(['name', 'price', 'slug', 'stock_qty', 'categories.0', 'images.0.url']));
  });

  test('also those that only the shop can tell: its currency, its images', async () => {
    const shop = await server.company();
    const images = ['https://[', 'https://img.example/1.png'].map((url) => ({ url, is_primary: true }));
    const response = await shop.commerce('POST', '/products', { name: 'X', price: 1.999, images });
    const fields = response.body.error!.details!.fields!.map((field: { field: string }) => field.field);
    expect(fields).toEqual(['price', 'images.0.url', 'images']);
    const compared = { price: 12.5, compare_at_price: 12.5, cost: 1.999, images };
    const { body } = await shop.commerce('POST', '/products', { name: 'X', ...compared });
    const failing = body.error!.details!.fields!.map((field: { field: string }) => field.field);
    expect(failing).toEqual(['cost', 'images.0.url', 'images', 'compare_at_price']);
  });

  test('stores barcode, compared price, cost, weight and whether it is shipped; PATCH clears them by null', async () => {
    const shop = await server.company();
    const fields = {
      barcode: '4006381333931',
      compare_at_price: 14.5,
      cost: 3.25,
      weight_g: 350,
      requires_shipping: false,
    };
    const { body } = await shop.commerce('POST', '/products', { name: 'Mug', price: 12.5, ...fields });
    expect(body.data).toMatchObject(fields);
    const none = { barcode: null, compare_at_price: null, cost: null, weight_g: null };
    expect((await shop.commerce('PATCH', '/products/mug', none)).body.data).toMatchObject({ ...none, revision: 2 });
  });

  test('refuses a compared price that is not above the price; a new price removes one', async () => {
    const shop = await server.company();
    const refused = await shop.commerce('POST', '/products', { name: 'Mug', price: 12.5, compare_at_price: 12.5 });
    expect(refused.body.error!.details!.fields).toMatchObject([{ field: 'compare_at_price', code: 'out_of_range' }]);
    await shop.commerce('POST', '/products', { name: 'Mug', price: 12.5, compare_at_price: 14 });
    const patch = async (price: number) => (await shop.commerce('PATCH', '/products/mug', { price })).body.data;
    expect(await patch(13)).toMatchObject({ price: 13, compare_at_price: 14 });
    expect(await patch(14)).toMatchObject({ price: 14, compare_at_price: null });
  });

  test('refuses a barcode that another product has', async () => {
    const shop = await server.company();
    await shop.commerce('POST', '/products', { name: 'Mug', price: 1, barcode: '40' });
    const { body } = await shop.commerce('POST', '/products', { name: 'Cup', price: 1, barcode: '40' });
    expect(body.error!.details).toMatchObject({ reason: 'duplicate', field: 'barcode' });
  });

  test.each([
    [19.999, 'too_many_decimals'],
    [10_000_000, 'out_of_range'],
  ])('refuses the price %d', async (price, code) => {
    const shop = await server.company();
    const response = await shop.commerce('POST', '/products', { name: 'X', price });
    expect(response.status).toBe(422);
    expect(response.body.error!.details!.fields![0]).toMatchObject({ field: 'price', code });
  });

  test('a currency without decimals takes whole prices only', async () => {
    const shop = await server.company({ currency: 'JPY' });
    expect((await shop.commerce('POST', '/products', { name: 'X', price: 1200 })).body.data!.price).toBe(1200);
    expect((await shop.commerce('POST', '/products', { name: 'X', price: 12.5 })).status).toBe(422);
  });

  test('a taken slug or sku is a duplicate', async () => {
    const shop = await server.company();
    await shop.commerce('POST', '/products', { name: 'A', price: 1, slug: 'same', sku: 'S-1' });
    const slug = await shop.commerce('POST', '/products', { name: 'B', price: 1, slug: 'same' });
    expect([slug.status, slug.body.error!.details!.reason]).toEqual([422, 'duplicate']);
    const sku = await shop.commerce('POST', '/products', { name: 'B', price: 1, sku: 'S-1' });
    expect([sku.status, sku.body.error!.details!.field]).toEqual([422, 'sku']);
  });

  test('the first image is primary unless one says so; two are refused', async () => {
    const shop = await server.company();
    const url = (n: number) => `https://img.example/${n}.png`;
    const first = await shop.commerce('POST', '/products', {
      name: 'A',
      price: 1,
      images: [{ url: url(1) }, { url: url(2) }],
    });
    expect(first.body.data!.images).toEqual([
      { url: url(1), is_primary: true },
      { url: url(2), is_primary: false },
    ]);
    const chosen = [{ url: url(1) }, { url: url(2), is_primary: true }];
    const second = await shop.commerce('POST', '/products', { name: 'B', price: 1, images: chosen });
    expect(second.body.data!.images!.map((image: { is_primary: boolean }) => image.is_primary)).toEqual([false, true]);
    const both = chosen.map((image) => ({ ...image, is_primary: true }));
    expect((await shop.commerce('POST', '/products', { name: 'C', price: 1, images: both })).status).toBe(422);
  });
});

describe('PATCH /products/{id}', () => {
  test('changes the given fields, and writes price history and a stock movement', async () => {
    const shop = await server.company();
    const { data } = (await shop.commerce('POST', '/products', { name: 'A', price: 1, stock_qty: 5 })).body;
    server.clock.advance(1000);
    const patched = await shop.commerce('PATCH', `/products/${data!.id}`, { price: 2.25, stock_qty: 3 });
    expect(patched.status).toBe(200);
    expect(patched.body.data).toMatchObject({ price: 2.25, stock_qty: 3, name: 'A' });
    expect(patched.body.data!.updated_at).not.toBe(patched.body.data!.created_at);
    const prices = await server.rows(
      'select old_price, new_price from price_history where product_id = $1 order by id',
      [data!.id],
    );
    expect(prices).toEqual([
      { old_price: null, new_price: '100' },
      { old_price: '100', new_price: '225' },
    ]);
    const moves = await server.rows(
      'select kind, delta from stock_movements where product_id = $1 order by created_at',
      [data!.id],
    );
    expect(moves).toEqual([
      { kind: 'initial', delta: 5 },
      { kind: 'adjust', delta: -2 },
    ]);
  });

  test('categories are made on first use and replaced as a whole', async () => {
    const shop = await server.company();
    const { data } = (await shop.commerce('POST', '/products', { name: 'A', price: 1, categories: ['mugs', 'gifts'] }))
      .body;
    const ids = async (category: string) =>
      (await shop.commerce('GET', `/products?category=${category}`)).body.data!.map(
        (product: { id: number }) => product.id,
      );
    expect(await ids('gifts')).toEqual([data!.id]);
    await shop.commerce('PATCH', `/products/${data!.id}`, { categories: ['mugs'] });
    expect(await ids('gifts')).toEqual([]);
    expect(await ids('mugs')).toEqual([data!.id]);
  });

  test('an unknown product is 404', async () => {
    const shop = await server.company();
    expect((await shop.commerce('PATCH', '/products/999999', { price: 1 })).status).toBe(404);
    expect((await shop.commerce('PATCH', '/products/no-such', { price: 1 })).status).toBe(404);
  });
});

describe('GET /products', () => {
  test('reads by id and by slug, and the inventory', async () => {
    const shop = await server.company();
    const { data } = (await shop.commerce('POST', '/products', { name: 'Tea Pot', price: 30, stock_qty: 2 })).body;
    expect((await shop.commerce('GET', `/products/${data!.id}`)).body.data).toEqual(data);
    expect((await shop.commerce('GET', '/products/tea-pot')).body.data).toEqual(data);
    const inventory = await shop.commerce('GET', `/products/${data!.id}/inventory`);
    expect(inventory.body.data).toEqual({ product_id: data!.id, stock_qty: 2, in_stock: true });
    expect((await shop.commerce('GET', '/products/99999999999999999999')).status).toBe(404);
  });

  test('pages newest first with exact totals; a page past the end is empty', async () => {
    const shop = await server.company();
    for (let i = 0; i < 7; i++) await shop.commerce('POST', '/products', { name: `P${i}`, price: 1 });
    const page = await shop.commerce('GET', '/products?per_page=3&page=2');
    expect(page.body.data!.map((product: { name: string }) => product.name)).toEqual(['P3', 'P2', 'P1']);
    expect(page.body.meta!.pagination).toEqual({ page: 2, per_page: 3, total: 7, total_pages: 3 });
    const past = await shop.commerce('GET', '/products?per_page=3&page=9');
    expect([past.body.data, past.body.meta!.pagination!.total]).toEqual([[], 7]);
    const found = await shop.commerce('GET', '/products?search=P&per_page=3&page=3');
    expect(found.body.data!.map((product: { name: string }) => product.name)).toEqual(['P0']);
    expect(found.body.meta!.pagination).toEqual({ page: 3, per_page: 3, total: 7, total_pages: 3 });
    const far = await shop.commerce('GET', '/products?search=P&per_page=100&page=1000000000');
    expect([far.body.data, far.body.meta!.pagination!.total]).toEqual([[], 7]);
    expect((await shop.commerce('GET', '/products?per_page=500')).body.meta!.pagination!.per_page).toBe(100);
    for (const query of ['page=0', 'per_page=0', 'page=x', 'page=1&page=2', 'in_stock=maybe']) {
      expect((await shop.commerce('GET', `/products?${query}`)).status, query).toBe(400);
    }
  });

  test('filters combine; search finds partial words in any case and without accents', async () => {
    const shop = await server.company();
    const make = (name: string, rest: object) => shop.commerce('POST', '/products', { name, price: 1, ...rest });
    await make('Crème brûlée torch', { stock_qty: 1, subscription_enabled: true, categories: ['kitchen'] });
    await make('Torch', { stock_qty: 0, description: '100% steel_grey', categories: ['kitchen'] });
    await make('Lamp', { stock_qty: 4, subscription_enabled: true });
    const names = async (query: string) => {
      const { body } = await shop.commerce('GET', `/products?${query}`);
      expect(body.meta!.pagination!.total).toBe(body.data!.length);
      return body.data!.map((product: { name: string }) => product.name);
    };
    expect(await names('search=BRULEE')).toEqual(['Crème brûlée torch']);
    expect(await names('search=orc%20brul')).toEqual(['Crème brûlée torch']);
    expect(await names('search=torch')).toEqual(['Torch', 'Crème brûlée torch']);
    expect(await names('search=torch&in_stock=true')).toEqual(['Crème brûlée torch']);
    expect(await names('search=%25')).toEqual(['Torch']);
    expect(await names('search=steel_')).toEqual(['Torch']);
    expect(await names('subscription_enabled=1')).toEqual(['Lamp', 'Crème brûlée torch']);
    expect(await names('subscription_enabled=true&category=kitchen')).toEqual(['Crème brûlée torch']);
    expect(await names('in_stock=0')).toEqual(['Torch']);
  });

  test('words of one or two letters are found as well, each word once', async () => {
    const shop = await server.company();
    for (const name of ['Tea pot', 'Teak ox', 'Ox']) await shop.commerce('POST', '/products', { name, price: 1 });
    const found = async (search: string) =>
      (await shop.commerce('GET', `/products?search=${encodeURIComponent(search)}`)).body.data!.map(
        (product: { name: string }) => product.name,
      );
    expect(await found('ox')).toEqual(['Ox', 'Teak ox']);
    expect(await found('TEA o ox ox')).toEqual(['Teak ox']);
    expect(await found('x')).toEqual(['Ox', 'Teak ox']);
    expect(await found('t a')).toEqual(['Teak ox', 'Tea pot']);
    expect(await found('%')).toEqual([]);
    expect(await found('_x')).toEqual([]);
    await shop.commerce('POST', '/products', { name: "Rock'n\\roll : & *", price: 1 });
    for (const word of ["'n", "n'", '\\r', "'", '\\', ':', '& *']) {
      expect([word, await found(word)]).toEqual([word, word === "n'" ? [] : ["Rock'n\\roll : & *"]]);
    }
    const page = await shop.commerce('GET', '/products?search=o&per_page=2&page=2');
    expect([page.body.data!.length, page.body.meta!.pagination!.total]).toEqual([2, 4]);
    expect((await shop.commerce('GET', '/products?search=o&page=1000000000')).body.data).toEqual([]);
  });

  test('archived products are not listed and not counted, but readable', async () => {
    const shop = await server.company();
    const { data } = (await shop.commerce('POST', '/products', { name: 'Old', price: 1 })).body;
    await shop.commerce('POST', '/products', { name: 'New', price: 1 });
    await shop.commerce('PATCH', `/products/${data!.id}`, { archived: true });
    const list = await shop.commerce('GET', '/products');
    expect([list.body.data!.length, list.body.meta!.pagination!.total]).toEqual([1, 1]);
    expect((await shop.commerce('GET', `/products/${data!.id}`)).body.data!.archived).toBe(true);
    for (const search of ['', '&search=old', '&search=o']) {
      const archived = (await shop.commerce('GET', `/products?archived=true${search}`)).body;
      expect([archived.data, archived.meta!.pagination!.total]).toMatchObject([[{ id: data!.id, archived: true }], 1]);
    }
    expect((await shop.commerce('GET', '/products?archived=false')).body.meta!.pagination!.total).toBe(1);
    await shop.commerce('PATCH', `/products/${data!.id}`, { archived: false });
    expect((await shop.commerce('GET', '/products')).body.meta!.pagination!.total).toBe(2);
  });

  test('drafts are not listed until they are active; `archived` alone leaves a draft a draft', async () => {
    const shop = await server.company();
    const { data } = (await shop.commerce('POST', '/products', { name: 'New', price: 1, status: 'draft' })).body;
    expect(data).toMatchObject({ status: 'draft', archived: true });
    const listed = async (query: string) => {
      const { body } = await shop.commerce('GET', `/products${query}`);
      expect(body.meta!.pagination!.total).toBe(body.data!.length);
      return body.data!.length;
    };
    const shown = async () =>
      Promise.all(['', '?status=active', '?status=draft', '?status=archived', '?archived=true'].map(listed));
    const patch = async (body: object) =>
      (await shop.commerce('PATCH', `/products/${data!.id}`, body)).body.data!.status;
    expect(await shown()).toEqual([0, 0, 1, 0, 1]);
    expect(await patch({ archived: true })).toBe('draft');
    expect(await patch({ status: 'archived', archived: false })).toBe('archived');
    expect(await shown()).toEqual([0, 0, 0, 1, 1]);
    expect(await patch({ archived: false })).toBe('active');
    expect(await shown()).toEqual([1, 1, 0, 0, 0]);
    expect(await patch({ status: 'draft' })).toBe('draft');
  });

  test('a stock that is not tracked shows 999999, cannot be set, and keeps what was counted', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', { name: 'Gift card', price: 1, stock_qty: 3 });
    const path = `/products/${made.body.data!.id}`;
    const untracked = (await shop.commerce('PATCH', path, { track_stock: false })).body.data;
    expect(untracked).toMatchObject({ track_stock: false, stock_qty: 999_999 });
    const inventory = { product_id: made.body.data!.id, stock_qty: 999_999, in_stock: true };
    expect((await shop.commerce('GET', `${path}/inventory`)).body.data).toEqual(inventory);
    const codeOf = ({ body }: TestResponse) => body.error!.details!.fields![0];
    expect(codeOf(await shop.commerce('PATCH', path, { stock_qty: 5 }))).toMatchObject({
      field: 'stock_qty',
      code: 'untracked',
    });
    expect(codeOf(await shop.commerce('POST', `${path}/inventory/adjust`, { delta: 1 }))).toMatchObject({
      field: 'delta',
      code: 'untracked',
    });
    const tracked = await shop.commerce('PATCH', path, { track_stock: true, stock_qty: 2 });
    expect(tracked.body.data).toMatchObject({ track_stock: true, stock_qty: 2 });
  });

  test('a product without stock is in stock while its stock is not tracked, and sorts above the others', async () => {
    const shop = await server.company();
    await shop.commerce('POST', '/products', { name: 'Cup', price: 1, stock_qty: 7 });
    const { data } = (await shop.commerce('POST', '/products', { name: 'Class', price: 1, track_stock: false })).body;
    const names = async (query: string) =>
      (await shop.commerce('GET', `/products?${query}`)).body.data!.map(({ name }: { name: string }) => name);
    expect(await names('in_stock=true')).toEqual(['Class', 'Cup']);
    expect(await names('sort=stock_desc')).toEqual(['Class', 'Cup']);
    expect(await names('sort=stock_asc&search=c')).toEqual(['Cup', 'Class']);
    await shop.commerce('PATCH', `/products/${data!.id}`, { track_stock: true });
    expect(await names('in_stock=true')).toEqual(['Cup']);
    expect(await names('in_stock=false')).toEqual(['Class']);
  });

  test('in_stock follows what orders take, cancellations give back and people count, at once', async () => {
    const shop = await server.company();
    const made = (fields: object) => shop.commerce('POST', '/products', { name: 'Tin', price: 2, ...fields });
    const [empty, last] = [(await made({})).body.data!.id, (await made({ stock_qty: 2 })).body.data!.id];
    const customer = (await shop.commerce('POST', '/customers', { email: 'last@example.com' })).body.data!.id;
    const listed = async () => {
      const ids = async (query: string) => {
        const { body } = await shop.commerce('GET', `/products?${query}`);
        expect(body.meta!.pagination!.total).toBe(body.data!.length);
        return body.data!.map((product: { id: number }) => product.id);
      };
      // Compares the list by its stored total with the search.
      const found = [await ids('in_stock=true'), await ids('in_stock=false')];
      expect([await ids('in_stock=true&search=tin'), await ids('in_stock=false&search=tin')]).toEqual(found);
      return found;
    };
    expect(await listed()).toEqual([[last], [empty]]);
    const order = await shop.commerce('POST', '/orders', {
      customer_id: customer,
      items: [{ product_id: last, qty: 2 }],
      shipping_address: '1',
      shipping_city: 'X',
      shipping_zip: '1',
    });
    expect(await listed()).toEqual([[], [last, empty]]);
    await shop.commerce('PATCH', `/orders/${order.body.data!.id}/status`, { status: 'cancelled' });
    expect(await listed()).toEqual([[last], [empty]]);
    await shop.commerce('PATCH', `/products/${empty}`, { stock_qty: 1 });
    await shop.commerce('PATCH', `/products/${last}`, { stock_qty: 0 });
    expect(await listed()).toEqual([[empty], [last]]);
  });

  test('deep pages lead to the same rows as counting would, over several buckets of ids', async () => {
    const shop = await server.company();
    await server.rows(
      `insert into products (company_id, name, slug, price, search, subscription_enabled, in_stock, archived_at, created_at, updated_at)
       select $1, 'B' || n, 'b-' || n, 100, 'b', n % 3 = 0, n % 50 > 0, case when n % 7 = 0 then now() end, now(), now()
       from generate_series(1, 9500) n`,
      [shop.company_id],
    );
    await server.rows(
      'insert into product_stock select company_id, id, in_stock::int from products where company_id = $1',
      [shop.company_id],
    );
    await server.rows("select fold_deltas('counter')");
    const filters = {
      '': '',
      '&subscription_enabled=true': 'and subscription_enabled',
      '&in_stock=true': 'and in_stock',
      '&in_stock=false': 'and not in_stock',
      '&in_stock=false&subscription_enabled=false': 'and not in_stock and not subscription_enabled',
    };
    for (const [filter, condition] of Object.entries(filters)) {
      const expected = await server.rows<{ id: number }>(
        `select id::int from products where company_id = $1 and archived_at is null ${condition} order by id desc`,
        [shop.company_id],
      );
      for (const page of [1, 2, 17, 40, Math.ceil(expected.length / 100)]) {
        const { body } = await shop.commerce('GET', `/products?per_page=100&page=${page}${filter}`);
        expect(body.meta!.pagination!.total).toBe(expected.length);
        const ids = body.data!.map((product: { id: number }) => product.id);
        expect(ids).toEqual(expected.slice((page - 1) * 100, page * 100).map((row) => row.id));
      }
    }
  });
});

describe('the history of a product', () => {
  test('has its prices and what changed its stock, the latest first, with reasons and orders', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 5 });
    const { id, slug } = made.body.data;
    await shop.commerce('PATCH', `/products/${id}`, { price: 12.5 });
    const customer = await shop.commerce('POST', '/customers', { email: 'a@example.com' });
    const order = await shop.commerce('POST', '/orders', {
      customer_id: customer.body.data.id,
      items: [{ product_id: id, qty: 2 }],
      shipping_address: '1 Main',
      shipping_city: 'X',
      shipping_zip: '1',
    });
    const adjusted = await shop.commerce('POST', `/products/${slug}/inventory/adjust`, { delta: 4, reason: ' Found ' });
    expect([adjusted.status, adjusted.body.data]).toEqual([200, { product_id: id, stock_qty: 7, in_stock: true }]);
    server.clock.advance(1_000);
    await shop.commerce('PATCH', `/orders/${order.body.data.id}/status`, { status: 'cancelled' });

    const prices = await shop.commerce('GET', `/products/${slug}/price-history`);
    expect(prices.body.data.map(({ old_price, new_price }: never) => [old_price, new_price])).toEqual([
      [10, 12.5],
      [null, 10],
    ]);
    const movements = await shop.commerce('GET', `/products/${id}/stock-movements`);
    const order_id = order.body.data.id;
    expect(
      movements.body.data.map(({ kind, order_id, delta, reason }: never) => [kind, order_id, delta, reason]),
    ).toEqual(
      expect.arrayContaining([
        ['cancel', order_id, 2, null],
        ['adjust', null, 4, 'Found'],
        ['order', order_id, -2, null],
        ['initial', null, 5, null],
      ]),
    );
    expect(movements.body.data[0].kind).toBe('cancel');
    expect(movements.body.meta.pagination.total).toBe(4);
    const second = await shop.commerce('GET', `/products/${id}/stock-movements?page=2&per_page=3`);
    expect(second.body.data).toHaveLength(1);
  });

  test('a stock cannot be adjusted below zero, however many do it at once', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 5 });
    const path = `/products/${made.body.data.id}/inventory/adjust`;
    const responses = await Promise.all(Array.from({ length: 4 }, () => shop.commerce('POST', path, { delta: -2 })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422]);
    const refused = responses.find(({ status }) => status === 422)!;
    expect(refused.body.error.details.fields).toMatchObject([{ field: 'delta' }]);
    expect((await shop.commerce('GET', `/products/${made.body.data.id}/inventory`)).body.data.stock_qty).toBe(1);
  });
});
