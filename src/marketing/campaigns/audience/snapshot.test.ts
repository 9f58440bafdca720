import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { recordStatements } from '../../../testing/statements.ts';

const server = testServer();
/** More than two transactions write at once, so that there are several turns. */
const RECIPIENTS = 25_000;
let shop: TestCompany;
let segment: number;
let memberIds: number[];

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaign-audiences').runOnce()) + (await worker('campaigns').runOnce()) > 0);
}

/** Creates a segment of the members of a list, and the list. */
async function segmentOf(of: TestCompany): Promise<{ list: number; segment: number }> {
  const { list_id } = (await of.marketing('POST', '/lists', { name: 'Everybody' })).body;
  const rules = [{ field: 'list_ids', comparison: 'equals', value: list_id }];
  const { body } = await of.marketing('POST', '/segments', { name: 'On it', conditions: { rules } });
  return { list: list_id, segment: body.segment_id };
}

const MAIL = { name: 'Large', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };
async function draft(of: TestCompany, fields: object): Promise<number> {
  return (await of.marketing('POST', '/campaigns', { ...MAIL, ...fields })).body.campaign_id;
}
const written = async (id: number): Promise<number[]> =>
  (
    await server.rows<{ id: number }>(
      'select contact_id::int as id from messages where campaign_id = $1 order by contact_id',
      [id],
    )
  ).map((row) => row.id);
const kept = () => server.rows('select campaign_id from campaign_audiences');

/** Runs `work` while every read of memberships waits. */
function withListsLocked<T>(work: () => Promise<T>): Promise<T> {
  return server.app.db.tx(async (tx) => {
    await tx.query(sql`lock table list_memberships in access exclusive mode`);
    return work();
  });
}
const waiting = () => expect.poll(() => server.lockWaits('relation'));

