import fc from 'fast-check';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Db } from '../../db/pool.ts';
import { DatabaseUnavailable } from '../../db/unavailable.ts';
import { COMPARISONS, type Rule } from '../../rules/language.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { rounds } from '../../testing/random/seed.ts';
import { addUpEvents } from '../events/service.ts';
import { checkRules } from '../rules/check.ts';
import { evaluateRules } from '../rules/evaluate.ts';
import { RFM_CLASSES } from '../rules/rfm.ts';
import { classifyBuyers, countGrowth } from './service.ts';

const DAY_MS = 86_400_000;
const server = testServer({ impatient: true });
let shop: TestCompany;
let locker: pg.Client;
const ids: Record<string, number> = {};
/** Ann orders often, Bob ordered once long ago, Cleo never. */
const ORDERS: [string, number, number][] = [
  ['ann', 25, 10],
  ['ann', 15, 20.5],
  ['ann', 5, 30],
  ['bob', 80, 5],
];

beforeAll(async () => {
  locker = new pg.Client(server.connection);
  await locker.connect();
  shop = await server.company();
  const list = await shop.marketing('POST', '/lists', { name: 'News' });
  ids.list = list.body.list_id;
  for (const name of ['ann', 'bob', 'cleo']) {
    const { body } = await shop.marketing('POST', '/contacts', {
      email: `${name}@example.com`,
      ...(name === 'ann' ? { tags: ['vip'], list_ids: [ids.list], properties: { plan: { name: 'gold' } } } : {}),
    });
    ids[name] = body.contact_id;
  }
  for (const [name, daysAgo, total] of ORDERS) {
    const { status } = await shop.marketing('POST', '/events', {
      event_type: 'order_placed',
      occurred_at: new Date(server.clock.now().getTime() - daysAgo * DAY_MS).toISOString(),
      event_data: {
        order_id: `${name}-${daysAgo}`,
        email: `${name}@example.com`,
        total,
        items: [{ name: daysAgo === 15 ? 'tea' : 'mug' }],
      },
    });
    expect(status).toBe(201);
  }
});

afterAll(() => locker.end());

