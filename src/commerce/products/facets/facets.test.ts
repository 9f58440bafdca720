import pino from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { TestImports } from '../../../imports/testing/imports.ts';
import { checkInvariants } from '../../../invariants.ts';
import { type TestBody, type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';
import { random, rounds } from '../../../testing/random/seed.ts';
import { recordStatements } from '../../../testing/statements.ts';
import type { Facet } from '../contract.ts';
import { MAX_KEPT } from './keep-queries.ts';
import { MAX_COUNTED } from './queries.ts';
import { keepNext } from './update-queries.ts';
import { keepChangedFacets } from './updates.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});

async function made(path: string, body: object, method: 'POST' | 'PUT' | 'PATCH' = 'POST'): Promise<TestBody> {
  const response = await shop.commerce(method, path, body);
  expect(response.body).toMatchObject({ success: true });
  return response.body.data!;
}

const field = (on: string, key: string, type = 'text', more: object = {}): Promise<TestBody> =>
  made('/custom-fields', { on, key, name: key.toUpperCase(), type, filterable: true, ...more });

const values = (options: Record<string, string>): object[] =>
  Object.entries(options).map(([name, value]) => ({ name, value }));

const fieldsOf = ({ body }: TestResponse): string[] =>
  body.error!.details!.fields!.map(({ field: name, code }: { field: string; code: string }) => `${name} ${code}`);

async function ids(query: string): Promise<number[]> {
  const { body } = await shop.commerce('GET', `/products?${query}&per_page=100`);
  expect(body).toMatchObject({ success: true });
  expect(body.meta!.pagination!.total).toBe(body.data!.length);
  return body.data!.map(({ id }: TestBody) => id);
}

async function facetsOf(query: string): Promise<Facet[]> {
  const { body } = await shop.commerce('GET', `/products?${query}`);
  expect(body).toMatchObject({ success: true });
  return (body.meta as unknown as { facets: Facet[] }).facets;
}

const countsOf = async (query: string): Promise<Record<string, number>[]> =>
  (await facetsOf(query)).map((facet) => Object.fromEntries(facet.values.map(({ value, count }) => [value, count])));

/** Runs the chore until the facets of no company are left to be kept. */
async function updated(): Promise<void> {
  const slice = keepChangedFacets({ db: server.app.db, log: pino({ level: 'silent' }) });
  await expect
    .poll(async () => {
      await slice(null);
      return server.rows('select from facet_updates');
    })
    .toEqual([]);
}

async function isSound(): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ examples }) => examples.some((one) => one.company_id === shop.company_id))).toEqual([]);
}

