import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { rawSql, sql } from '../db/sql.ts';
import { type TestCompany, type TestResponse, testServer } from './harness.ts';
import { type TestPerson, testPerson } from './people.ts';

const server = testServer();
let shop: TestCompany;
let person: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  person = await testPerson(server, { [shop.company_id]: 'owner' });
});

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<TestResponse>;

/** A record of each kind that is saved with If-Match: how to create it, and a change to it. */
const KINDS = {
  products: {
    body: { name: 'Mug', price: 1 },
    change: (n: number) => ({ description: `By ${n}` }),
    api: (): Send => shop.commerce,
    idOf: (made: TestResponse) => made.body.data.id,
    recordOf: (response: TestResponse) => response.body.data,
    refused: 422,
  },
  customers: {
    body: { email: 'revised@example.net' },
    change: (n: number) => ({ first_name: `By ${n}` }),
    api: (): Send => shop.commerce,
    idOf: (made: TestResponse) => made.body.data.id,
    recordOf: (response: TestResponse) => response.body.data,
    refused: 422,
  },
  templates: {
    body: { name: 'Hello', subject: 'Hello', content: '<p>Hello</p>' },
    change: (n: number) => ({ subject: `By ${n}` }),
    api: (): Send => shop.marketing,
    idOf: (made: TestResponse) => made.body.template_id,
    recordOf: (response: TestResponse) => response.body,
    refused: 400,
  },
  campaigns: {
    body: { name: 'Sale', type: 'email' },
    change: (n: number) => ({ subject: `By ${n}` }),
    api: (): Send => shop.marketing,
    idOf: (made: TestResponse) => made.body.campaign_id,
    recordOf: (response: TestResponse) => response.body,
    refused: 400,
  },
  flows: {
    body: { name: 'Welcome', trigger_type: 'customer_created' },
    change: (n: number) => ({ name: `By ${n}` }),
    api: (): Send => shop.marketing,
    idOf: (made: TestResponse) => made.body.flow_id,
    recordOf: (response: TestResponse) => response.body,
    refused: 400,
  },
} as const;
const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];
const asPerson: Send = (method, path, body, headers) => person.ask(method, `/${shop.company_id}${path}`, body, headers);

async function made(name: keyof typeof KINDS): Promise<{ path: string; revision: number }> {
  const kind = KINDS[name];
  const body = 'email' in kind.body ? { email: `${randomUUID()}@example.net` } : kind.body;
  const response = await kind.api()('POST', `/${name}`, body);
  expect(response.status).toBe(201);
  return { path: `/${name}/${kind.idOf(response)}`, revision: kind.recordOf(response).revision };
}

const over = (revision: number) => ({ 'If-Match': `"${revision}"` });

describe.each(NAMES)('%s saved with If-Match', (name) => {
  const kind = KINDS[name];

  test.each([
    ['API', () => kind.api()],
    ['admin app', () => asPerson],
  ])('of ten saves at once over one revision exactly one wins: %s', async (_surface, sender) => {
    const { path, revision } = await made(name);
    const saves = Array.from({ length: 10 }, (_, n) => sender()('PATCH', path, kind.change(n), over(revision)));
    const responses = await Promise.all(saves);
    const winners = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status === kind.refused)).toHaveLength(9);
    expect(winners.map((won) => kind.recordOf(won).revision)).toEqual([revision + 1]);
    const stored = kind.recordOf(await kind.api()('GET', path));
    const winner = responses.indexOf(winners[0]!);
    expect(stored).toMatchObject({ ...kind.change(winner), revision: revision + 1 });
  });

  test('two saves that wait for the row both compare with the values stored once they have it', async () => {
    const { path, revision } = await made(name);
    const id = Number(path.split('/').at(-1));
    const waiting: Promise<TestResponse>[] = [];
    await server.app.db.tx(async (tx) => {
      const row = sql`company_id = ${shop.company_id} and id = ${id}`;
      await tx.query(sql`select 1 from ${rawSql(name)} where ${row} for update`);
      for (const n of [1, 2]) waiting.push(kind.api()('PATCH', path, kind.change(n), over(revision)));
      const blocked = () =>
        server.rows(
          'select 1 from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0',
        );
      await expect.poll(async () => (await blocked()).length).toBe(2);
    });
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, kind.refused]);
  });

  test('a refusal names the reason and the present revision, and changes nothing', async () => {
    const { path, revision } = await made(name);
    await kind.api()('PATCH', path, kind.change(1));
    const refused = await kind.api()('PATCH', path, kind.change(2), over(revision));
    expect(refused.status).toBe(kind.refused);
    const message = `The record has changed: its revision is now ${revision + 1}`;
    if (kind.refused === 422) {
      expect(refused.body.error.details).toMatchObject({ reason: 'revision_mismatch', revision: revision + 1 });
      expect(refused.body.error.details.fields).toMatchObject([{ field: 'If-Match' }]);
    } else expect(refused.body).toMatchObject({ message, details: [{ field: 'If-Match', message }] });
    expect(kind.recordOf(await kind.api()('GET', path))).toMatchObject({ ...kind.change(1), revision: revision + 1 });
  });

  test('any revision is saved over without the header and with *, and one of several that match', async () => {
    const { path, revision } = await made(name);
    const statuses: number[] = [];
    const headers: Record<string, string>[] = [
      {},
      { 'If-Match': '*' },
      { 'If-Match': `"1", "${revision + 2}"` },
      { 'If-Match': `${revision + 3}` },
    ];
    for (const header of headers)
      statuses.push((await kind.api()('PATCH', path, kind.change(statuses.length), header)).status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    for (const tag of [`W/"${revision + 4}"`, '"abc"', '""'])
      expect((await kind.api()('PATCH', path, kind.change(9), { 'If-Match': tag })).status).toBe(kind.refused);
    expect((await kind.api()('PATCH', path, kind.change(9), { 'If-Match': 'abc' })).status).toBe(400);
  });

  test('a save that is repeated with its Idempotency-Key gets its first response, not a refusal', async () => {
    const { path, revision } = await made(name);
    const headers = { ...over(revision), 'Idempotency-Key': `save ${path}` };
    const first = await kind.api()('PATCH', path, kind.change(1), headers);
    const again = await kind.api()('PATCH', path, kind.change(1), headers);
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  });

  test('a save that changes nothing keeps the revision', async () => {
    const { path, revision } = await made(name);
    await kind.api()('PATCH', path, kind.change(1));
    const same = await kind.api()('PATCH', path, kind.change(1));
    expect(kind.recordOf(same).revision).toBe(revision + 1);
  });
});

test('PUT of a flow compares as PATCH does', async () => {
  const { path, revision } = await made('flows');
  expect((await shop.marketing('PUT', path, { name: 'A' }, over(revision))).body).toMatchObject({
    revision: revision + 1,
  });
  expect((await shop.marketing('PUT', path, { name: 'B' }, over(revision))).status).toBe(400);
});

test('sales of a product do not change its revision', async () => {
  const { path, revision } = await made('products');
  const id = Number(path.split('/').at(-1));
  expect((await shop.commerce('POST', `${path}/inventory/adjust`, { delta: 5 })).status).toBe(200);
  await server.app.db.tx((tx) =>
    tx.query(
      sql`update product_stock set stock_qty = stock_qty + 1 where company_id = ${shop.company_id} and product_id = ${id}`,
    ),
  );
  expect((await shop.commerce('GET', path)).body.data.revision).toBe(revision);
  expect((await shop.commerce('GET', '/products?per_page=1')).body.data[0].revision).toEqual(expect.any(Number));
});
