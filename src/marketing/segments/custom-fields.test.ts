import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Comparison } from '../../rules/language.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { rounds } from '../../testing/random/seed.ts';
import { step } from '../flows/definition/testing-graphs.ts';
import { activeFlow, runsOf, track, work } from '../flows/testing/flows.ts';

/** Segments by the custom fields of the customers that contacts are. */
const server = testServer();
let shop: TestCompany;
/** Ids of contacts by name. */
const ids: Record<string, number> = {};

const VALUES: Record<string, Record<string, unknown>> = {
  ann: { tier: 'gold', birthday: '1990-03-20', visits: 5, hobbies: ['tea', 'chess'], trade: true },
  bob: { tier: 'silver', visits: 12, hobbies: ['tea'], trade: false },
  cleo: {},
};

async function deliver(): Promise<void> {
  while ((await server.app.workers.find(({ name }) => name === 'outbox')!.runOnce()) > 0);
}

/** Ann, Bob and Cleo are customers; Dora has the values as properties alone, and an external id that is no customer's. */
beforeAll(async () => {
  shop = await server.company();
  const types = { tier: 'text', birthday: 'date', visits: 'integer', hobbies: 'text', trade: 'boolean' };
  for (const [key, type] of Object.entries(types)) {
    const field = { on: 'customer', key, name: key, type, list: key === 'hobbies' };
    expect((await shop.commerce('POST', '/custom-fields', field)).status).toBe(201);
  }
  for (const [name, custom] of Object.entries(VALUES)) {
    const made = await shop.commerce('POST', '/customers', { email: `${name}@example.com`, custom });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  await deliver();
  for (const name of ['ann', 'bob', 'cleo']) {
    const properties = VALUES[name];
    await shop.marketing('POST', '/contacts', { email: `${name}@example.com`, properties });
  }
  await shop.marketing('POST', '/contacts', { email: 'dora@example.com', external_id: '01', properties: VALUES.ann });
  const { contacts } = (await shop.marketing('GET', '/contacts')).body;
  for (const { contact_id, email } of contacts) ids[email.split('@')[0]] = contact_id;
});

async function segmentOf(conditions: object, company = shop): Promise<number> {
  const { status, body } = await company.marketing('POST', '/segments', { name: 'Custom', conditions });
  expect([status, body]).toMatchObject([201, {}]);
  return body.segment_id;
}

/** The members by name; the count of the segment and its single evaluation agree with the list. */
async function membersOf(...rules: object[]): Promise<string[]> {
  const conditions = { rules };
  const id = await segmentOf(conditions);
  const listed = (await shop.marketing('GET', `/contacts?segment_id=${id}`)).body.contacts;
  const names: string[] = listed.map(({ email }: { email: string }) => email.split('@')[0]).toSorted();
  expect((await shop.marketing('POST', '/segments/preview', { conditions })).body.count).toBe(names.length);
  for (const [name, contact] of Object.entries(ids)) {
    const { member } = (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${contact}`)).body;
    expect(`${name} ${member}`).toBe(`${name} ${names.includes(name)}`);
  }
  await shop.marketing('DELETE', `/segments/${id}`);
  return names;
}

const rule = (key: string, comparison: Comparison, value?: unknown) => ({
  field: `custom.${key}`,
  comparison,
  ...(value !== undefined && { value }),
});

test('a custom field selects the contacts whose customer has the value; others have none', async () => {
  expect(await membersOf(rule('tier', 'equals', 'gold'))).toEqual(['ann']);
  expect(await membersOf(rule('tier', 'not_equals', 'gold'))).toEqual(['bob', 'cleo', 'dora']);
  expect(await membersOf(rule('hobbies', 'equals', 'tea'))).toEqual(['ann', 'bob']);
  expect(await membersOf(rule('birthday', 'before', '2000-01-01'))).toEqual(['ann']);
  expect(await membersOf(rule('visits', 'between', [10, 20]))).toEqual(['bob']);
  expect(await membersOf(rule('trade', 'equals', 'true'))).toEqual(['ann']);
  expect(await membersOf(rule('tier', 'exists'), rule('birthday', 'not_exists'))).toEqual(['bob']);
});

test('any rule selects by a custom field as it does by a property with the same values', async () => {
  const among = { rules: [{ field: 'email', comparison: 'not_equals', value: 'dora@example.com' }] };
  const values = fc.constantFrom<unknown>('gold', 'silver', 'tea', 5, '5', 12, true, 'false', '1990-03-20', 'o');
  const rules = fc.tuple(
    fc.constantFrom('tier', 'birthday', 'visits', 'hobbies', 'trade'),
    fc.oneof(
      fc.tuple(
        fc.constantFrom<Comparison>(
          ...(['equals', 'not_equals', 'greater_than', 'less_than', 'contains', 'not_contains'] as const),
          ...(['starts_with', 'ends_with'] as const),
        ),
        values,
      ),
      fc.tuple(fc.constantFrom<Comparison>('in', 'not_in'), fc.array(values, { minLength: 1, maxLength: 3 })),
      fc.tuple(fc.constantFrom<Comparison>('exists', 'not_exists'), fc.constant(undefined)),
    ),
  );
  await fc.assert(
    fc.asyncProperty(rules, async ([key, [comparison, value]]) => {
      const [custom, property] = await Promise.all(
        ['custom', 'properties'].map(async (source) => {
          const conditions = { rules: [among, { ...rule(key, comparison, value), field: `${source}.${key}` }] };
          const { status, body } = await shop.marketing('POST', '/segments/preview', { conditions });
          return [status, body.count ?? body.message?.replace(`${source}.`, '')];
        }),
      );
      expect(custom).toEqual(property);
    }),
    { numRuns: rounds(25, 2_000) },
  );
});

test('the explanation has the value, and a branch of a flow selects as a segment does', async () => {
  const rules = [rule('tier', 'equals', 'gold'), rule('hobbies', 'exists')];
  const id = await segmentOf({ rules });
  const why = async (name: string) =>
    (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids[name]}`)).body.rules;
  expect(await why('ann')).toEqual([
    { path: 'rules.0', holds: true, value: 'gold' },
    { path: 'rules.1', holds: true, value: ['tea', 'chess'] },
  ]);
  expect((await why('dora')).map(({ value }: { value: unknown }) => value)).toEqual([null, null]);

  const conditions = { rules: [{ ...rule('tier', 'equals', 'gold'), field: 'contact.custom.tier' }] };
  const flow = await activeFlow(
    shop,
    [step('choose', 'branch', { paths: [{ key: 'gold', conditions }] }), step('tag', 'add_tag', { tag: 'gold' })],
    {
      trigger_type: 'product_viewed',
      connections: [
        { from: 'trigger', to: 'choose' },
        { from: 'choose', to: 'tag', branch: 'gold' },
      ],
    },
  );
  for (const name of Object.keys(ids)) await track(shop, `${name}@example.com`, 'product_viewed');
  await work(server);
  expect(await runsOf(shop, flow.flow_id)).toHaveLength(4);
  const tagged = (await shop.marketing('GET', '/contacts?tag=gold')).body.contacts;
  expect(tagged.map(({ contact_id }: { contact_id: number }) => contact_id)).toEqual([ids.ann]);
});

