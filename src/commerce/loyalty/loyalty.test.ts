import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../access/audit.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type LedgerType, postLedger } from './ledger.ts';

const server = testServer({ described: true });
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

let made = 0;
async function customer(company = shop): Promise<number> {
  const response = await company.commerce('POST', '/customers', { email: `c${++made}@example.com` });
  return response.body.data!.id as number;
}

function adjust(id: number, points: number, fields: object = {}, company = shop) {
  return company.commerce('POST', `/customers/${id}/loyalty/adjust`, { points, ...fields });
}

async function balance(id: number, company = shop) {
  return (await company.commerce('GET', `/customers/${id}/loyalty`)).body.data;
}

describe('GET /customers/{id}/loyalty', () => {
  test('zeros for a customer without entries, 404 for none and for foreign ones', async () => {
    const id = await customer();
    const response = await shop.commerce('GET', `/customers/${id}/loyalty`);
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual({ customer_id: id, current_balance: 0, lifetime_points: 0, dollar_value: 0 });
    const foreign = await customer(await server.company());
    for (const unknown of [999_999, foreign]) {
      expect((await shop.commerce('GET', `/customers/${unknown}/loyalty`)).status).toBe(404);
      expect((await shop.commerce('GET', `/customers/${unknown}/loyalty/ledger`)).status).toBe(404);
      expect((await adjust(unknown, 5)).status).toBe(404);
    }
  });

  test('lifetime points count those that orders earned and took back, not redeemed or manually added ones', async () => {
    const id = await customer();
    const entry = (type: LedgerType, points: number, orderId: number | null) => ({
      customerId: id,
      type,
      points,
      orderId,
      actor: 'test',
    });
    const entries = [entry('earn', 250, 1), entry('earn', 100, 2), entry('redeem', -120, 2)];
    await server.app.db.tx((tx) => postLedger(tx, shop.company_id, entries, server.clock.now()));
    await adjust(id, 7);
    expect(await balance(id)).toMatchObject({ current_balance: 237, lifetime_points: 350, dollar_value: 2.37 });
    const cancelled = [entry('reverse_earn', -100, 2), entry('restore', 120, 2)];
    await server.app.db.tx((tx) => postLedger(tx, shop.company_id, cancelled, server.clock.now()));
    expect(await balance(id)).toMatchObject({ current_balance: 257, lifetime_points: 250, dollar_value: 2.57 });
    await expect(
      server.app.db.tx((tx) => postLedger(tx, shop.company_id, [entry('earn', 100, 2)], server.clock.now())),
    ).rejects.toThrow('loyalty_ledger_order');
    expect(await balance(id)).toMatchObject({ current_balance: 257, lifetime_points: 250 });
  });
});

test('orders that are counted with entries give no additional points', async () => {
  const id = await customer();
  await server.app.db.tx((tx) => postLedger(tx, shop.company_id, [], server.clock.now(), new Map([[id, 2]])));
  expect(await balance(id)).toMatchObject({ current_balance: 0, lifetime_points: 0 });
});

describe('POST /customers/{id}/loyalty/adjust', () => {
  test('200 with the new balance and an entry with actor and reason', async () => {
    const id = await customer();
    const response = await adjust(id, 150, { reason: ' Sorry ' });
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual({
      customer_id: id,
      current_balance: 150,
      lifetime_points: 0,
      dollar_value: 1.5,
    });
    await adjust(id, -50);
    const ledger = (await shop.commerce('GET', `/customers/${id}/loyalty/ledger`)).body;
    const entry = { type: 'adjust', order_id: null, actor: 'key:test', created_at: server.clock.now().toISOString() };
    expect(ledger.data).toEqual([
      { ...entry, id: expect.any(Number), points: -50, reason: null },
      { ...entry, id: expect.any(Number), points: 150, reason: 'Sorry' },
    ]);
    expect(ledger.meta!.pagination).toEqual({ page: 1, per_page: 25, total: 2, total_pages: 1 });
    const second = (await shop.commerce('GET', `/customers/${id}/loyalty/ledger?page=2&per_page=1`)).body;
    expect(second.data).toMatchObject([{ points: 150 }]);
    expect(second.meta!.pagination).toEqual({ page: 2, per_page: 1, total: 2, total_pages: 2 });
  });

  test('no more points than the balance can be taken, even concurrently; a refused change writes nothing', async () => {
    const id = await customer();
    const refused = await adjust(id, -1);
    expect(refused.status).toBe(422);
    expect(refused.body.error!.details).toMatchObject({ reason: 'insufficient_points', balance: 0 });
    await adjust(id, 100);
    const responses = await Promise.all(Array.from({ length: 20 }, () => adjust(id, -30)));
    expect(responses.map((response) => response.status).sort()).toEqual([
      ...new Array(3).fill(200),
      ...new Array(17).fill(422),
    ]);
    expect(await balance(id)).toMatchObject({ current_balance: 10 });
    expect((await shop.commerce('GET', `/customers/${id}/loyalty/ledger`)).body.meta!.pagination!.total).toBe(4);
  });

  test.each([[0], [1.5], ['5'], [null], [2_000_000_000]])('422 for %j points', async (points) => {
    const response = await shop.commerce('POST', `/customers/${await customer()}/loyalty/adjust`, { points });
    expect(response.status).toBe(422);
    expect(response.body.error!.details!.fields).toMatchObject([{ field: 'points' }]);
  });

  test('once for one Idempotency-Key', async () => {
    const id = await customer();
    const key = { 'idempotency-key': 'adjust-1' };
    const again = () => shop.commerce('POST', `/customers/${id}/loyalty/adjust`, { points: 5 }, key);
    const responses = await Promise.all([again(), again(), again()]);
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(await balance(id)).toMatchObject({ current_balance: 5 });
  });
});

