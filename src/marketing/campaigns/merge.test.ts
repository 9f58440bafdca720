import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { checkInvariants } from '../../invariants.ts';
import { messagingInvariants } from '../../messaging/invariants.ts';
import { handOverMessages } from '../../messaging/ledger/settle-queries.ts';
import { createClaims, takeBackExpired } from '../../messaging/send/claim.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});
afterEach(async () => {
  const broken = (await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok);
  expect(broken).toEqual([]);
});

const EMAIL = 'ada@example.com';
const PHONE = '+4930123456';
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}
async function upsert(keys: object): Promise<number> {
  const { body } = await shop.marketing('POST', '/contacts', keys);
  return body.contact_id;
}
/** Merges the two contacts; the one with the external_id remains. */
const merge = () => upsert({ email: EMAIL, external_id: 'ada' });

async function campaignTo(contacts: number[], fields: object = {}): Promise<number> {
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id, ...fields };
  return (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
}
const send = (id: number) => shop.marketing('POST', `/campaigns/send/${id}`);
const outcomes = async (id: number) => {
  const { body } = await shop.marketing('GET', `/campaigns/${id}/recipients`);
  return body.recipients
    .map(({ contact_id, status, reason }: Record<string, unknown>) => [contact_id, status, reason])
    .sort((a: unknown[], b: unknown[]) => String(a).localeCompare(String(b)));
};
const mails = async () =>
  (await shop.marketing('GET', '/mailbox')).body.messages.map(({ to }: { to: string }) => to).sort();
/** Claims the message to one contact, as a worker at this step would. */
async function held(id: number, contact: number, step: 'claimed' | 'handing_over') {
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 2 as const, campaign_id: id };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const };
  const claimed = await createClaims(db).take(work, claim);
  const going = claimed
    .filter((one) => one.contactId === contact)
    .map((one) => ({ id: one.id, epoch: one.epoch, recipient: EMAIL, transport: 'smtp' }));
  expect(going).toHaveLength(1);
  if (step === 'handing_over') await db.tx((tx) => handOverMessages(tx, shop.company_id, going, server.clock.now()));
}
/** The worker dies, and its lease expires. */
async function die(): Promise<void> {
  await server.rows("update message_claims set lease_until = now() - interval '1 second'");
  await takeBackExpired(server.app.db, server.clock.now());
}

const setStatus = (contact: number, status: string) =>
  server.rows('update messages set status = $2 where contact_id = $1', [contact, status]);
async function messageOf(contact: number): Promise<number> {
  const [row] = await server.rows<{ id: number }>('select id::int from messages where contact_id = $1', [contact]);
  return row!.id;
}
const retry = (message: number) => shop.marketing('POST', `/messages/retry/${message}`);
/** Starts the first action and holds it after its first write; then starts the second, until both wait. Returns their results. */
async function bothHeld<One, Other>(one: () => Promise<One>, other: () => Promise<Other>): Promise<[One, Other]> {
  const waiting = (n: number) => expect.poll(() => server.lockWaits()).toBe(n);
  const both = await server.app.db.tx(async (tx) => {
    // Makes the first action wait in the triggers that update counts.
    await tx.query(sql`lock table counter_deltas in share mode`);
    const first = one();
    await waiting(1);
    const second = other();
    await waiting(2);
    return { first, second };
  });
  return Promise.all([both.first, both.second]);
}