test('a change of the customer counts at once, and customers of other companies never do', async () => {
  const gold = rule('tier', 'equals', 'gold');
  const [bob] = (await shop.commerce('GET', '/customers?email=bob@example.com')).body.data;
  await shop.commerce('PATCH', `/customers/${bob.id}`, { custom: { tier: 'gold' } });
  expect(await membersOf(gold)).toEqual(['ann', 'bob']);
  await shop.commerce('PATCH', `/customers/${bob.id}`, { custom: { tier: 'silver' } });
  expect(await membersOf(gold)).toEqual(['ann']);
  const other = await server.company();
  await other.marketing('POST', '/contacts', { email: 'eve@example.com', external_id: '1' });
  await server.rows(
    `insert into customers (company_id, id, email, search, custom, created_at, updated_at) overriding system value
     values ($1, 1, 'x@example.com', '', '{"tier": "silver"}', now(), now())`,
    [other.company_id],
  );
  const countOf = async (company: TestCompany, value: string) => {
    const conditions = { rules: [rule('tier', 'equals', value)] };
    return (await company.marketing('POST', '/segments/preview', { conditions })).body.count;
  };
  expect([await countOf(other, 'gold'), await countOf(other, 'silver')]).toEqual([0, 1]);
});

test('a key is written as keys of custom fields are, and takes no period', async () => {
  const wrong = async (rule: object) => {
    const { status, body } = await shop.marketing('POST', '/segments/preview', { conditions: { rules: [rule] } });
    return [status, body.details?.[0]?.field];
  };
  expect(await wrong(rule('Tier', 'equals', 'gold'))).toEqual([400, 'conditions.rules.0.field']);
  expect(await wrong(rule('a.b', 'equals', 'gold'))).toEqual([400, 'conditions.rules.0.field']);
  expect(await wrong({ ...rule('tier', 'equals', 'gold'), within_days: 3 })).toEqual([
    400,
    'conditions.rules.0.within_days',
  ]);
});
