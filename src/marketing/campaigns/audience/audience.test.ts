import { beforeAll, expect, test } from 'vitest';
import { sqlState } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { lockAgainstDeletion } from './ledger-queries.ts';

const server = testServer();
const RECIPIENTS = 25_000;
let shop: TestCompany;
let list: number;
let contacts: number[];

/** Creates a list of new contacts; returns it with their ids. */
async function filledList(of: TestCompany): Promise<{ id: number; contactIds: number[] }> {
  const { list_id } = (await of.marketing('POST', '/lists', { name: 'Everybody' })).body;
  const now = server.clock.now();
  const made = await server.rows<{ id: number }>(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made returning contact_id::int as id`,
    [of.company_id, list_id, now, RECIPIENTS],
  );
  return { id: list_id, contactIds: made.map((one) => one.id).sort((a, b) => a - b) };
}

beforeAll(async () => {
  shop = await server.company();
  ({ id: list, contactIds: contacts } = await filledList(shop));
  // Autovacuum would have done this by now.
  await server.rows('analyze contacts, list_memberships');
});

/** Creates a campaign whose first part is written. */
async function started(): Promise<number> {
  const mail = { name: 'Large', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
  const { body } = await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(body.recipients).toBe(RECIPIENTS);
  return campaign_id;
}

const writtenTo = (id: number) =>
  server.rows<{ n: number; contacts: number }>(
    'select count(*)::int as n, count(distinct contact_id)::int as contacts from messages where campaign_id = $1',
    [id],
  );

const work = () => server.app.workers.find(({ name }) => name === 'campaigns')!.runOnce();
async function expectAll(id: number): Promise<void> {
  expect(await writtenTo(id)).toEqual([{ n: RECIPIENTS, contacts: RECIPIENTS }]);
  expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ recipients: RECIPIENTS });
}

/** The state after a crash between the two commits, or after a part whose cursor was lost. */
const writeOne = (id: number, nth: number) =>
  server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id, created_at)
     select $1, 'c:' || $2::bigint || ':' || $3::bigint, 'email', false, 2, $3, $4, 'campaign', $2, $4`,
    [shop.company_id, id, contacts[nth], server.clock.now()],
  );

/** While this lock is held, transactions that have written messages wait before COMMIT. */
const HELD = sql`lock table counter_deltas in share mode`;
const waiting = (type: 'relation' | 'transactionid') => expect.poll(() => server.lockWaits(type));

test('a list of several parts is written completely, by two transactions at once', async () => {
  const id = await started();
  expect(await writtenTo(id)).toEqual([{ n: 10_000, contacts: 10_000 }]);
  const { working } = await server.app.db.tx(async (tx) => {
    await tx.query(HELD);
    const working = work();
    await waiting('relation').toBe(2);
    return { working };
  });
  await working;
  await expectAll(id);
});

test.each([12_000, 22_000])('an existing message, here of the %i-th recipient, prevents no other', async (nth) => {
  const id = await started();
  await writeOne(id, nth);
  await work();
  await expectAll(id);
});

test('if one of the two transactions fails, the campaign stays locked until the other has ended', async () => {
  const id = await started();
  await writeOne(id, 12_000);
  const { working, pausing } = await server.app.db.tx(async (tx) => {
    await tx.query(HELD);
    const working = work();
    await waiting('relation').toBe(1);
    const pausing = shop.marketing('POST', `/campaigns/pause/${id}`);
    await waiting('transactionid').toBe(1);
    return { working, pausing };
  });
  await working;
  expect((await pausing).body).toMatchObject({ status: 'paused' });
  await work();
  await expectAll(id);
});

test('a deleted campaign cannot be locked: the transaction is told to start again', async () => {
  const { db } = server.app;
  const mail = { name: 'Gone', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
  const keep = (attempts: { n: number }) =>
    db.tenantTx(shop.company_id, (tx) => {
      attempts.n++;
      return lockAgainstDeletion(tx, shop.company_id, campaign_id);
    });
  const [once, often] = [{ n: 0 }, { n: 0 }];
  await keep(once);
  await shop.marketing('DELETE', `/campaigns/${campaign_id}`);
  expect(sqlState(await keep(often).catch((error: unknown) => error))).toBe('40001');
  expect([once.n, often.n]).toEqual([1, 5]);
});

test('a list without statistics is counted, listed and written without delay', async () => {
  const other = await server.company();
  const { id } = await filledList(other);
  const page = await other.marketing('GET', `/contacts?list_id=${id}&status=subscribed`);
  expect(page.body.pagination.total).toBe(RECIPIENTS);
  const mail = { name: 'Early', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: id };
  const { campaign_id } = (await other.marketing('POST', '/campaigns', mail)).body;
  const sent = await other.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(sent.body.recipients).toBe(RECIPIENTS);
  await work();
  expect(await writtenTo(campaign_id)).toEqual([{ n: RECIPIENTS, contacts: RECIPIENTS }]);
});

test('the same holds for a segment of such a list', async () => {
  const other = await server.company();
  const { id } = await filledList(other);
  const rules = { rules: [{ field: 'list_ids', comparison: 'equals', value: id }] };
  const made = await other.marketing('POST', '/segments', { name: 'On it', conditions: rules });
  expect(made.body).toMatchObject({ segment_id: expect.any(Number) });
  const mail = { name: 'Early', type: 'email', subject: 'Hi', content: '<p>Hi</p>', segment_id: made.body.segment_id };
  const { campaign_id } = (await other.marketing('POST', '/campaigns', mail)).body;
  const sent = await other.marketing('POST', `/campaigns/send/${campaign_id}`);
  expect(sent.body.recipients).toBe(RECIPIENTS);
  await work();
  expect(await writtenTo(campaign_id)).toEqual([{ n: RECIPIENTS, contacts: RECIPIENTS }]);
});
