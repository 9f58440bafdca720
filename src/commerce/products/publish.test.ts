import { beforeEach, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { testStore } from '../../store/testing-store.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { publishDueProducts } from './publish.ts';

const server = testServer({ described: true });
let shop: TestCompany;

beforeEach(async () => {
  shop = await server.company();
});

const HOUR = 3_600_000;
const inHours = (hours: number): string => new Date(server.clock.now().getTime() + hours * HOUR).toISOString();
const publish = () => allSlices(publishDueProducts({ db: server.app.db, clock: server.clock, log: server.app.log }));
const read = async (ref: string | number) => (await shop.commerce('GET', `/products/${ref}`)).body.data;
const draft = async (name: string, more: object = {}) =>
  (await shop.commerce('POST', '/products', { name, price: 5, status: 'draft', ...more })).body.data;
const failing = (body: { error?: { details?: { fields?: unknown } | null } | null }) => body.error!.details!.fields;

describe('a draft with a date', () => {
  test('becomes active when it comes, once, and is then listed and sold', async () => {
    const store = await testStore(server, shop.company_id);
    const publish_at = inHours(2);
    const { id } = await draft('Mug', { publish_at });
    expect(await read(id)).toMatchObject({ status: 'draft', publish_at, revision: 1 });
    server.clock.advance(HOUR);
    expect(await publish()).toBe(0);
    expect((await store.get('/products/mug')).status).toBe(404);
    expect((await store.get('/products')).body.meta.pagination.total).toBe(0);
    server.clock.advance(HOUR);
    // As many processes do at once.
    const done = await Promise.all([publish(), publish(), publish()]);
    expect(done.reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(await read(id)).toMatchObject({ status: 'active', publish_at: null, revision: 2, updated_at: publish_at });
    expect((await store.get('/products/mug')).status).toBe(200);
    expect((await store.get('/products')).body.meta.pagination.total).toBe(1);
    const entries = await server.rows('select actor, action, target, details from audit_log where company_id = $1', [
      shop.company_id,
    ]);
    expect(entries).toContainEqual({
      actor: 'program',
      action: 'product.publish',
      target: `product:${id}`,
      details: { publish_at },
    });
    await shop.commerce('PATCH', '/products/mug', { status: 'draft' });
    server.clock.advance(HOUR);
    expect(await publish()).toBe(0);
    expect(await read(id)).toMatchObject({ status: 'draft', publish_at: null });
    expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('becomes active late, if nothing ran at that time; other companies do not wait for more than a hundred', async () => {
    const other = await server.company();
    const soon = inHours(1);
    for (let n = 0; n < 103; n++) await draft(`Mug ${n}`, { publish_at: soon });
    await other.commerce('POST', '/products', { name: 'Tea', price: 5, status: 'draft', publish_at: inHours(2) });
    server.clock.advance(30 * 24 * HOUR);
    expect(await publish()).toBe(104);
    expect((await shop.commerce('GET', '/products')).body.meta.pagination.total).toBe(103);
    expect((await other.commerce('GET', '/products/tea')).body.data).toMatchObject({ status: 'active' });
  });

  test.each([
    ['null', { publish_at: null }, 'draft'],
    ['the status active', { status: 'active' }, 'active'],
    ['the status archived', { status: 'archived' }, 'archived'],
    ['archived: false', { archived: false }, 'active'],
  ])('loses it by %s', async (_by, patch, status) => {
    const publish_at = inHours(1);
    const { id } = await draft('Mug', { publish_at });
    const changed = await shop.commerce('PATCH', `/products/${id}`, patch);
    expect(changed.body.data).toMatchObject({ status, publish_at: null });
    server.clock.advance(2 * HOUR);
    expect(await publish()).toBe(0);
    expect(await read(id)).toMatchObject({ status, publish_at: null, revision: 2 });
  });

  test('keeps it in other changes, also of a client that sends it back when it has passed', async () => {
    const publish_at = inHours(1);
    const { id } = await draft('Mug', { publish_at });
    server.clock.advance(2 * HOUR);
    const changed = await shop.commerce('PATCH', `/products/${id}`, { name: 'Cup', publish_at });
    expect(changed.body.data).toMatchObject({ name: 'Cup', status: 'draft', publish_at });
    const activated = await shop.commerce('PATCH', `/products/${id}`, { status: 'active', publish_at });
    expect(activated.body.data).toMatchObject({ status: 'active', publish_at: null });
  });

  test('publishes its variants with it, and hands the date on when it gets them', async () => {
    const publish_at = inHours(1);
    const { id } = await draft('Mug', { publish_at });
    const options = [{ name: 'Size', values: ['S'] }];
    const changed = await shop.commerce('PUT', `/products/${id}/options`, {
      options,
      variant: [{ name: 'Size', value: 'S' }],
    });
    const parent = changed.body.data.id;
    expect(await read(parent)).toMatchObject({ status: 'draft', publish_at });
    expect(await read(id)).toMatchObject({ publish_at: null, active: false });
    const refused = await shop.commerce('PATCH', `/products/${id}`, { status: 'draft', publish_at });
    expect(failing(refused.body)).toMatchObject([{ field: 'publish_at', code: 'of_parent' }]);
    await shop.commerce('POST', `/products/${parent}/ungroup`);
    expect(await read(id)).toMatchObject({ status: 'draft', publish_at });
    const made = await shop.commerce('POST', '/products', {
      name: 'Tee',
      status: 'draft',
      publish_at,
      options,
      variants: [{ options: [{ name: 'Size', value: 'S' }], price: 9 }],
    });
    expect(made.body.data).toMatchObject({ publish_at, variants: [{ publish_at: null, active: false }] });
    server.clock.advance(HOUR);
    expect(await publish()).toBe(2);
    expect(await read('tee')).toMatchObject({ status: 'active', variants: [{ active: true }] });
  });
});

test('a date is in the future, and of a draft', async () => {
  const at = (given: object) => shop.commerce('POST', '/products', { name: 'Mug', price: 5, ...given });
  const past = await at({ status: 'draft', publish_at: server.clock.now().toISOString() });
  expect([past.status, failing(past.body)]).toMatchObject([422, [{ field: 'publish_at', code: 'out_of_range' }]]);
  const active = await at({ publish_at: inHours(1) });
  expect([active.status, failing(active.body)]).toMatchObject([422, [{ field: 'publish_at', code: 'not_allowed' }]]);
  const text = await at({ status: 'draft', publish_at: 'tomorrow' });
  expect([text.status, failing(text.body)]).toMatchObject([422, [{ field: 'publish_at' }]]);
});