describe('two recipients that are merged get the campaign once', () => {
  let loser: number;
  let winner: number;
  beforeEach(async () => {
    loser = await upsert({ email: EMAIL });
    winner = await upsert({ external_id: 'ada', email: 'ada@old.example.com' });
  });

  test('before it is sent', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await merge();
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    expect(await outcomes(id)).toEqual([
      [winner, 'sent', null],
      [winner, 'skipped', 'merged'],
    ]);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ status: 'sent', recipients: 2 });
  });

  test('after it was sent to one of them', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    const [late] = await server.rows<{ id: string }>(
      "update messages set due_at = due_at + interval '1 hour' where contact_id = $1 returning id",
      [winner],
    );
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    await merge();
    server.clock.advance(3_600_000);
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    expect(await server.rows('select status, reason from messages where id = $1', [late!.id])).toEqual([
      { status: 'skipped', reason: 'merged' },
    ]);
  });

  test.each(['claimed', 'handing_over'] as const)('while a worker has the message to one of them: %s', async (step) => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await held(id, loser, step);
    await merge();
    await die();
    await settle();
    const handedOver = step === 'handing_over';
    expect(await mails()).toEqual(handedOver ? [] : [EMAIL]);
    expect(await outcomes(id)).toEqual(
      [
        [winner, 'skipped', 'merged'],
        handedOver ? [winner, 'unknown', 'hand_over_interrupted'] : [winner, 'sent', null],
      ].sort(),
    );
  });

  test('also if a failed message to one is retried after the other was sent', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await server.rows("update messages set status = 'failed' where contact_id = $1", [loser]);
    await settle();
    await merge();
    const again = await shop.marketing('POST', `/campaigns/retry/${id}`, { include_unknown: true });
    expect(again.body).toMatchObject({ requeued: 0 });
    await settle();
    expect(await mails()).toEqual(['ada@old.example.com']);
  });

  test.each(['sent', 'unknown', 'queued'])('and none is retried if the other is %s', async (other) => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await setStatus(loser, 'failed');
    await setStatus(winner, other === 'queued' ? 'failed' : other);
    const [failed, twin] = [await messageOf(loser), await messageOf(winner)];
    await merge();
    if (other === 'queued') expect((await retry(twin)).body).toMatchObject({ status: 'queued' });
    const refused = await retry(failed);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining(`contact is ${other}`),
    ]);
    await settle();
    expect(await mails()).toEqual(other === 'queued' ? [EMAIL] : []);
  });

  test('and it is retried if the other failed as well', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await setStatus(loser, 'failed');
    await setStatus(winner, 'failed');
    const failed = await messageOf(loser);
    await merge();
    expect((await retry(failed)).body).toMatchObject({ status: 'queued' });
  });

  test('and a retry waits for a merge in progress', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await setStatus(loser, 'sent');
    await setStatus(winner, 'failed');
    const failed = await messageOf(winner);
    const [, refused] = await bothHeld(merge, () => retry(failed));
    expect(refused.status).toBe(400);
    await settle();
    expect(await mails()).toEqual([]);
  });

  test('and a retry of both during a merge sends one', async () => {
    const id = await campaignTo([loser, winner]);
    await send(id);
    await setStatus(loser, 'failed');
    await setStatus(winner, 'failed');
    const [, again] = await bothHeld(merge, () => shop.marketing('POST', `/campaigns/retry/${id}`));
    expect(again.body).toMatchObject({ requeued: 1 });
    await settle();
    expect(await mails()).toEqual([EMAIL]);
  });
});

describe('a merge while the audience is being written', () => {
  /** Creates a campaign between two parts of its audience, written up to a contact. */
  async function writtenUpTo(cursor: number, contacts: number[]): Promise<number> {
    const id = await campaignTo(contacts);
    const now = server.clock.now();
    await server.rows("update campaigns set status = 'sending', started_at = $2, audience_cursor = $3 where id = $1", [
      ...[id, now, cursor],
    ]);
    await server.rows(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id, created_at)
       select $1, 'c:' || $2::bigint || ':' || c, 'email', false, 2, c, $3, 'campaign', $2, $3
       from unnest($4::bigint[]) c where c <= $5`,
      [shop.company_id, id, now, contacts, cursor],
    );
    return id;
  }

  test('keeps the existing message of one contact for both', async () => {
    const loser = await upsert({ email: EMAIL });
    const winner = await upsert({ external_id: 'ada', phone: PHONE });
    const id = await writtenUpTo(loser, [loser, winner]);
    await merge();
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    expect(await outcomes(id)).toEqual([[winner, 'sent', null]]);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ status: 'sent', recipients: 1 });
  });

  test('does not miss a recipient merged into a contact behind the cursor', async () => {
    const winner = await upsert({ external_id: 'ada', phone: PHONE });
    const other = await upsert({ email: 'bob@example.com' });
    const loser = await upsert({ email: EMAIL });
    const id = await writtenUpTo(other, [other, loser]);
    await merge();
    await settle();
    expect(await mails()).toEqual([EMAIL, 'bob@example.com']);
    expect(await outcomes(id)).toEqual(
      [
        [winner, 'sent', null],
        [other, 'sent', null],
      ].sort((a, b) => String(a).localeCompare(String(b))),
    );
  });

  test('waits for the part that is being written, and includes it', async () => {
    const winner = await upsert({ external_id: 'ada', phone: PHONE });
    const loser = await upsert({ email: EMAIL });
    const id = await writtenUpTo(winner, [loser]);
    await bothHeld(() => worker('campaigns').runOnce(), merge);
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    expect(await outcomes(id)).toEqual([[winner, 'sent', null]]);
  });

  const begins: Record<string, { fields: string; begin: (id: number) => Promise<unknown> }> = {
    sent: { fields: "status = 'draft', scheduled_at = $2", begin: send },
    resumed: {
      fields: "status = 'paused', scheduled_at = $2",
      begin: (id) => shop.marketing('POST', `/campaigns/resume/${id}`),
    },
    due: {
      fields: "status = 'scheduled', scheduled_at = $2",
      begin: () => worker('campaigns').runOnce(),
    },
  };
  test.each(Object.keys(begins))('waits for the first part as well: %s', async (name) => {
    const { fields, begin } = begins[name]!;
    const loser = await upsert({ email: EMAIL });
    const winner = await upsert({ external_id: 'ada' });
    const id = await campaignTo([loser]);
    await server.rows(`update campaigns set ${fields} where id = $1`, [id, server.clock.now()]);
    await bothHeld(() => begin(id), merge);
    await settle();
    expect(await mails()).toEqual([EMAIL]);
    expect(await outcomes(id)).toEqual([[winner, 'sent', null]]);
  });
});