describe('filters', () => {
  test('by options list parents by the values of their active variants, and variants by their own', async () => {
    const shirt = await made('/products', {
      name: 'Shirt',
      options: [
        { name: 'Colour', values: ['Red', 'Blue, dark'] },
        { name: 'Size', values: ['S', 'M'] },
      ],
      variants: [
        { options: values({ Colour: 'Red', Size: 'S' }), price: 10 },
        { options: values({ Colour: 'Blue, dark', Size: 'M' }), price: 12 },
      ],
    });
    const mug = await made('/products', {
      name: 'Mug',
      options: [{ name: 'Colour', values: ['Red'] }],
      variants: [{ options: values({ Colour: 'Red' }), price: 5 }],
    });
    await made('/products', { name: 'Plain', price: 1 });
    const [red, blue] = shirt.variants;
    expect(await ids('option.Colour=Red')).toEqual([mug.id, shirt.id]);
    expect(await ids('option.Colour=Blue,%20dark')).toEqual([shirt.id]);
    expect(await ids('option.Size=M&option.Size=S')).toEqual([shirt.id]);
    expect(await ids('option.Colour=Red&option.Size=L')).toEqual([]);
    expect(await ids('option.Colour=Green,Red&sort=price_desc')).toEqual([shirt.id, mug.id]);
    expect(await ids('option.colour=Red')).toEqual([]);
    expect(await ids('option.Colour=Red&include=variants')).toEqual([mug.variants[0].id, mug.id, red.id, shirt.id]);
    await made(`/products/${blue.id}`, { archived: true }, 'PATCH');
    expect(await ids('option.Size=M')).toEqual([]);
    expect(await ids('option.Size=M&include=variants&archived=true')).toEqual([blue.id]);
    await made('/products', { products: [{ id: blue.id, archived: false }] }, 'PATCH');
    expect(await ids('option.Size=M')).toEqual([shirt.id]);
    const rename = [
      { name: 'Colour', new_name: 'Shade', values: ['Red', 'Blue, dark'] },
      { name: 'Size', values: ['S', 'M'] },
    ];
    await made(`/products/${shirt.id}/options`, { options: rename }, 'PUT');
    expect(await ids('option.Colour=Red')).toEqual([mug.id]);
    expect(await ids('option.Shade=Red')).toEqual([shirt.id]);
    await made(`/products/${shirt.id}/ungroup`, {});
    expect(await ids('option.Shade=Red')).toEqual([]);
    await isSound();
  });

  test('by custom fields find values of every filterable type, and lists of values by each', async () => {
    await field('product', 'material', 'text', { list: true });
    await field('product', 'layers', 'integer');
    await field('product', 'length', 'decimal');
    await field('product', 'washable', 'boolean');
    await field('variant', 'material', 'text');
    const sock = await made('/products', {
      name: 'Sock',
      price: 1,
      custom: { material: ['wool', 'silk'], layers: 2, length: 1.5, washable: false },
    });
    const scarf = await made('/products', {
      name: 'Scarf',
      options: [{ name: 'Size', values: ['S'] }],
      variants: [{ options: values({ Size: 'S' }), price: 3, custom: { material: 'silk' } }],
    });
    expect(await ids('custom.material=silk')).toEqual([scarf.id, sock.id]);
    expect(await ids('custom.material=wool,felt')).toEqual([sock.id]);
    expect(await ids('custom.layers=2&custom.length=1.50&custom.washable=false')).toEqual([sock.id]);
    expect(await ids('custom.material=silk&include=variants')).toEqual([scarf.variants[0].id, sock.id]);
    const facets = await facetsOf('facets=custom.material,custom.washable');
    expect(facets).toEqual([
      {
        key: 'custom.material',
        name: 'MATERIAL',
        values: [
          { value: 'silk', label: 'silk', count: 2 },
          { value: 'wool', label: 'wool', count: 1 },
        ],
        min: null,
        max: null,
        exact: true,
      },
      {
        key: 'custom.washable',
        name: 'WASHABLE',
        values: [{ value: 'false', label: 'false', count: 1 }],
        min: null,
        max: null,
        exact: true,
      },
    ]);
    await made(`/products/${sock.id}`, { custom: { material: null } }, 'PATCH');
    expect(await ids('custom.material=wool,silk')).toEqual([scarf.id]);
    await isSound();
  });

  test('take a value with commas as a whole where there is one, else as its parts', async () => {
    await field('product', 'material');
    const idOf = async (material: string): Promise<number> =>
      (await made('/products', { name: material, price: 1, custom: { material } })).id;
    const [wool, organic, both] = [await idOf('Wool'), await idOf('organic'), await idOf('Wool, organic')];
    for (const more of ['', '&include=variants']) {
      expect(await ids(`custom.material=Wool, organic${more}`)).toEqual([both]);
      expect(await ids(`custom.material=organic,Wool${more}`)).toEqual([organic, wool]);
      expect(await ids(`custom.material=Wool, organic&custom.material=Wool${more}`)).toEqual([both, wool]);
    }
  });

  test('find values that are cut at a blank', async () => {
    await field('product', 'material');
    const cut = 'x'.repeat(254);
    const { id } = await made('/products', { name: 'Sock', price: 1, custom: { material: `${cut} wool` } });
    expect(await countsOf('facets=custom.material')).toEqual([{ [cut]: 1 }]);
    for (const more of ['', '&include=variants']) expect(await ids(`custom.material=${cut}${more}`)).toEqual([id]);
    await isSound();
  });

  test('combine values of one category, collection or price range', async () => {
    const product = (name: string, more: object) => made('/products', { name, price: 5, ...more });
    const a = await product('A', { categories: ['x'] });
    const b = await product('B', { categories: ['x', 'y'], price: 6 });
    const c = await product('C', { categories: ['z'], price: 7 });
    for (const [slug, ...members] of [
      ['one', b.id, a.id],
      ['two', c.id],
    ] as [string, ...number[]][]) {
      await made('/collections', { name: slug, slug, kind: 'manual' });
      await made(`/collections/${slug}/products`, { product_ids: members }, 'PUT');
    }
    expect(await ids('category=x,y')).toEqual([b.id, a.id]);
    expect(await ids('category=y&category=z')).toEqual([c.id, b.id]);
    expect(await ids('collection=one')).toEqual([b.id, a.id]);
    expect(await ids('collection=one,two')).toEqual([c.id, b.id, a.id]);
    expect(await ids('collection=none')).toEqual([]);
    expect(await ids('collection=two,none&price_min=6')).toEqual([c.id]);
    const [price, category, collection] = await facetsOf('facets=price,category,collection&price_min=6&collection=one');
    expect(price).toMatchObject({ key: 'price', name: 'Price', values: [], min: 5, max: 6 });
    expect(category!.values).toEqual([
      { value: 'x', label: 'X', count: 1 },
      { value: 'y', label: 'Y', count: 1 },
    ]);
    expect(collection!.values).toEqual([
      { value: 'one', label: 'one', count: 1 },
      { value: 'two', label: 'two', count: 1 },
    ]);
  });

  test('also apply to a file', async () => {
    await made('/products', {
      name: 'Shirt',
      options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
      variants: [{ options: values({ Colour: 'Red' }), price: 10, sku: 'R' }],
    });
    await made('/products', { name: 'Plain', price: 1 });
    const file = async (query: string): Promise<string[]> => {
      const response = await fetch(`${server.origin}/commerce/v1/products?format=jsonl${query}`, {
        headers: { 'x-api-key': shop.key },
      });
      const text = (await response.text()).trim();
      return text === '' ? [] : text.split('\n').map((line): string => JSON.parse(line).name);
    };
    expect(await file('&option.Colour=Red')).toEqual(['Shirt']);
    expect(await file('&option.Colour=Blue&sort=name_asc')).toEqual([]);
    expect(await file('&option.Colour=Red&sort=name_asc&include=variants')).toEqual(['Shirt', 'Shirt – Red']);
    const refused = await shop.commerce('GET', '/products?format=csv&facets=price');
    expect(refused.status).toBe(400);
  });

  test('are refused where a custom field is unknown or not filterable, or a facet is none', async () => {
    await field('product', 'material', 'text', { filterable: false });
    await field('customer', 'level', 'text', { filterable: false });
    const get = (query: string) => shop.commerce('GET', `/products?${query}`);
    const refused = await get('custom.material=wool&custom.level=1&facets=custom.material');
    expect(refused.status).toBe(400);
    expect(refused.body.error!.details).toMatchObject({ reason: 'validation_failed' });
    expect(fieldsOf(refused)).toEqual(['custom.material unknown', 'custom.level unknown', 'facets unknown']);
    expect(fieldsOf(await get('facets=colour'))).toEqual(['facets not_allowed']);
    expect(fieldsOf(await get('facets=price&include=variants'))).toEqual(['facets not_allowed']);
    expect(fieldsOf(await get(`facets=${[...'abcdefghijk'].map((name) => `option:${name}`).join()}`))).toEqual([
      'facets too_long',
    ]);
    expect(fieldsOf(await get('option=Red'))).toEqual(['option wrong_type']);
    expect(fieldsOf(await get('option.=Red'))).toEqual(['option. unknown_parameter']);
    expect(fieldsOf(await get(`option.Colour=${'x'.repeat(256)}`))).toEqual(['option.Colour.0 too_long']);
    expect((await get('option.Colour=%00')).status).toBe(400);
    expect(await facetsOf('facets=option:Nothing')).toMatchObject([{ name: 'Nothing', values: [], exact: true }]);
  });
});