beforeAll(async () => {
  shop = await server.company();
  const made = await segmentOf(shop);
  segment = made.segment;
  const rows = await server.rows<{ id: number }>(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made returning contact_id::int as id`,
    [shop.company_id, made.list, server.clock.now(), RECIPIENTS],
  );
  memberIds = rows.map((row) => row.id).sort((a, b) => a - b);
  await server.rows('analyze contacts, list_memberships');
});

describe('the segment of a campaign', () => {
  test('is evaluated once, whatever its size, and its snapshot is deleted in the end', async () => {
    const id = await draft(shop, { segment_id: segment });
    const sent = await recordStatements(async () => {
      const { body } = await shop.marketing('POST', `/campaigns/send/${id}`);
      expect(body).toMatchObject({ status: 'sending', recipients: RECIPIENTS, recipients_exact: true });
      await settle();
    });
    expect(sent.filter(({ text }) => text.includes('join lists l on'))).toHaveLength(1);
    expect(await written(id)).toEqual(memberIds);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ recipients: RECIPIENTS });
    expect(await kept()).toEqual([]);
  });

  test('is evaluated in the background if it takes long, and the response does not wait', async () => {
    const id = await draft(shop, { segment_id: segment });
    const { status, body } = await withListsLocked(() => shop.marketing('POST', `/campaigns/send/${id}`));
    expect([status, body]).toEqual([
      200,
      { campaign_id: id, status: 'sending', scheduled_at: null, recipients: 0, recipients_exact: false },
    ]);
    // No message is written before the recipients are known.
    await worker('campaigns').runOnce();
    expect(await written(id)).toEqual([]);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'sending',
      recipients: 0,
      recipients_exact: false,
    });
    await worker('campaign-audiences').runOnce();
    expect((await shop.marketing('POST', `/campaigns/send/${id}`)).body).toMatchObject({
      recipients: RECIPIENTS,
      recipients_exact: true,
    });
    await settle();
    expect(await written(id)).toEqual(memberIds);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      recipients: RECIPIENTS,
      recipients_exact: true,
    });
    expect(await kept()).toEqual([]);
  });

  test('leaves no snapshot if the campaign is cancelled during the evaluation', async () => {
    const id = await draft(shop, { segment_id: segment });
    await withListsLocked(() => shop.marketing('POST', `/campaigns/send/${id}`));
    const evaluating = await withListsLocked(async () => {
      const turn = worker('campaign-audiences').runOnce();
      await waiting().toBe(1);
      await shop.marketing('POST', `/campaigns/cancel/${id}`);
      return { turn };
    });
    await evaluating.turn;
    await settle();
    expect(await kept()).toEqual([]);
    expect(await written(id)).toEqual([]);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'cancelled',
      recipients: 0,
    });
  });

  test('leaves no snapshot if the campaign is cancelled between two parts', async () => {
    const id = await draft(shop, { segment_id: segment });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    expect((await kept()).length).toBeGreaterThan(0);
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
    expect(await kept()).toEqual([]);
    await settle();
    expect(await written(id)).toHaveLength(10_000);
  });

  test('is fixed at the start, except for contacts that become unreachable', async () => {
    const id = await draft(shop, { segment_id: segment });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    const last = memberIds.at(-1)!;
    await shop.marketing('POST', `/contacts/unsubscribe/${last}`);
    // Contacts that leave the segment stay in the audience.
    await server.rows('delete from list_memberships where contact_id = $1', [memberIds.at(-2)]);
    await settle();
    expect(await written(id)).toEqual(memberIds.slice(0, -1));
    await shop.marketing('POST', `/contacts/resubscribe/${last}`);
  });

  test('is stored once if two processes evaluate it at once', async () => {
    const id = await draft(shop, { segment_id: segment });
    await withListsLocked(() => shop.marketing('POST', `/campaigns/send/${id}`));
    const { takeSnapshot } = await import('./snapshot.ts');
    const both = await Promise.all([1, 2].map(() => takeSnapshot(server.app.db, shop.company_id, id)));
    expect(both.toSorted()).toEqual([0, 1]);
    await settle();
    expect(new Set(await written(id)).size).toBe((await written(id)).length);
  });
});

describe('a merge while the messages of a segment are written', () => {
  test('misses no recipient that is merged into a contact behind the cursor', async () => {
    const own = await server.company();
    const made = await segmentOf(own);
    const upsert = async (keys: object): Promise<number> =>
      (await own.marketing('POST', '/contacts', keys)).body.contact_id;
    const winner = await upsert({ external_id: 'ada', phone: '+4930123456' });
    const other = await upsert({ email: 'bob@example.com', list_ids: [made.list] });
    const loser = await upsert({ email: 'ada@example.com', list_ids: [made.list] });
    const id = await draft(own, { segment_id: made.segment });
    await withListsLocked(() => own.marketing('POST', `/campaigns/send/${id}`));
    await worker('campaign-audiences').runOnce();
    // The state between two parts.
    await server.rows('update campaigns set audience_cursor = $2 where id = $1', [id, other]);
    expect(loser).toBeGreaterThan(other);
    await upsert({ email: 'ada@example.com', external_id: 'ada' });
    await settle();
    expect(await written(id)).toEqual([winner]);
  });
});

describe('the recipients of a campaign that is scheduled', () => {
  const at = '2026-03-16 12:00:00';

  test('are counted for the response', async () => {
    const id = await draft(shop, { segment_id: segment });
    const { body } = await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: at });
    expect(body).toMatchObject({ status: 'scheduled', recipients: memberIds.length - 1, recipients_exact: true });
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
  });

  test('are counted in the background if it takes long', async () => {
    const id = await draft(shop, { segment_id: segment });
    const send = () => shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: at });
    expect((await withListsLocked(send)).body).toMatchObject({
      status: 'scheduled',
      recipients: 0,
      recipients_exact: false,
    });
    await worker('campaign-audiences').runOnce();
    const read = await shop.marketing('GET', `/campaigns/${id}`);
    expect(read.body).toMatchObject({ status: 'scheduled', recipients: memberIds.length - 1, recipients_exact: true });
    expect(await worker('campaign-audiences').runOnce()).toBe(0);
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
  });

  test('are counted again when the audience changes', async () => {
    const id = await draft(shop, { segment_id: segment });
    await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: at });
    const other = await segmentOf(shop);
    const changed = await shop.marketing('PATCH', `/campaigns/${id}`, { segment_id: other.segment });
    expect(changed.body).toMatchObject({ recipients: 0, recipients_exact: false });
    await worker('campaign-audiences').runOnce();
    const read = await shop.marketing('GET', `/campaigns/${id}`);
    expect(read.body).toMatchObject({ recipients: 0, recipients_exact: true });
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
  });
});
