import { beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { segmentCondition } from './service.ts';

const server = testServer();
let shop: TestCompany;

/** Ann has 3 recent orders, Bob 3 of which one is old, Cleo a large one, Dan none. */
const ORDERS: [string, string, number][] = [
  ['ann@example.com', '2026-03-01', 10],
  ['ann@example.com', '2026-03-05', 20.1],
  ['ann@example.com', '2026-03-10', 20.2],
  ['bob@example.com', '2026-01-01', 300],
  ['bob@example.com', '2026-03-05', 100],
  ['bob@example.com', '2026-03-06', 100.01],
  ['cleo@example.com', '2025-12-24', 2_000],
];

beforeAll(async () => {
  shop = await server.company();
  for (const [i, [email, day, total]] of ORDERS.entries()) {
    await shop.marketing('POST', '/events', {
      event_type: 'order_placed',
      occurred_at: `${day} 12:00:00`,
      event_data: { order_id: String(i), email, total },
    });
  }
  const list = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', '/contacts', { email: 'ann@example.com', tags: ['vip'], properties: { plan: 'gold' } });
  await shop.marketing('POST', '/contacts', {
    email: 'dan@example.com',
    properties: { plan: 'free', age: '44' },
    list_ids: [list.body.list_id],
  });
});

const rule = (field: string, comparison: string, value?: unknown, within_days?: number) => ({
  field,
  comparison,
  value,
  within_days,
});
const countOf = async (...rules: object[]): Promise<number> => {
  const response = await shop.marketing('POST', '/segments/preview', { conditions: { operator: 'and', rules } });
  expect(response.status).toBe(200);
  return response.body.count;
};

describe('POST /segments/preview', () => {
  it('counts each contact of lists once, while the contact and the list exist', async () => {
    const other = await server.company();
    const made = async (path: string, body: object) => (await other.marketing('POST', path, body)).body;
    const [first, second] = [await made('/lists', { name: 'A' }), await made('/lists', { name: 'B' })];
    const both = [first.list_id, second.list_id];
    await made('/contacts', { email: 'both@example.com', list_ids: both });
    const erased = await made('/contacts', { email: 'erased@example.com', list_ids: both });
    await made('/contacts', { email: 'kept@example.com', list_ids: [first.list_id] });
    await made('/contacts', { phone: '+15550100001', list_ids: [second.list_id] });
    await made('/contacts', { email: 'none@example.com' });
    const counts = async () => {
      const numbers: number[] = [];
      for (const [comparison, value] of [
        ['equals', both[0]],
        ['equals', both[1]],
        ['in', both],
        ['exists', undefined],
        ['not_equals', both[0]],
        ['not_in', both],
        ['not_exists', undefined],
      ] as const) {
        for (const rules of [
          [rule('list_ids', comparison, value)],
          [rule('list_ids', comparison, value), rule('purchases.count', 'equals', 0)],
        ]) {
          const { body } = await other.marketing('POST', '/segments/preview', { conditions: { rules } });
          numbers.push(body.count);
        }
      }
      return numbers;
    };
    expect(await counts()).toEqual([3, 3, 3, 3, 4, 4, 4, 4, 2, 2, 1, 1, 1, 1]);
    expect((await other.marketing('DELETE', `/contacts/${erased.contact_id}`)).status).toBe(200);
    expect(await counts()).toEqual([2, 2, 2, 2, 3, 3, 3, 3, 2, 2, 1, 1, 1, 1]);
    // The merged contact is on both lists.
    await made('/contacts', { email: 'kept@example.com', phone: '+15550100001' });
    expect(await counts()).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    expect((await other.marketing('DELETE', `/lists/${both[1]}`)).status).toBe(200);
    expect(
      (await other.marketing('POST', '/segments/preview', { conditions: { rules: [rule('list_ids', 'exists')] } }))
        .body,
    ).toEqual({ count: 2 });
    const { body } = await other.marketing('POST', '/segments/preview', {
      conditions: { rules: [rule('list_ids', 'equals', both[1])] },
    });
    expect(body).toEqual({ count: 0 });
  });

  it('counts by fields, orders and amounts of contacts', async () => {
    expect(await countOf()).toBe(4);
    expect(await countOf(rule('properties.plan', 'equals', 'gold'))).toBe(1);
    expect(await countOf(rule('contact.properties.age', 'greater_than', 40))).toBe(1);
    expect(await countOf(rule('tags', 'not_equals', 'vip'))).toBe(3);
    expect(await countOf(rule('list_ids', 'exists'))).toBe(1);
    expect(await countOf(rule('events.order_placed.count', 'greater_than_or_equal', 3))).toBe(2);
    expect(await countOf(rule('events.order_placed.count', 'greater_than_or_equal', 3, 30))).toBe(1);
    expect(await countOf(rule('purchases.count', 'equals', 0))).toBe(1);
    expect(await countOf(rule('purchases.count', 'less_than', 1, 30))).toBe(2);
    expect(await countOf(rule('purchases.total', 'greater_than', 500))).toBe(2);
    expect(
      await countOf(rule('purchases.total', 'greater_than', 500), rule('purchases.count', 'between', [2, 5])),
    ).toBe(1);
    // Sums are exact decimals: 10 + 20.1 + 20.2.
    expect(await countOf(rule('purchases.total', 'equals', 50.3))).toBe(1);
    const either = {
      operator: 'or',
      rules: [rule('tags', 'equals', 'vip'), rule('purchases.total', 'greater_than', 1_000)],
    };
    expect(await countOf(either)).toBe(2);
    expect(await countOf(either, rule('email', 'starts_with', 'cleo'))).toBe(1);
  });

  it('excludes contacts and events of other companies', async () => {
    const other = await server.company();
    await other.marketing('POST', '/contacts', { email: 'x@example.com', tags: ['vip'] });
    const response = await other.marketing('POST', '/segments/preview', {
      conditions: {
        operator: 'or',
        rules: [rule('tags', 'equals', 'vip'), rule('purchases.count', 'greater_than', 0)],
      },
    });
    expect(response.body).toEqual({ count: 1 });
  });

  it.each<[object, string]>([
    [rule('shoe_size', 'equals', 5), 'conditions.rules.0.field is not a contact field: shoe_size'],
    [
      rule('events.order_teleported.count', 'equals', 5),
      'conditions.rules.0.field: unknown event type order_teleported',
    ],
    [
      { rules: [rule('email', 'like', 'x')] },
      expect.stringMatching(/^conditions\.rules\.0\.rules\.0\.comparison must be/),
    ],
    [rule('purchases.total', 'equals', 'much'), 'conditions.rules.0.value must be a number'],
  ])('refuses %j with its path', async (wrong, message) => {
    const response = await shop.marketing('POST', '/segments/preview', { conditions: { rules: [wrong] } });
    expect(response.status).toBe(400);
    expect(response.body.message).toEqual(message);
  });
});

describe('segments', () => {
  const conditions = { operator: 'and', rules: [rule('tags', 'equals', 'vip')] };

  it('are created, read with their count, changed, listed and deleted', async () => {
    const made = await shop.marketing('POST', '/segments', { name: ' VIPs ', conditions });
    expect(made.status).toBe(201);
    const stored = JSON.parse(JSON.stringify(conditions));
    const record = {
      segment_id: expect.any(Number),
      name: 'VIPs',
      conditions: stored,
      created_at: '2026-03-15 12:00:00',
      updated_at: '2026-03-15 12:00:00',
    };
    expect(made.body).toEqual(record);
    const id = made.body.segment_id;
    expect((await shop.marketing('GET', `/segments/${id}`)).body).toEqual({ ...record, count: 1 });
    const renamed = await shop.marketing('PATCH', `/segments/${id}`, { name: 'Best' });
    expect(renamed.body).toEqual({ ...record, name: 'Best' });
    const changed = await shop.marketing('PATCH', `/segments/${id}`, { conditions: { rules: [] } });
    expect(changed.body.conditions).toEqual({ rules: [] });
    expect((await shop.marketing('GET', `/segments/${id}`)).body.count).toBe(4);
    await shop.marketing('POST', '/segments', { name: 'Second', conditions });
    const listed = await shop.marketing('GET', '/segments?per_page=1');
    expect(listed.body.segments).toMatchObject([{ name: 'Second' }]);
    expect(listed.body.pagination).toEqual({ page: 1, per_page: 1, total: 2, total_pages: 2 });
    expect((await shop.marketing('DELETE', `/segments/${id}`)).body).toEqual({ segment_id: id, deleted: true });
    expect((await shop.marketing('GET', `/segments/${id}`)).status).toBe(404);
    expect((await shop.marketing('PATCH', `/segments/${id}`, { name: 'x' })).status).toBe(404);
    expect((await shop.marketing('DELETE', `/segments/${id}`)).status).toBe(404);
  });

  it('need a name and conditions', async () => {
    expect((await shop.marketing('POST', '/segments', { conditions })).body.message).toBe('name is required');
    expect((await shop.marketing('POST', '/segments', { name: 'x' })).body.message).toBe('conditions is required');
  });

  it('of another company do not exist', async () => {
    const made = await shop.marketing('POST', '/segments', { name: 'Mine', conditions });
    const other = await server.company();
    for (const method of ['GET', 'DELETE']) {
      expect((await other.marketing(method, `/segments/${made.body.segment_id}`)).status).toBe(404);
    }
  });

  it('are a condition for other statements; an unknown one selects no contact', async () => {
    const { body } = await shop.marketing('POST', '/segments', {
      name: 'Buyers',
      conditions: { rules: [rule('purchases.count', 'greater_than', 0)] },
    });
    const picked = async (id: number) => {
      const condition = await segmentCondition(server.app.db, shop.company_id, id, server.clock.now());
      return server.app.db.query(
        sql`select c.email from contacts c where c.company_id = ${shop.company_id} and ${condition} order by 1`,
      );
    };
    expect(await picked(body.segment_id)).toEqual([
      { email: 'ann@example.com' },
      { email: 'bob@example.com' },
      { email: 'cleo@example.com' },
    ]);
    expect(await picked(999_999)).toEqual([]);
  });
});