describe('kept facets', () => {
  test('follow filterable fields that are changed, created again and deleted', async () => {
    const { id } = await field('product', 'material', 'text', { filterable: false });
    await field('variant', 'code');
    const { id: sock } = await made('/products', { name: 'Sock', price: 1, custom: { material: 'wool' } });
    await made(`/custom-fields/${id}`, { filterable: true }, 'PATCH');
    await updated();
    expect(await ids('custom.material=wool')).toEqual([sock]);
    await isSound();
    await made(`/custom-fields/${id}`, { filterable: false }, 'PATCH');
    await updated();
    await isSound();
    expect(await server.rows('select facets from products where id = $1', [sock])).toEqual([{ facets: [] }]);
    await made(`/custom-fields/${id}`, { filterable: true }, 'PATCH');
    await shop.commerce('DELETE', `/custom-fields/${id}`);
    await updated();
    await isSound();
    expect((await shop.commerce('GET', '/products?custom.material=wool')).status).toBe(400);
  });

  test('wait for no product that another transaction has locked, and leave none out', async () => {
    const { id } = await field('product', 'material', 'text', { filterable: false });
    const products: number[] = [];
    for (const name of ['A', 'B', 'C']) {
      products.push((await made('/products', { name, price: 1, custom: { material: 'wool' } })).id);
    }
    const [first, second] = products as [number, number];
    await made(`/custom-fields/${id}`, { filterable: true }, 'PATCH');
    const update = { company_id: shop.company_id, version: 0 };
    const next = () => server.app.db.tenantTx(shop.company_id, (tx) => keepNext(tx, update, 200));
    const keeping = () =>
      server.rows('select id::int from products where company_id = $1 and facets <> $2', [shop.company_id, []]);
    await server.app.db.tenantTx(shop.company_id, async (tx) => {
      await tx.query(
        sql`select from products where company_id = ${shop.company_id} and id = ${second} for no key update`,
      );
      expect(await next()).toBe(true);
      expect(await keeping()).toEqual([{ id: first }]);
      expect(await next()).toBe(false);
      expect(await keeping()).toEqual([{ id: first }]);
      // As an order does that sells out the one, then a variant of the other.
      await tx.query(
        sql`select from products where company_id = ${shop.company_id} and id = ${first} for no key update nowait`,
      );
    });
    expect(await next()).toBe(false);
    expect(await ids('custom.material=wool')).toEqual(products.toReversed());
    expect(await server.rows('select from facet_updates where company_id = $1', [shop.company_id])).toEqual([]);
    await isSound();
  });

  test('of a field that is no longer filterable are deleted at the end', async () => {
    const { id } = await field('product', 'material');
    const { id: both } = await field('product', 'grade');
    await field('variant', 'grade');
    await made('/products', { name: 'Sock', price: 1, custom: { material: 'wool', grade: 'A' } });
    await made('/products', {
      name: 'Shirt',
      options: [{ name: 'Colour', values: ['Red'] }],
      variants: [{ options: values({ Colour: 'Red' }), price: 1, custom: { grade: 'B' } }],
    });
    const kept = async () =>
      (
        await server.rows<{ key: string; value: string }>(
          'select key, value from facet_values where company_id = $1 order by key, value',
          [shop.company_id],
        )
      ).map(({ key, value }) => `${key} ${value}`);
    expect(await kept()).toEqual(['custom.grade A', 'custom.grade B', 'custom.material wool', 'option:Colour Red']);
    await made(`/custom-fields/${id}`, { filterable: false }, 'PATCH');
    await shop.commerce('DELETE', `/custom-fields/${both}`);
    await updated();
    expect(await kept()).toEqual(['custom.grade A', 'custom.grade B', 'option:Colour Red']);
    await isSound();
  });

  test('are no edit of a product, and a change of a plain product reads and writes none', async () => {
    const shirt = await made('/products', {
      name: 'Shirt',
      options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
      variants: [
        { options: values({ Colour: 'Red' }), price: 10 },
        { options: values({ Colour: 'Blue' }), price: 10 },
      ],
    });
    await made(`/products/${shirt.variants[0].id}`, { archived: true }, 'PATCH');
    expect((await shop.commerce('GET', `/products/${shirt.id}`)).body.data!.revision).toBe(shirt.revision);
    const plain = await made('/products', { name: 'Plain', price: 1 });
    const statements = await recordStatements(async () => {
      await made('/products', { name: 'Plain too', price: 1 });
      await made(`/products/${plain.id}`, { price: 2, status: 'draft' }, 'PATCH');
      await made(`/products/${shirt.variants[1].id}`, { price: 20 }, 'PATCH');
    });
    expect(statements.filter(({ text }) => text.includes('facet'))).toEqual([]);
    expect(statements.length).toBeGreaterThan(5);
  });

  test('have the same id for a value that several transactions insert at once', async () => {
    await field('product', 'material');
    const materials = ['a', 'b', 'c', 'd'];
    await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
        made('/products', { name: `P${n}`, price: 1, custom: { material: materials[n % 4] } }),
      ),
    );
    expect(await countsOf('facets=custom.material')).toEqual([{ a: 2, b: 2, c: 2, d: 2 }]);
    await isSound();
  });

  test('follow an import and its undo', async () => {
    await field('product', 'material');
    const imports = new TestImports(server, shop);
    const csv = [
      'sku,name,slug,price,parent_slug,option1_name,option1_value,custom.material',
      ',Shirt,shirt,,,,,wool',
      'A-1,Shirt – Red,,10,shirt,Colour,Red,',
      'A-2,Shirt – Blue,,10,shirt,Colour,Blue,',
      'B,Mug,mug,5,,,,clay',
    ].join('\n');
    const run = await imports.import('csv-products', csv);
    expect(await countsOf('facets=option:Colour,custom.material')).toEqual([
      { Red: 1, Blue: 1 },
      { wool: 1, clay: 1 },
    ]);
    await isSound();
    await imports.undo(run.id);
    expect(await countsOf('facets=option:Colour,custom.material')).toEqual([{}, {}]);
    await isSound();
  });
});

