import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import type { Slice } from '../../../lib/slice.ts';
import { type TestBody, type TestResponse, testServer } from '../../../testing/harness.ts';
import { random, rounds } from '../../../testing/random/seed.ts';
import { applyChangedRules } from '../../collections/updates.ts';
import { removeDeletedFields } from '../../custom-fields/removal.ts';
import { keepChangedFacets } from '../facets/updates.ts';

const server = testServer({ impatient: true });
const EDITORS = 24;
/** Actions of each editor. */
const ROUNDS = rounds(6, 60);
const COLOURS = ['Red', 'Blue', 'Green', 'Black'];
const MATERIALS = ['wool', 'silk', 'felt'];

test('editors, buyers and rules that work at the same time leave a sound catalogue', {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const shop = await server.company();
  /** Repeats what a busy machine refuses, as clients do. Everything else is a success or an error that says why. */
  async function send(method: string, path: string, body?: object): Promise<TestResponse> {
    for (;;) {
      const response = await shop.commerce(method, path, body);
      if (response.headers.get('retry-after') === null) {
        expect([200, 201, 404, 409, 422], `${method} ${path}: ${JSON.stringify(response.body)}`).toContain(
          response.status,
        );
        return response;
      }
      await pause(250);
    }
  }
  const customer: number = (await send('POST', '/customers', { email: 'ada@example.com' })).body.data!.id;

  let named = 0;
  const plain = () => ({ name: `Plain ${++named}`, price: 5 + (named % 9), stock_qty: 20, categories: ['plain'] });
  const shirt = () => ({
    name: `Shirt ${++named}`,
    categories: ['shirts'],
    custom: { material: MATERIALS[named % 3] },
    options: [{ name: 'Colour', values: COLOURS.slice(0, 3) }],
    variants: COLOURS.slice(0, 2).map((value) => ({
      options: [{ name: 'Colour', value }],
      price: 20,
      stock_qty: 9,
      custom: { washed: named % 2 === 0 },
    })),
  });
  await send('POST', '/custom-fields', {
    on: 'product',
    key: 'material',
    name: 'Material',
    type: 'text',
    filterable: true,
  });
  await send('POST', '/custom-fields', {
    on: 'variant',
    key: 'washed',
    name: 'Washed',
    type: 'boolean',
    filterable: true,
  });
  for (let i = 0; i < 8; i++) {
    await send('POST', '/products', plain());
    await send('POST', '/products', shirt());
  }
  const rules = [
    { field: 'price', comparison: 'greater_than', value: 10 },
    { field: 'option.Colour', comparison: 'equals', value: 'Red' },
    { field: 'categories', comparison: 'in', value: ['plain'] },
    { field: 'custom.material', comparison: 'equals', value: 'wool' },
    { field: 'custom.washed', comparison: 'not_equals', value: true },
  ];
  const selecting = (pick: (n: number) => number) => ({ rules: [rules[pick(5)]!] });
  for (const kind of ['manual', 'rules'] as const) {
    const more = kind === 'rules' ? { rules: selecting(() => 1) } : {};
    expect((await send('POST', '/collections', { name: kind, kind, ...more })).status).toBe(201);
  }

  async function some(pick: (n: number) => number, query = ''): Promise<TestBody | undefined> {
    const listed: TestBody[] = (await send('GET', `/products?per_page=100&archived=false${query}`)).body.data!;
    return listed[pick(Math.max(1, listed.length))];
  }
  const parent = (pick: (n: number) => number) => some(pick, '&search=shirt');
  async function variant(pick: (n: number) => number): Promise<TestBody | undefined> {
    const found = await parent(pick);
    const variants: TestBody[] = (await send('GET', `/products/${found?.id ?? 0}/variants`)).body.data ?? [];
    return variants[pick(Math.max(1, variants.length))];
  }

  type Action = (pick: (n: number) => number) => Promise<unknown>;
  const actions: Action[] = [
    (pick) => send('POST', '/products', pick(2) === 0 ? plain() : shirt()),
    async (pick) => {
      const bought = [await variant(pick), await some(pick, '&include=variants')];
      const items = bought.filter((one) => one !== undefined).map(({ id }) => ({ product_id: id, qty: 1 + pick(4) }));
      const address = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
      const placed = await send('POST', '/orders', { customer_id: customer, items, ...address });
      if (placed.status !== 201 || pick(2) === 0) return;
      await send('PATCH', `/orders/${placed.body.data!.id}/status`, { status: 'cancelled' });
    },
    async (pick) => {
      const one = await some(pick, '&search=plain');
      const options = [{ name: 'Colour', values: COLOURS }];
      const value = [{ name: 'Colour', value: COLOURS[pick(4)] }];
      await send('PUT', `/products/${one?.id ?? 0}/options`, { options, variant: value });
    },
    async (pick) => {
      const [a, b] = [await some(pick, '&search=plain'), await some(pick, '&search=plain')];
      const variants = [a, b].map((one, i) => ({
        product_id: one?.id ?? 1,
        options: [{ name: 'Colour', value: COLOURS[i] }],
      }));
      const options = [{ name: 'Colour', values: COLOURS }];
      await send('POST', '/products/group', { name: `Shirt ${++named}`, options, variants });
    },
    async (pick) => send('POST', `/products/${(await parent(pick))?.id ?? 0}/ungroup`),
    async (pick) => {
      const found = await parent(pick);
      const sizes = { name: 'Size', values: ['S', 'M'], default: 'S' };
      const colours = { name: 'Colour', values: COLOURS };
      const renamed = { name: 'Colour', new_name: 'Color', values: COLOURS };
      const options = [[renamed], [colours, sizes], [colours]][pick(3)];
      await send('PUT', `/products/${found?.id ?? 0}/options`, { options });
    },
    async (pick) => {
      const path = `/products/${(await parent(pick))?.id ?? 0}/variants`;
      await send('POST', `${path}/generate`, { price: 15 + pick(10), stock_qty: 5 });
    },
    async (pick) => {
      const changes = [await variant(pick), await some(pick)].filter((one) => one !== undefined);
      const products = changes.map(({ id, has_variants }) => ({
        id,
        ...(has_variants ? { categories: [MATERIALS[pick(3)]] } : { price: 3 + pick(30), stock_qty: pick(3) * 10 }),
      }));
      await send('PATCH', '/products', { products });
    },
    async (pick) => {
      const found = pick(2) === 0 ? await parent(pick) : await variant(pick);
      await send('PATCH', `/products/${found?.id ?? 0}`, { archived: pick(3) > 0 });
    },
    async (pick) => {
      const found = await parent(pick);
      await send('PATCH', `/products/${found?.id ?? 0}`, { custom: { material: MATERIALS[pick(3)] }, tax_class: null });
    },
    async (pick) => {
      const listed: TestBody[] = (await send('GET', '/products?per_page=20')).body.data!;
      const ids = listed.filter(() => pick(2) === 0).map(({ id }) => id);
      await send('PUT', '/collections/manual/products', { product_ids: ids });
    },
    (pick) => send('PATCH', '/collections/rules', { rules: selecting(pick) }),
    async (pick) => {
      const fields: TestBody[] = (await send('GET', '/custom-fields?on=product')).body.data!;
      const field = fields.find(({ key }) => key === 'material');
      if (field === undefined) {
        const material = { on: 'product', key: 'material', name: 'Material', type: 'text', filterable: true };
        await send('POST', '/custom-fields', material);
      } else if (pick(3) === 0) await send('DELETE', `/custom-fields/${field.id}`);
      else await send('PATCH', `/custom-fields/${field.id}`, { filterable: pick(2) === 0 });
    },
    async (pick) => {
      const slug = [...MATERIALS, 'plain', 'shirts'][pick(5)]!;
      if (pick(3) === 0) await send('DELETE', `/categories/${slug}?force=true`);
      else await send('PATCH', `/categories/${slug}`, { name: `Category ${++named}` });
    },
  ];

  // On connections of their own, as in the program: those of requests are overloaded.
  const deps = { db: server.app.db.chores, log: pino({ level: 'silent' }) };
  const chores: Slice<true>[] = [applyChangedRules(deps), keepChangedFacets(deps), removeDeletedFields(deps)];
  let working = true;
  const work = async (): Promise<void> => {
    while (working) {
      for (const slice of chores) await slice(null);
      await pause(20);
    }
  };
  const edit = async (editor: number): Promise<void> => {
    const pick = random(editor);
    for (let round = 0; round < ROUNDS; round++) await actions[pick(actions.length)]!(pick);
  };
  const editing = Promise.all(Array.from({ length: EDITORS }, (_, editor) => edit(editor)));
  await Promise.all([
    work(),
    editing.finally(() => {
      working = false;
    }),
  ]);
  for (const slice of chores) while ((await slice(null)).next !== null);
  await expect
    .poll(async () => {
      for (const slice of chores) await slice(null);
      return server.rows('select from facet_updates union all select from collections where updating');
    })
    .toEqual([]);
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});