describe('/loyalty/settings', () => {
  const defaults = {
    points_per_dollar: 1,
    point_value: 0.01,
    min_redeem_points: 100,
    enabled: true,
    earn_on: 'placed',
  };

  test('the defaults of a fresh company', async () => {
    const own = await server.company({ scopes: ['loyalty:read'] });
    expect(await own.commerce('GET', '/loyalty/settings')).toMatchObject({ status: 200, body: { data: defaults } });
    const refused = await own.commerce('PATCH', '/loyalty/settings', { enabled: false });
    expect(refused.body.error!.details).toMatchObject({ reason: 'missing_scope', required: 'settings:write' });
    const other = await server.company({ scopes: ['customers:read'] });
    expect((await other.commerce('GET', '/loyalty/settings')).status).toBe(403);
  });

  test('PATCH changes the given fields at once and is audited', async () => {
    const own = await server.company();
    const id = await customer(own);
    await adjust(id, 333, {}, own);
    const change = { points_per_dollar: 3, point_value: 0.005 };
    const response = await own.commerce('PATCH', '/loyalty/settings', change);
    expect(response).toMatchObject({ status: 200, body: { data: { ...defaults, ...change } } });
    expect((await own.commerce('GET', '/loyalty/settings')).body.data).toEqual({ ...defaults, ...change });
    expect(await balance(id, own)).toMatchObject({ current_balance: 333, dollar_value: 1.66 });
    const rest = { min_redeem_points: 0, enabled: false, earn_on: 'delivered' };
    await own.commerce('PATCH', '/loyalty/settings', rest);
    expect((await own.commerce('GET', '/loyalty/settings')).body.data).toEqual({ ...change, ...rest });
    expect(await balance(id, own)).toMatchObject({ current_balance: 333 });
    const actions = await server.rows(
      "select actor, action, target, details from audit_log where company_id = $1 and action like 'loyalty%' order by id",
      [own.company_id],
    );
    expect(actions).toEqual([
      { actor: 'key:test', action: 'loyalty.update', target: 'loyalty', details: change },
      { actor: 'key:test', action: 'loyalty.update', target: 'loyalty', details: rest },
    ]);
    expect(await firstBrokenSeal(server.app.db, own.company_id)).toBeNull();
  });

  test('PATCH writes nothing that the program does not have', async () => {
    const own = await server.company();
    const response = await own.commerce('PATCH', '/loyalty/settings', { enabled: false, tax_rounding: 'order', x: 1 });
    expect(response.headers.get('x-ignored-fields')).toBe('tax_rounding, x');
    const [written] = await server.rows('select settings from companies where company_id = $1', [own.company_id]);
    expect(written).toEqual({ settings: { loyalty: { enabled: false } } });
    const [action] = await server.rows(
      "select details from audit_log where company_id = $1 and action = 'loyalty.update'",
      [own.company_id],
    );
    expect(action).toEqual({ details: { enabled: false } });
  });

  test.each([
    [{ points_per_dollar: 1.5 }, 'points_per_dollar wrong_type'],
    [{ points_per_dollar: -1 }, 'points_per_dollar out_of_range'],
    [{ point_value: 0 }, 'point_value out_of_range'],
    [{ point_value: 0.0000015 }, 'point_value too_many_decimals'],
    [{ min_redeem_points: -5 }, 'min_redeem_points out_of_range'],
    [{ enabled: 'no' }, 'enabled wrong_type'],
    [{ earn_on: 'shipped' }, 'earn_on not_allowed'],
  ])('422 for %j', async (change, error) => {
    const { status, body } = await shop.commerce('PATCH', '/loyalty/settings', change);
    expect(status).toBe(422);
    const [field] = body.error!.details!.fields as unknown as { field: string; code: string }[];
    expect(`${field!.field} ${field!.code}`).toBe(error);
  });
});

test('balances are the sums of the ledger after whatever was posted at once', async () => {
  const own = await server.company();
  const ids = [await customer(own), await customer(own), await customer(own)];
  let order = 0;
  const posting = fc.record({
    customers: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
    type: fc.constantFrom<LedgerType>('earn', 'redeem', 'reverse_earn', 'restore'),
    points: fc.integer({ min: 1, max: 500 }),
  });
  const byHand = fc.record({ customer: fc.nat(2), points: fc.integer({ min: -300, max: 300 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(posting, byHand), { minLength: 1, maxLength: 12 }), async (actions) => {
      await Promise.all(
        actions.map(async (action) => {
          if ('customer' in action) return void (await adjust(ids[action.customer]!, action.points, {}, own));
          const sign = action.type === 'redeem' || action.type === 'reverse_earn' ? -1 : 1;
          const entries = action.customers.map((which) => ({
            customerId: ids[which]!,
            type: action.type,
            points: sign * action.points,
            actor: 'test',
            orderId: ++order,
          }));
          await server.app.db.tx((tx) => postLedger(tx, own.company_id, entries, server.clock.now()));
        }),
      );
      const drifted = await server.rows(
        `select a.* from customer_accounts a full join (
           select customer_id, sum(points) as balance,
             coalesce(sum(points) filter (where type in ('earn', 'reverse_earn')), 0) as lifetime
           from loyalty_ledger where company_id = $1 group by customer_id
         ) l on l.customer_id = a.customer_id
         where (a.company_id = $1 or a.company_id is null)
           and (a.points_balance, a.points_lifetime) is distinct from (l.balance, l.lifetime)`,
        [own.company_id],
      );
      expect(drifted).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
