import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { addUpEvents } from '../events/service.ts';
import { RFM_CLASSES } from '../rules/rfm.ts';
import { classifyBuyers } from './service.ts';

const DAY_MS = 86_400_000;
const server = testServer();
let shop: TestCompany;
/** Ann orders every ten days, the last time five days ago; Bob ordered tea once, long ago; Cleo never did. */
const ORDERS: [string, number, string, number][] = [
  ['ann', 25, 'coffee', 10],
  ['ann', 15, 'tea', 20],
  ['ann', 5, 'coffee', 30],
  ['bob', 80, 'tea', 5],
];
const ids = new Map<string, number>();

async function order(name: string, daysAgo: number, category: string, total: number): Promise<void> {
  const { status } = await shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    occurred_at: new Date(server.clock.now().getTime() - daysAgo * DAY_MS).toISOString(),
    event_data: {
      order_id: `${name}-${daysAgo}`,
      email: `${name}@example.com`,
      total,
      items: [{ category, price: total }],
    },
  });
  expect(status).toBe(201);
}

beforeAll(async () => {
  shop = await server.company();
  const now = server.clock.now().getTime();
  for (const name of ['ann', 'bob', 'cleo']) {
    const { body } = await shop.marketing('POST', '/contacts', { email: `${name}@example.com` });
    ids.set(name, body.contact_id);
  }
  for (const one of ORDERS) await order(...one);
  // Ann opened a message 40 days ago and again 10 days ago; Bob's bounced; Cleo received hers.
  for (const [name, daysAgo] of [
    ['ann', 41],
    ['bob', 20],
    ['cleo', 20],
  ] as const) {
    const at = new Date(now - daysAgo * DAY_MS);
    const [message] = await server.rows<{ id: string }>(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, status, due_at, origin,
         created_at, handed_over_at) values ($1, $2, 'email', false, 2, $3, 'sent', $4, 'system', $4, $4) returning id`,
      [shop.company_id, `m:${name}`, ids.get(name), at],
    );
    const type = { ann: 'opened', bob: 'bounced', cleo: null }[name];
    if (type === null) continue;
    await server.rows(
      `insert into message_activity (company_id, message_id, type, contact_id, created_at, last_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        ...[shop.company_id, message!.id, type, ids.get(name)],
        ...[new Date(at.getTime() + DAY_MS), name === 'ann' ? new Date(now - 10 * DAY_MS) : null],
      ],
    );
  }
});

type RuleBody = Record<string, unknown> & { field: string };

async function namesOf(conditions: object): Promise<string[]> {
  const { status, body } = await shop.marketing('POST', '/segments', { name: 'x', conditions });
  expect({ status, body }).toMatchObject({ status: 201 });
  const page = await shop.marketing('GET', `/contacts?segment_id=${body.segment_id}`);
  const preview = await shop.marketing('POST', '/segments/preview', { conditions });
  expect(preview.body.count).toBe(page.body.pagination.total);
  return page.body.contacts.map(({ email }: { email: string }) => email.split('@')[0]).sort();
}

const rule = (field: string, comparison: string, value?: unknown, more: object = {}): RuleBody => ({
  field,
  comparison,
  value,
  ...more,
});
const some = (field: string, more: object = {}) => rule(field, 'greater_than', 0, more);
const where = (category: string) => ({
  where: { rules: [{ field: 'items.category', comparison: 'equals', value: category }] },
});

const CASES: [RuleBody, string[]][] = [
  [some('messages.received.count'), ['ann', 'cleo']],
  [some('messages.received.count', { within_days: 30 }), ['cleo']],
  [some('messages.opened.count', { within_days: 30 }), ['ann']],
  [some('messages.opened.count', { within_days: 9 }), []],
  [rule('messages.opened.count', 'equals', 0, { within_days: 9 }), ['ann', 'bob', 'cleo']],
  [rule('messages.opened.days_since_first', 'equals', 40), ['ann']],
  [rule('messages.opened.last_at', 'within_last_days', 11), ['ann']],
  [rule('messages.clicked.last_at', 'not_exists'), ['ann', 'bob', 'cleo']],
  [some('events.order_placed.count', where('tea')), ['ann', 'bob']],
  [some('events.order_placed.count', { within_days: 30, ...where('tea') }), ['ann']],
  [rule('events.order_placed.count', 'equals', 0, { within_days: 30, ...where('tea') }), ['bob', 'cleo']],
  [rule('purchases.total', 'greater_than_or_equal', 40, where('coffee')), ['ann']],
  [rule('purchases.days_since_last', 'greater_than', 60), ['bob']],
  [rule('purchases.days_since_last', 'not_equals', 5), ['bob', 'cleo']],
  [rule('purchases.first_at', 'within_last_days', 30), ['ann']],
  [rule('purchases.last_at', 'before', '2000-01-01'), []],
  [rule('purchases.days_between', 'equals', 10), ['ann']],
  [rule('purchases.days_until_next', 'between', [0, 7]), ['ann']],
  [rule('purchases.next_expected_at', 'exists'), ['ann']],
];