/** Blocks all reads of contacts until `work` is done. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  await locker.query('begin; lock table contacts in access exclusive mode');
  return work().finally(() => locker.query('rollback'));
}

const segmentOf = async (...rules: object[]): Promise<number> => {
  const { status, body } = await shop.marketing('POST', '/segments', { name: 'One', conditions: { rules } });
  expect([status, body.message]).toEqual([201, undefined]);
  return body.segment_id;
};
const explain = async (id: number, name: string) =>
  (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids[name]}`)).body;

describe('GET /segments/{id}/explain', () => {
  test('evaluates each rule and group for the contact, with the value that it compares', async () => {
    const or = [
      { field: 'tags', comparison: 'equals', value: 'vip' },
      { field: 'list_ids', comparison: 'exists' },
    ];
    const id = await segmentOf(
      { field: 'purchases.count', comparison: 'greater_than_or_equal', value: 2 },
      { field: 'purchases.days_since_last', comparison: 'greater_than', value: 60 },
      { operator: 'or', rules: or },
      { field: 'properties.plan.name', comparison: 'equals', value: 'gold' },
      { field: 'purchases.total', comparison: 'greater_than', value: 20, within_days: 20 },
      {
        field: 'events.order_placed.last_at',
        comparison: 'exists',
        where: { rules: [{ field: 'items.name', comparison: 'equals', value: 'tea' }] },
      },
    );
    expect(await explain(id, 'ann')).toEqual({
      segment_id: id,
      contact_id: ids.ann,
      member: false,
      rules: [
        { path: 'rules.0', holds: true, value: 3 },
        { path: 'rules.1', holds: false, value: 5 },
        { path: 'rules.2', holds: true },
        { path: 'rules.2.rules.0', holds: true, value: ['vip'] },
        { path: 'rules.2.rules.1', holds: true, value: [ids.list] },
        { path: 'rules.3', holds: true, value: 'gold' },
        { path: 'rules.4', holds: true, value: 50.5 },
        { path: 'rules.5', holds: true, value: '2026-02-28 12:00:00' },
      ],
    });
    const { member, rules } = await explain(id, 'cleo');
    expect(member).toBe(false);
    expect(rules.map((rule: { holds: boolean }) => rule.holds)).toEqual(Array(8).fill(false));
    expect(rules.map((rule: { value?: unknown }) => rule.value)).toEqual([
      ...[0, null, undefined, [], [], null, 0, null],
    ]);
  });

  test('agrees with the segment for any history, and returns a value with the same result', async () => {
    const field = fc.constantFrom(
      ...['count', 'total', 'first_at', 'last_at', 'days_since_first', 'days_since_last', 'days_between'],
      ...['next_expected_at', 'days_until_next', 'rfm.recency', 'rfm.frequency', 'rfm.monetary', 'rfm.class'],
    );
    const rule = fc
      .record({
        field: field.map((measure) => `purchases.${measure}`),
        comparison: fc.constantFrom(...COMPARISONS),
        value: fc.oneof(
          fc.integer({ min: -90, max: 90 }),
          fc.constantFrom('2026-02-28', '2026-03-10 12:00:00', ...RFM_CLASSES, ['loyal', 'lost'], [1, 4], [-20, 60]),
          fc.constant(['2026-01-01', '2026-03-10']),
        ),
      })
      .filter((one) => checkRules({ rules: [one] }, '', 'contact').length === 0);
    const compare = async (addedUp: boolean): Promise<void> => {
      const sample = fc.sample(rule, { numRuns: rounds(50, 150), seed: addedUp ? 1 : 2 }) as Rule[];
      for (let from = 0; from < sample.length; from += 50) {
        const some = sample.slice(from, from + 50);
        const id = await segmentOf(...some);
        for (const name of ['ann', 'bob', 'cleo']) {
          const { rules } = await explain(id, name);
          some.forEach((one, i) => {
            const data = { v: rules[i].value };
            const scope = { event: data, contact: null };
            const expected = evaluateRules({ rules: [{ ...one, field: 'v' }] }, scope, server.clock.now());
            expect([name, one, rules[i].value, rules[i].holds]).toEqual([name, one, rules[i].value, expected]);
          });
        }
      }
    };
    await compare(false);
    server.clock.advance(2 * DAY_MS);
    await addUpEvents(server.app.db, server.clock.now());
    await classifyBuyers(server.app);
    await compare(true);
    const scored = await segmentOf({ field: 'purchases.rfm.class', comparison: 'exists' });
    expect(RFM_CLASSES).toContain((await explain(scored, 'ann')).rules[0].value);
  });

  test('tells of as many rules and groups as a segment may have', async () => {
    const rule = { field: 'email', comparison: 'exists' };
    const nested = (depth: number): object => (depth === 0 ? rule : { rules: [nested(depth - 1)] });
    const id = await segmentOf(...Array.from({ length: 50 }, () => nested(4)));
    const { member, rules } = await explain(id, 'ann');
    expect([member, rules.length]).toEqual([true, 250]);
    const values = rules.filter((one: object) => 'value' in one);
    expect(values).toEqual(Array(50).fill({ path: expect.any(String), holds: true, value: 'ann@example.com' }));
  });

  test('knows no contact that is not there', async () => {
    const id = await segmentOf();
    expect((await shop.marketing('GET', `/segments/${id}/explain?contact_id=999999`)).status).toBe(404);
    expect((await shop.marketing('GET', `/segments/999999/explain?contact_id=${ids.ann}`)).status).toBe(404);
    expect((await explain(id, 'ann')).member).toBe(true);
  });
});

describe('a preview', () => {
  test('shows some of the contacts where asked, the newest', async () => {
    const conditions = { rules: [{ field: 'purchases.count', comparison: 'greater_than', value: 0 }] };
    const { body } = await shop.marketing('POST', '/segments/preview', { conditions, sample: 1 });
    expect(body).toEqual({
      count: 2,
      sample: [{ contact_id: ids.bob, email: 'bob@example.com', phone: null, first_name: null, last_name: null }],
    });
    const none = { rules: [{ field: 'email', comparison: 'equals', value: 'x' }] };
    expect((await shop.marketing('POST', '/segments/preview', { conditions: none, sample: 20 })).body).toEqual({
      count: 0,
      sample: [],
    });
    expect((await shop.marketing('POST', '/segments/preview', { conditions, sample: 21 })).status).toBe(400);
  });
});

describe('GET /segments/{id}/overlap', () => {
  test('counts both segments and their overlap', async () => {
    const buyers = await segmentOf({ field: 'purchases.count', comparison: 'greater_than', value: 0 });
    const rest = { rules: [{ field: 'tags', comparison: 'equals', value: 'vip' }], operator: 'or' };
    const vips = await segmentOf(rest, { field: 'email', comparison: 'exists' });
    const { body } = await shop.marketing('GET', `/segments/${buyers}/overlap?segment_id=${vips}`);
    expect(body).toEqual({ segment_id: buyers, other_segment_id: vips, count: 2, other_count: 1, both: 1 });
    expect((await shop.marketing('GET', `/segments/${buyers}/overlap?segment_id=999999`)).status).toBe(404);
  });

  test('is refused with 429 and Retry-After where the counts take too long', async () => {
    const id = await segmentOf({ field: 'email', comparison: 'exists' });
    const { status, headers } = await whileLocked(() =>
      shop.marketing('GET', `/segments/${id}/overlap?segment_id=${id}`),
    );
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, 5]);
  });
});

describe('GET /segments/{id}/growth', () => {
  const growthOf = async (id: number, days = '') =>
    (await shop.marketing('GET', `/segments/${id}/growth${days}`)).body.growth;

  test('has one count a day, of the conditions of that day, and forgets them after 400 days', async () => {
    while ((await countGrowth(server.app)) > 0);
    const id = await segmentOf({ field: 'purchases.count', comparison: 'greater_than', value: 0 });
    const today = () => server.clock.now().toISOString().slice(0, 10);
    expect(await growthOf(id)).toEqual([]);
    expect(await countGrowth(server.app)).toBe(1);
    expect(await countGrowth(server.app)).toBe(0);
    const first = { day: today(), count: 2 };
    expect(await growthOf(id)).toEqual([first]);
    await shop.marketing('PATCH', `/segments/${id}`, { conditions: { rules: [] } });
    expect(await countGrowth(server.app)).toBe(0);
    server.clock.advance(DAY_MS);
    while ((await countGrowth(server.app)) > 0);
    expect(await growthOf(id)).toEqual([first, { day: today(), count: 3 }]);
    expect(await growthOf(id, '?days=1')).toEqual([{ day: today(), count: 3 }]);
    server.clock.advance(400 * DAY_MS);
    while ((await countGrowth(server.app)) > 0);
    await countGrowth(server.app);
    expect((await growthOf(id, '?days=400')).map((one: { count: number }) => one.count)).toEqual([3]);
    expect(await server.rows('select 1 from segment_counts where segment_id = $1', [id])).toHaveLength(2);
  });

  test('stands in the list until the segment is changed', async () => {
    const listed = async (id: number) => {
      const { body } = await shop.marketing('GET', '/segments?per_page=100');
      return body.segments.find((one: { segment_id: number }) => one.segment_id === id).counted;
    };
    const id = await segmentOf({ field: 'purchases.count', comparison: 'greater_than', value: 0 });
    while ((await countGrowth(server.app)) > 0);
    // Not shown on the day on which the segment was created: the count may be from before a change.
    expect(await listed(id)).toBeNull();
    server.clock.advance(DAY_MS);
    while ((await countGrowth(server.app)) > 0);
    const day = server.clock.now().toISOString().slice(0, 10);
    const [last] = (await growthOf(id)).slice(-1);
    expect(last.day).toBe(day);
    expect(await listed(id)).toEqual(last);
    await shop.marketing('PATCH', `/segments/${id}`, { conditions: { rules: [] } });
    expect(await listed(id)).toBeNull();
    server.clock.advance(DAY_MS);
    while ((await countGrowth(server.app)) > 0);
    await server.rows('delete from segment_counts where segment_id = $1', [id]);
    await whileLocked(() => countGrowth(server.app));
    expect(await listed(id)).toMatchObject({ count: null });
    await shop.marketing('DELETE', `/segments/${id}`);
  });

  test('a count that takes long ends the turn, so that other chores wait for one only', async () => {
    const ids = [
      await segmentOf({ field: 'email', comparison: 'exists' }),
      await segmentOf({ field: 'phone', comparison: 'exists' }),
    ];
    expect(await whileLocked(() => countGrowth(server.app))).toBe(1);
    expect(await countGrowth(server.app)).toBe(1);
    for (const id of ids) await shop.marketing('DELETE', `/segments/${id}`);
  });

  test('leaves out a day on which the count took too long, and goes with its segment', async () => {
    const id = await segmentOf({ field: 'email', comparison: 'exists' });
    await whileLocked(() => countGrowth(server.app));
    expect(await growthOf(id)).toEqual([]);
    expect(await countGrowth(server.app)).toBe(0);
    await shop.marketing('DELETE', `/segments/${id}`);
    expect(await server.rows('select 1 from segment_counts where segment_id = $1', [id])).toEqual([]);
  });

  test('of a segment that cannot be counted is left out, and stops no other count', async () => {
    while ((await countGrowth(server.app)) > 0);
    const broken = await segmentOf({ field: 'email', comparison: 'exists' });
    const whole = await segmentOf({ field: 'email', comparison: 'exists' });
    await server.rows(
      `update segments set conditions = '{"rules": [{"field": "no_such", "comparison": "exists"}]}' where id = $1`,
      [broken],
    );
    const log = pino({ level: 'silent' });
    const warn = vi.spyOn(log, 'warn');
    while ((await countGrowth({ ...server.app, log })) > 0);
    expect(warn.mock.calls).toMatchObject([[{ err: expect.any(Error), segment_id: broken }, expect.any(String)]]);
    expect(await growthOf(broken)).toEqual([]);
    expect(await growthOf(whole)).toMatchObject([{ count: expect.any(Number) }]);
    expect(await countGrowth({ ...server.app, log })).toBe(0);
  });

  test('waits while the database is unavailable', async () => {
    const id = await segmentOf({ field: 'email', comparison: 'exists' });
    const { db } = server.app;
    const gone = { ...db, tenantTx: () => Promise.reject(new DatabaseUnavailable('gone')), query: db.query.bind(db) };
    await expect(countGrowth({ ...server.app, db: gone as unknown as Db })).rejects.toThrow('gone');
    expect(await server.rows('select 1 from segment_counts where segment_id = $1', [id])).toEqual([]);
    while ((await countGrowth(server.app)) > 0);
  });
});