describe('counts', () => {
  const COLOURS = ['Red', 'Blue', 'Green'];
  const SIZES = ['S', 'M'];
  const MATERIALS = ['wool', 'silk', 'felt'];
  const CATEGORIES = ['hats', 'socks', 'new'];
  const COLLECTIONS = ['summer', 'sale'];

  test('equal those of a naive count, with filters over all facets', async () => {
    const draw = random(7);
    const one = <T>(list: readonly T[]): T => list[draw(list.length)]!;
    const some = <T>(list: readonly T[]): T[] => list.filter(() => draw(2) === 0);
    await field('product', 'material', 'text', { list: true });
    await field('variant', 'grade', 'integer');
    for (const slug of COLLECTIONS) await made('/collections', { name: slug, slug, kind: 'manual' });
    for (let n = 0; n < 60; n++) {
      const common = {
        name: `Product ${n}`,
        status: one(['active', 'active', 'active', 'draft']),
        categories: some(CATEGORIES),
        custom: { material: some(MATERIALS) },
      };
      const own = () => ({ price: 1 + draw(20), stock_qty: draw(3) === 0 ? 0 : 5 });
      if (draw(2) === 0) {
        await made('/products', { ...common, ...own() });
        continue;
      }
      const pairs = COLOURS.flatMap((Colour) => SIZES.map((Size) => ({ Colour, Size }))).filter(() => draw(3) > 0);
      const variants = (pairs.length > 0 ? pairs : [{ Colour: 'Red', Size: 'S' }]).map((options) => ({
        options: values(options),
        ...own(),
        status: one(['active', 'active', 'archived', 'draft']),
        custom: { grade: draw(3) },
      }));
      const options = [
        { name: 'Colour', values: COLOURS },
        { name: 'Size', values: SIZES },
      ];
      await made('/products', { ...common, options, variants });
    }
    const active = (await shop.commerce('GET', '/products?per_page=100')).body.data!;
    const hidden = (await shop.commerce('GET', '/products?per_page=100&archived=true')).body.data!;
    const members: Record<string, number[]> = {};
    for (const slug of COLLECTIONS) {
      members[slug] = [...active, ...hidden].map(({ id }) => id).filter(() => draw(2) === 0);
      await made(`/collections/${slug}/products`, { product_ids: members[slug] }, 'PUT');
    }
    const variantsOf = new Map<number, TestBody[]>();
    for (const parent of [...active, ...hidden].filter(({ has_variants }) => has_variants)) {
      const { data } = (await shop.commerce('GET', `/products/${parent.id}/variants?archived=false&per_page=100`)).body;
      variantsOf.set(parent.id, data!);
    }
    /** The values of a product by facet. */
    const held = (product: TestBody): Record<string, (string | number)[]> => {
      const variants = variantsOf.get(product.id) ?? [];
      const option = (name: string) =>
        variants.map(({ options }) => options.find((one: TestBody) => one.name === name).value);
      return {
        'option:Colour': option('Colour'),
        'option:Size': option('Size'),
        'custom.material': product.custom.material ?? [],
        'custom.grade': variants.map(({ custom }) => String(custom.grade)),
        category: product.categories,
        collection: COLLECTIONS.filter((slug) => members[slug]!.includes(product.id)),
        in_stock: [String(product.stock_qty > 0)],
        price: [product.price],
      };
    };
    const parameterOf: Record<string, (chosen: string[]) => string> = {
      'option:Colour': (chosen) => `option.Colour=${chosen.join()}`,
      'option:Size': (chosen) => chosen.map((value) => `option.Size=${value}`).join('&'),
      'custom.material': (chosen) => `custom.material=${chosen.join()}`,
      'custom.grade': (chosen) => `custom.grade=${chosen.join()}`,
      category: (chosen) => `category=${chosen.join()}`,
      collection: (chosen) => `collection=${chosen.join()}`,
      in_stock: (chosen) => `in_stock=${chosen[0]}`,
      price: (chosen) => `price_min=${chosen[0]}&price_max=${Number(chosen[0]) + 8}`,
    };
    const domains: Record<string, string[]> = {
      'option:Colour': [...COLOURS, 'None'],
      'option:Size': SIZES,
      'custom.material': MATERIALS,
      'custom.grade': ['0', '1', '2'],
      category: CATEGORIES,
      collection: COLLECTIONS,
      in_stock: ['true', 'false'],
      price: ['1', '5', '9'],
    };
    const keys = Object.keys(domains);
    for (let round = 0; round < rounds(40, 1_000); round++) {
      const isHidden = draw(4) === 0;
      const chosen = new Map(
        keys
          .filter(() => draw(4) === 0)
          .map((key) => {
            const drawn = some(domains[key]!);
            return [key, drawn.length > 0 ? drawn : [one(domains[key]!)]] as const;
          }),
      );
      const satisfies = (product: TestBody, key: string): boolean => {
        const wanted = chosen.get(key);
        if (wanted === undefined) return true;
        if (key === 'price') return product.price >= Number(wanted[0]) && product.price <= Number(wanted[0]) + 8;
        const asked = key === 'in_stock' ? wanted.slice(0, 1) : wanted;
        return held(product)[key]!.some((value) => asked.includes(String(value)));
      };
      const query = [
        ...[...chosen].map(([key, wanted]) => parameterOf[key]!(wanted)),
        `facets=${keys.join()}`,
        `archived=${isHidden}`,
        'per_page=100&sort=newest',
      ].join('&');
      const { data, meta } = (await shop.commerce('GET', `/products?${query}`)).body;
      const among: TestBody[] = isHidden ? hidden : active;
      const expected = among.filter((product) => keys.every((key) => satisfies(product, key)));
      expect([query, data!.map(({ id }: TestBody) => id)]).toEqual([query, expected.map(({ id }) => id)]);
      for (const facet of (meta as unknown as { facets: Facet[] }).facets) {
        const listed = among.filter((product) => keys.every((key) => key === facet.key || satisfies(product, key)));
        const naive: Record<string, number> = {};
        for (const product of listed) {
          for (const value of new Set(held(product)[facet.key]!)) naive[value] = (naive[value] ?? 0) + 1;
        }
        expect(facet.exact).toBe(true);
        if (facet.key === 'price') {
          const prices = listed.map(({ price }) => price);
          const range = prices.length === 0 ? [null, null] : [Math.min(...prices), Math.max(...prices)];
          expect([query, facet.min, facet.max]).toEqual([query, ...range]);
        } else {
          const counts = Object.fromEntries(facet.values.map(({ value, count }) => [value, count]));
          expect([query, facet.key, counts]).toEqual([query, facet.key, naive]);
        }
      }
    }
    await isSound();
  });

  test('show the 100 most frequent values', async () => {
    await field('product', 'material', 'text', { list: true });
    for (const [name, from] of [
      ['A', 0],
      ['B', 40],
      ['C', 80],
    ] as const) {
      const material = Array.from({ length: 50 }, (_, n) => `m${100 + from + n}`);
      await made('/products', { name, price: 1, custom: { material } });
    }
    const [material] = await facetsOf('facets=custom.material');
    expect(material!.values.map(({ count }) => count)).toEqual([...Array(20).fill(2), ...Array(80).fill(1)]);
    expect(material!.values[0]).toMatchObject({ value: 'm140' });
  });

  test('are not exact where a product has more values than it keeps', async () => {
    await field('product', 'material', 'text', { list: true });
    await field('product', 'colour', 'text', { list: true });
    const list = (name: string) => Array.from({ length: MAX_KEPT }, (_, n) => `${name}${n}`);
    const lists = { material: list('m').slice(0, 50), colour: list('c').slice(0, 50) };
    const { id } = await made('/products', { name: 'A', price: 1, custom: lists });
    expect(await facetsOf('facets=custom.material,price')).toMatchObject([{ exact: true }, { exact: true }]);
    await server.rows(
      'update products set facets = facets || array(select -n from generate_series(1, $2::int) n) where id = $1',
      [id, MAX_KEPT - 100],
    );
    expect(await facetsOf('facets=custom.material,price')).toMatchObject([{ exact: false }, { exact: true }]);
  });

  test('are estimated from the newest products where there are too many', async () => {
    await server.rows(
      `insert into products (company_id, name, slug, price, search, in_stock, created_at, updated_at)
       select $1, 'P', 'p-' || n, 100 + n, 'p', n % 4 = 0, now(), now() from generate_series(1, $2::int) n`,
      [shop.company_id, MAX_COUNTED + 5_000],
    );
    await server.rows('insert into product_stock select company_id, id, 1 from products where company_id = $1', [
      shop.company_id,
    ]);
    await server.rows("select fold_deltas('counter')");
    const [inStock, price] = await facetsOf('facets=in_stock,price&in_stock=true');
    expect(inStock).toMatchObject({ exact: false });
    expect(inStock!.values.map(({ value, count }) => [value, count])).toEqual([
      ['false', 18_750],
      ['true', 6_250],
    ]);
    expect(price).toMatchObject({ exact: true, min: 1.04, max: 251 });
  });
});
