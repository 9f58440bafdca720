import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../../access/audit.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { loadShop } from '../../shop.ts';
import { sealSecrets } from '../accounts/account.ts';

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
      { provider: 'paypal', kind: 'Card', capture: 'never', places: 'later' },
      ['capture not_allowed', 'kind wrong_format', 'places not_allowed', 'provider not_allowed'],
    ],
    [
      { kind: 'card', capture: 'by_hand', account_id: 1 },
      ['account_id invalid', 'capture not_allowed', 'kind not_allowed'],
    ],
    [{ provider: 'stripe', kind: 'x'.repeat(51), account_id: 1 }, ['kind too_long']],
    [{ provider: 'stripe', kind: 'any' }, ['account_id required']],
    [{ provider: 'stripe', kind: 'any', account_id: 999_999_999 }, ['account_id unknown']],
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

describe('a method of a payment service', () => {
  /** Inserted, so that no code of the service is needed. */
  async function account(provider: string, active = true, company = shop): Promise<number> {
    const [row] = await server.rows<{ id: string }>(
      `insert into payment_accounts
         (company_id, provider, mode, name, active, sealed_config, webhook_token, created_at, updated_at)
       values ($1, $2, 'test', 'Account', $3, $4, $5, now(), now()) returning id`,
      [
        company.company_id,
        provider,
        active,
        sealSecrets(server.app.masterKey, { secret_key: 'test_key', webhook_secrets: [] }),
        randomUUID(),
      ],
    );
    return Number(row!.id);
  }

  test('has an account, and defaults of its own', async () => {
    const account_id = await account('stripe');
    const made = await create({ provider: 'stripe', kind: 'any', account_id });
    const places = { places: 'when_paid', reserve_minutes: 30, capture: 'at_once' };
    expect(made).toMatchObject({ provider: 'stripe', kind: 'any', account_id, ...places });
    const changed = { kind: 'sepa_debit', capture: 'on_shipped', account_id: await account('stripe') };
    const path = `/payment-methods/${made.id}`;
    expect((await shop.commerce('PATCH', path, changed)).body.data).toMatchObject(changed);
    expect((await shop.commerce('PATCH', path, { capture: 'by_hand' })).body.data.capture).toBe('by_hand');
    expect(errorsOf(await shop.commerce('PATCH', path, { account_id: null }))).toEqual(['account_id required']);
  });

  test('needs an active account of the same provider and company', async () => {
    const other = await server.company();
    const { id } = await create({ provider: 'mollie', kind: 'ideal', account_id: await account('mollie') });
    for (const account_id of [
      await account('mollie', false),
      await account('stripe'),
      await account('mollie', true, other),
    ]) {
      const body = { provider: 'mollie', kind: 'ideal', name: 'iDEAL', account_id };
      expect(errorsOf(await shop.commerce('POST', '/payment-methods', body))).toEqual(['account_id unknown']);
      const patch = await shop.commerce('PATCH', `/payment-methods/${id}`, { account_id });
      expect(errorsOf(patch)).toEqual(['account_id unknown']);
    }
  });

  test('keeps an account that was deactivated, and is kept in memory with it', async () => {
    const own = await server.company();
    const account_id = await account('mollie', true, own);
    const { id } = await create({ provider: 'mollie', kind: 'ideal', account_id }, own);
    await server.rows('update payment_accounts set active = false where company_id = $1', [own.company_id]);
    expect((await own.commerce('PATCH', `/payment-methods/${id}`, { name: 'iDEAL' })).body.data).toMatchObject({
      name: 'iDEAL',
      account_id,
    });
    const { paymentMethods, paymentAccounts } = await loadShop(server.app.db, own.company_id);
    expect([paymentMethods, paymentAccounts]).toMatchObject([
      [{ id, account_id }],
      [{ id: account_id, active: false }],
    ]);
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
