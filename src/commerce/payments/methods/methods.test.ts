import { beforeAll, describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../../access/audit.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { loadShop } from '../../shop.ts';

const server = testServer({ described: true });
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

async function create(fields: object, company = shop) {
  const response = await company.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Cash', ...fields });
  expect(response.status).toBe(201);
  return response.body.data!;
}

function errorsOf({ status, body }: { status: number; body: TestBody }): string[] {
  expect(status).toBe(422);
  const fields = body.error!.details!.fields as unknown as { field: string; code: string }[];
  return fields.map(({ field, code }) => `${field} ${code}`).sort();
}

const kept = async (company: TestCompany) => (await loadShop(server.app.db, company.company_id)).paymentMethods;

test('a new company has no payment method', async () => {
  const own = await server.company();
  expect((await own.commerce('GET', '/payment-methods')).body).toMatchObject({
    data: [],
    meta: { pagination: { page: 1, per_page: 25, total: 0, total_pages: 0 } },
  });
  expect(await kept(own)).toEqual([]);
});

describe('a method', () => {
  test('has the defaults of its kind', async () => {
    const moment = server.clock.now().toISOString();
    expect(await create({ kind: 'bank_transfer', name: ' Bank transfer ' })).toEqual({
      id: expect.any(Number),
      provider: 'manual',
      kind: 'bank_transfer',
      name: 'Bank transfer',
      description: null,
      instructions: null,
      account_id: null,
      position: 0,
      active: true,
      staff_only: false,
      places: 'when_paid',
      reserve_minutes: 10_080,
      capture: 'at_once',
      min_total: null,
      max_total: null,
      created_at: moment,
      updated_at: moment,
    });
    for (const kind of ['cash_on_delivery', 'cash', 'card_terminal', 'other']) {
      expect(await create({ kind })).toMatchObject({ kind, places: 'at_once' });
    }
    expect(await create({ kind: 'other', places: 'when_paid' })).toMatchObject({ reserve_minutes: 10_080 });
  });

  test('is created with every field, read, and changed in part', async () => {
    const given = {
      provider: 'manual',
      kind: 'bank_transfer',
      name: 'Prepayment',
      description: 'We ship when the money has arrived',
      instructions: 'IBAN DE02 1203 0000 0000 2020 51\nReference: the order number',
      position: 3,
      active: false,
      staff_only: true,
      places: 'at_once',
      reserve_minutes: 20_160,
      capture: 'at_once',
      min_total: 9.99,
      max_total: 500,
    };
    const made = await create(given);
    expect(made).toMatchObject(given);
    const path = `/payment-methods/${made.id}`;
    expect((await shop.commerce('GET', path)).body.data).toEqual(made);
    const change = (fields: object) => shop.commerce('PATCH', path, fields);
    expect((await change({})).body.data).toMatchObject(given);
    expect((await change({ active: true, name: 'Transfer' })).body.data).toMatchObject({
      ...given,
      active: true,
      name: 'Transfer',
    });
    const cleared = { description: null, instructions: '', min_total: null, max_total: null };
    expect((await change(cleared)).body.data).toMatchObject({ ...cleared, instructions: null, position: 3 });
    expect((await change({ kind: 'other', places: 'when_paid', reserve_minutes: 60 })).body.data).toMatchObject({
      kind: 'other',
      places: 'when_paid',
      reserve_minutes: 60,
    });
    // The kind of a method sets the default of a new one only.
    expect((await change({ kind: 'cash' })).body.data).toMatchObject({ kind: 'cash', places: 'when_paid' });
  });

  test('is not deleted, and stays in the list when it is inactive', async () => {
    const own = await server.company();
    const { id } = await create({ active: false }, own);
    expect((await own.commerce('DELETE', `/payment-methods/${id}`)).status).toBe(404);
    expect((await own.commerce('GET', '/payment-methods')).body.data).toMatchObject([{ id, active: false }]);
  });

  test.each([
    [{ name: undefined, kind: undefined }, ['kind required', 'name required']],
    [
      { name: ' ', description: 'x'.repeat(501), instructions: 'x'.repeat(2_001) },
      ['description too_long', 'instructions too_long', 'name too_short'],
    ],
    [
      { provider: 'stripe', kind: 'card', capture: 'by_hand', places: 'later' },
      ['capture not_allowed', 'kind not_allowed', 'places not_allowed', 'provider not_allowed'],
    ],
    [{ position: -1, reserve_minutes: 0 }, ['position out_of_range', 'reserve_minutes out_of_range']],
    [{ reserve_minutes: 20_161 }, ['reserve_minutes out_of_range']],
    [{ min_total: -0.01, max_total: 10_000_000 }, ['max_total out_of_range', 'min_total out_of_range']],
    [{ min_total: 1.005, max_total: 2.005 }, ['max_total too_many_decimals', 'min_total too_many_decimals']],
    [{ min_total: 20, max_total: 19.99 }, ['max_total out_of_range']],
  ])('422 for %j', async (fields, errors) => {
    const body = { kind: 'cash', name: 'Cash', ...fields };
    expect(errorsOf(await shop.commerce('POST', '/payment-methods', body))).toEqual(errors);
  });

  test('keeps a range of totals that is not empty', async () => {
    const { id } = await create({ min_total: 10, max_total: 20 });
    const change = (fields: object) => shop.commerce('PATCH', `/payment-methods/${id}`, fields);
    expect(errorsOf(await change({ min_total: 20.01 }))).toEqual(['max_total out_of_range']);
    expect(errorsOf(await change({ max_total: 9 }))).toEqual(['max_total out_of_range']);
    expect((await change({ min_total: 20 })).body.data).toMatchObject({ min_total: 20, max_total: 20 });
    expect((await change({ max_total: null })).body.data).toMatchObject({ min_total: 20, max_total: null });
  });

  test('has totals in the currency of the shop, whose decimals stay', async () => {
    const yen = await server.company({ currency: 'JPY' });
    await create({}, yen);
    expect((await yen.commerce('PATCH', '/settings', { currency: 'EUR' })).status).toBe(200);
    expect((await yen.commerce('PATCH', '/settings', { currency: 'JPY' })).status).toBe(200);
    expect(await create({ max_total: 500 }, yen)).toMatchObject({ max_total: 500 });
    expect((await kept(yen))[1]).toMatchObject({ max_total: 500 });
    const body = { kind: 'cash', name: 'Cash', min_total: 5.5 };
    expect(errorsOf(await yen.commerce('POST', '/payment-methods', body))).toEqual(['min_total too_many_decimals']);
    expect(errorsOf(await yen.commerce('PATCH', '/settings', { currency: 'EUR' }))).toEqual(['currency fixed']);
  });
});

test('methods are listed by position, and kept so in memory with their amounts in minor units', async () => {
  const own = await server.company();
  for (const [name, position, active] of [
    ['c', 2, true],
    ['a', 0, false],
    ['b', 2, true],
  ] as const) {
    await create({ name, position, active, min_total: 1.5 }, own);
  }
  const list = (await own.commerce('GET', '/payment-methods?per_page=2')).body;
  expect(list.data).toMatchObject([{ name: 'a' }, { name: 'c' }]);
  expect(list.meta!.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
  expect((await own.commerce('GET', '/payment-methods?per_page=2&page=2')).body.data).toMatchObject([{ name: 'b' }]);
  expect(await kept(own)).toMatchObject([
    { name: 'a', active: false, min_total: 150, max_total: null },
    { name: 'c', active: true },
    { name: 'b', active: true },
  ]);
  expect(await firstBrokenSeal(server.app.db, own.company_id)).toBeNull();
});

test('processes use a changed method at once', async () => {
  const own = await server.company();
  const cached = async () => (await server.app.shops.get(own.company_id)).paymentMethods;
  expect(await cached()).toEqual([]);
  const { id } = await create({}, own);
  expect(await cached()).toMatchObject([{ id, active: true }]);
  await own.commerce('PATCH', `/payment-methods/${id}`, { active: false });
  expect(await cached()).toMatchObject([{ id, active: false }]);
});

test('a shop has room for 50 methods, inactive ones included', async () => {
  const own = await server.company();
  await server.rows(
    `insert into payment_methods
       (company_id, provider, kind, name, active, places, reserve_minutes, capture, created_at, updated_at)
     select $1, 'manual', 'other', 'Method ' || n, false, 'at_once', 60, 'at_once', now(), now()
     from generate_series(1, 49) n`,
    [own.company_id],
  );
  const { id } = await create({}, own);
  const { status, body } = await own.commerce('POST', '/payment-methods', { kind: 'cash', name: 'One more' });
  expect([status, body.error!.details!.reason]).toEqual([422, 'validation_failed']);
  expect(body.error!.message).toBe('A shop has room for 50 payment methods');
  expect((await own.commerce('PATCH', `/payment-methods/${id}`, { name: 'Coins' })).status).toBe(200);
});

test('scopes and companies are apart', async () => {
  const { id } = await create({});
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/payment-methods')).status).toBe(200);
  const refused = await reader.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Cash' });
  expect([refused.status, refused.body.error!.details!.required]).toEqual([403, 'settings:write']);
  expect((await reader.commerce('PATCH', `/payment-methods/${id}`, {})).status).toBe(403);
  const other = await server.company();
  expect((await other.commerce('GET', `/payment-methods/${id}`)).status).toBe(404);
  expect((await other.commerce('PATCH', `/payment-methods/${id}`, { name: 'x' })).status).toBe(404);
  const without = await server.company({ scopes: ['orders:read'] });
  expect((await without.commerce('GET', '/payment-methods')).status).toBe(403);
});
