import { beforeAll, expect, test } from 'vitest';
import { sqlState } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { lockAgainstDeletion } from './ledger-queries.ts';

const server = testServer();
const PEOPLE = 25_000;
let shop: TestCompany;
let list: number;
let contacts: number[];

/** A list of new people; gives their ids. */
async function filledList(of: TestCompany): Promise<{ id: number; people: number[] }> {
  const { list_id } = (await of.marketing('POST', '/lists', { name: 'Everybody' })).body;
  const now = server.clock.now();
  const made = await server.rows<{ id: number }>(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made returning contact_id::int as id`,
    [of.company_id, list_id, now, PEOPLE],
  );
  return { id: list_id, people: made.map((one) => one.id).sort((a, b) => a - b) };
}

beforeAll(async () => {
  shop = await server.company();
  ({ id: list, people: contacts } = await filledList(shop));
  // As autovacuum would have by then.
  await server.rows('analyze contacts, list_memberships');
});

/** A campaign whose first part is written. */
async function started(): Promise<number> {
  const mail = { name: 'Large', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
  const { body } = await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(body.recipients).toBe(PEOPLE);
  return campaign_id;
}

const writtenTo = (id: number) =>
  server.rows<{ n: number; people: number }>(
    'select count(*)::int as n, count(distinct contact_id)::int as people from messages where campaign_id = $1',
    [id],
  );

const work = () => server.app.workers.find(({ name }) => name === 'campaigns')!.runOnce();
async function expectAll(id: number): Promise<void> {
  expect(await writtenTo(id)).toEqual([{ n: PEOPLE, people: PEOPLE }]);
  expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ recipients: PEOPLE });
}

/** As after a crash between the commits of the two, or of a part whose progress was not on disk. */
const writeOne = (id: number, nth: number) =>
  server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id, created_at)
     select $1, 'c:' || $2::bigint || ':' || $3::bigint, 'email', false, 2, $3, $4, 'campaign', $2, $4`,
    [shop.company_id, id, contacts[nth], server.clock.now()],
  );

/** While this is held, whoever has written messages waits before COMMIT. */
const HELD = sql`lock table list_count_deltas in share mode`;
const waiting = (locktype: string) =>
  expect.poll(() => server.rows('select 1 from pg_locks where not granted and locktype = $1', [locktype]));

test('a list of several parts is written as a whole, by two transactions at once', async () => {
  const id = await started();
  expect(await writtenTo(id)).toEqual([{ n: 10_000, people: 10_000 }]);
  const { working } = await server.app.db.tx(async (tx) => {
    await tx.query(HELD);
    const working = work();
    await waiting('relation').toHaveLength(2);
    return { working };
  });
  await working;
  await expectAll(id);
});

test.each([12_000, 22_000])('whoever is written already, here the %i-th, keeps nobody else from it', async (nth) => {
  const id = await started();
  await writeOne(id, nth);
  await work();
  await expectAll(id);
});

test('where one of the two fails, whoever wants the campaign waits for the other as well', async () => {
  const id = await started();
  await writeOne(id, 12_000);
  const { working, pausing } = await server.app.db.tx(async (tx) => {
    await tx.query(HELD);
    const working = work();
    await waiting('relation').toHaveLength(1);
    const pausing = shop.marketing('POST', `/campaigns/pause/${id}`);
    await waiting('transactionid').toHaveLength(1);
    return { working, pausing };
  });
  await working;
  expect((await pausing).body).toMatchObject({ status: 'paused' });
  await work();
  await expectAll(id);
});

test('a campaign that was deleted cannot be kept, and who asks is told to begin again', async () => {
  const { db } = server.app;
  const mail = { name: 'Gone', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
  const keep = (tries: { n: number }) =>
    db.tenantTx(shop.company_id, (tx) => {
      tries.n++;
      return lockAgainstDeletion(tx, shop.company_id, campaign_id);
    });
  const [once, often] = [{ n: 0 }, { n: 0 }];
  await keep(once);
  await shop.marketing('DELETE', `/campaigns/${campaign_id}`);
  expect(sqlState(await keep(often).catch((error: unknown) => error))).toBe('40001');
  expect([once.n, often.n]).toEqual([1, 5]);
});

test('a list that was filled just now, of which no statistics tell, is counted, asked for and written at once', async () => {
  const other = await server.company();
  const { id } = await filledList(other);
  const page = await other.marketing('GET', `/contacts?list_id=${id}&status=subscribed`);
  expect(page.body.pagination.total).toBe(PEOPLE);
  const mail = { name: 'Early', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: id };
  const { campaign_id } = (await other.marketing('POST', '/campaigns', mail)).body;
  const sent = await other.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(sent.body.recipients).toBe(PEOPLE);
  await work();
  expect(await writtenTo(campaign_id)).toEqual([{ n: PEOPLE, people: PEOPLE }]);
});

test('the same of a segment of those on such a list', async () => {
  const other = await server.company();
  const { id } = await filledList(other);
  const rules = { rules: [{ field: 'list_ids', comparison: 'equals', value: id }] };
  const made = await other.marketing('POST', '/segments', { name: 'On it', conditions: rules });
  expect(made.body).toMatchObject({ segment_id: expect.any(Number) });
  const mail = { name: 'Early', type: 'email', subject: 'Hi', content: '<p>Hi</p>', segment_id: made.body.segment_id };
  const { campaign_id } = (await other.marketing('POST', '/campaigns', mail)).body;
  const sent = await other.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(sent.body.recipients).toBe(PEOPLE);
  await work();
  expect(await writtenTo(campaign_id)).toEqual([{ n: PEOPLE, people: PEOPLE }]);
});