describe('segments by the histories of contacts', () => {
  test.each(CASES)('%j', async (rule, names) => {
    expect(await namesOf({ rules: [rule] })).toEqual(names);
    const { not, without } = { not: 'contact.email', without: { rules: [rule] } };
    const both = { rules: [without, { field: not, comparison: 'starts_with', value: 'ann' }] };
    expect(await namesOf(both)).toEqual(names.filter((name) => name === 'ann'));
  });

  test('are separate for each company', async () => {
    const other = await server.company();
    await other.marketing('POST', '/contacts', { email: 'zoe@example.com' });
    for (const [one] of CASES) {
      const negative = one.comparison === 'not_exists' || one.comparison === 'not_equals' || one.value === 0;
      if (negative) continue;
      const { body } = await other.marketing('POST', '/segments/preview', { conditions: { rules: [one] } });
      expect({ one, count: body.count }).toEqual({ one, count: 0 });
    }
  });

  test('classify buyers within their company, once past days are added up', async () => {
    const classOf = async (name: string): Promise<string[]> => {
      const found: string[] = [];
      for (const value of RFM_CLASSES) {
        const names = await namesOf({ rules: [rule('purchases.rfm.class', 'equals', value)] });
        if (names.includes(name)) found.push(value);
      }
      return found;
    };
    expect(await classOf('ann')).toEqual([]);
    for (let i = 0; i < 8; i++) await order(`buyer${i}`, 30 + i, 'cups', 6 + i);
    server.clock.advance(2 * DAY_MS);
    while (await addUpEvents(server.app.db, server.clock.now()));
    while ((await classifyBuyers({ db: server.app.db, clock: server.clock })) > 0);
    expect(await classOf('ann')).toEqual(['champions']);
    expect(await classOf('bob')).toEqual(['lost']);
    expect(await classOf('cleo')).toEqual([]);
    expect(await namesOf({ rules: [rule('purchases.rfm.recency', 'equals', 1)] })).toEqual(['bob', 'buyer7']);
  });
});

describe('invalid conditions', () => {
  test.each([
    [rule('messages.seen.count', 'equals', 1), 'conditions.rules.0.field is not a contact field: messages.seen.count'],
    [rule('events.nothing.last_at', 'exists'), 'conditions.rules.0.field: unknown event type nothing'],
    [
      rule('purchases.last_at', 'within_last_days', 3, { within_days: 3 }),
      'conditions.rules.0.within_days is allowed only with counts and amounts of events, purchases and messages',
    ],
    [
      rule('messages.opened.count', 'equals', 1, where('tea')),
      'conditions.rules.0.where is allowed only with counts, amounts and dates of events',
    ],
    [
      rule('purchases.count', 'equals', 1, { where: { rules: [rule('contact.email', 'exists')] } }),
      'conditions.rules.0.where.rules.0.field must be a path in the data of the event',
    ],
    [rule('purchases.rfm.class', 'equals', 'vip'), `conditions.rules.0.value must be one of ${RFM_CLASSES.join(', ')}`],
    [
      rule('purchases.last_at', 'equals', '2026-01-01'),
      'conditions.rules.0.value cannot be compared with a date by equals',
    ],
  ])('%j', async (rule, message) => {
    const { status, body } = await shop.marketing('POST', '/segments/preview', { conditions: { rules: [rule] } });
    expect({ status, messages: body.details.map((one: { message: string }) => one.message) }).toEqual({
      status: 400,
      messages: [message],
    });
  });
});
