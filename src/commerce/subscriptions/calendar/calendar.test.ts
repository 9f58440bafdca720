import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
let shop: TestCompany;
let customer_id: number;
let product_id: number;

async function made(path: string, body: object) {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
}

const subscribe = (fields: object) => made('/subscriptions', { customer_id, product_id, ...ADDRESS, ...fields });
const calendar = async (query = '') => (await shop.commerce('GET', `/subscriptions/calendar${query}`)).body.data;

beforeAll(async () => {
  server.clock.set(new Date('2026-01-20T12:00:00Z'));
  shop = await server.company({ timeZone: 'Europe/Berlin' });
  customer_id = (await made('/customers', { email: 'ann@example.com' })).id;
  product_id = (await made('/products', { name: 'Tea', price: 12.5, stock_qty: 99, subscription_enabled: true })).id;
});

describe('GET /subscriptions/calendar', () => {
  test('has the next date of each subscription and those after it, added up by day', async () => {
    // Weekly, and monthly from the 31st, which February and April do not have.
    await subscribe({ frequency_id: 1, start_date: '2026-01-24', quantity: 2 });
    await subscribe({ frequency_id: 3, start_date: '2026-01-31' });
    expect(await calendar()).toMatchObject({ from: '2026-01-20', to: '2026-03-02', currency: 'USD', complete: true });
    const { days } = await calendar('?from=2026-01-31&to=2026-03-31');
    expect(days.find(({ date }: { date: string }) => date === '2026-01-31')).toEqual({
      date: '2026-01-31',
      renewals: 2,
      quantity: 3,
      subtotal: 37.5,
    });
    expect(days.map(({ date }: { date: string }) => date)).toEqual([
      ...[
        '2026-01-31',
        '2026-02-07',
        '2026-02-14',
        '2026-02-21',
        '2026-02-28',
        '2026-03-07',
        '2026-03-14',
        '2026-03-21',
      ],
      ...['2026-03-28', '2026-03-31'],
    ]);
    expect(days.find(({ date }: { date: string }) => date === '2026-02-28').renewals).toBe(2);
  });

  test('agrees with the dates that each subscription itself foresees, whatever its frequency', async () => {
    const other = await server.company();
    const mine = shop;
    shop = other;
    const ids = { customer_id, product_id };
    customer_id = (await made('/customers', { email: 'bob@example.com' })).id;
    product_id = (await made('/products', { name: 'Tea', price: 1, stock_qty: 99, subscription_enabled: true })).id;
    const foreseen: string[] = [];
    for (let frequency_id = 1; frequency_id <= 7; frequency_id++) {
      for (const start_date of ['2026-01-28', '2026-01-31', '2026-02-28']) {
        const { id } = await subscribe({ frequency_id, start_date });
        const { data } = (await shop.commerce('GET', `/subscriptions/${id}/upcoming`)).body;
        foreseen.push(data.scheduled_date, ...data.following_dates);
      }
    }
    const last = '2026-02-18';
    const expected = foreseen.filter((date) => date <= last).sort();
    const { days } = await calendar(`?from=2026-01-20&to=${last}`);
    const found = days.flatMap(({ date, renewals }: { date: string; renewals: number }) => Array(renewals).fill(date));
    expect(found).toEqual(expected);
    shop = mine;
    ({ customer_id, product_id } = ids);
  });

  test('has the subscriptions of each day in the list of those that renew on it', async () => {
    const { days } = await calendar();
    for (const { date, renewals } of days) {
      const { body } = await shop.commerce('GET', `/subscriptions?renews_on=${date}&per_page=100`);
      expect([date, body.data.length, body.meta.pagination.total]).toEqual([date, renewals, renewals]);
    }
    expect((await shop.commerce('GET', '/subscriptions?renews_on=2026-01-21')).body.data).toEqual([]);
    const paused = await shop.commerce('GET', `/subscriptions?renews_on=${days[0].date}&status=paused`);
    expect(paused.body.data).toEqual([]);
    expect((await shop.commerce('GET', '/subscriptions?renews_on=2030-01-01')).status).toBe(400);
  });

  test('omits paused, cancelled and skipped renewals', async () => {
    const before = await calendar();
    const paused = await subscribe({ frequency_id: 1, start_date: '2026-01-25' });
    await made(`/subscriptions/${paused.id}/pause`, {});
    const cancelled = await subscribe({ frequency_id: 1, start_date: '2026-01-25' });
    await made(`/subscriptions/${cancelled.id}/cancel`, {});
    expect(await calendar()).toEqual(before);
    const skipped = await subscribe({ frequency_id: 3, start_date: '2026-01-25' });
    await made(`/subscriptions/${skipped.id}/skip`, {});
    const { days } = await calendar();
    expect(days.find(({ date }: { date: string }) => date === '2026-01-25')).toBeUndefined();
    expect(days.find(({ date }: { date: string }) => date === '2026-02-25')).toMatchObject({ renewals: 1 });
  });

  test.each(['?from=2026-02-01&to=2026-01-31', '?from=2026-01-01&to=2026-03-05', '?from=9000-01-01', '?from=tomorrow'])(
    'refuses %s',
    async (query) => {
      const { status } = await shop.commerce('GET', `/subscriptions/calendar${query}`);
      expect(status).toBe(400);
    },
  );
});
