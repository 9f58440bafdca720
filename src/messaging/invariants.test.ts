import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { testServer } from '../testing/harness.ts';
import { messagingInvariants } from './invariants.ts';
import { contactOf, flowMessages } from './testing/sending.ts';

const server = testServer();
const check = () => checkInvariants(server.app.db, messagingInvariants);

/** A shop with a sent message, one that waits, and a campaign that is done. */
async function busyShop() {
  const shop = await server.company();
  const contact = await contactOf(server, shop);
  const { ids } = await flowMessages(server, shop, [contact]);
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const later = new Date(server.clock.now().getTime() + 3_600_000);
  const waiting = await flowMessages(server, shop, [contact], { dueAt: later });
  const [campaign] = await server.rows<{ id: number }>(
    `insert into campaigns (company_id, name, type, status, recipients, created_at, updated_at)
     values ($1, 'Done', 'email', 'sent', 1, now(), now()) returning id::int`,
    [shop.company_id],
  );
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, status, due_at, origin, campaign_id,
       created_at) values ($1, 'c:' || $2::bigint, 'email', false, 2, $3, 'failed', now(), 'campaign', $2::bigint, now())`,
    [shop.company_id, campaign!.id, contact],
  );
  const ofSubject = {
    sent: ids[0]!,
    waiting: waiting.ids[0]!,
    campaign: campaign!.id,
    contact,
    company: shop.company_id,
  };
  return { shop, ofSubject };
}

test('a healthy shop breaks no promise', async () => {
  await busyShop();
  expect((await check()).filter((finding) => !finding.ok)).toEqual([]);
});

test.each([
  [
    'I8.leases',
    `with working as (
       insert into installation (senders) values (jsonb_build_object('w', jsonb_build_object('at', (extract(epoch from now()) * 1000)::bigint)))
       on conflict (one) do update set senders = excluded.senders
     )
     insert into message_claims (company_id, message_id, lease_until)
     select company_id, id, now() - interval '2 minutes' from messages where id = $1`,
    'waiting',
  ],
  [
    'I8.campaigns',
    `with gone as (delete from campaigns where id = $1 returning id)
     update messages set status = 'queued' where campaign_id in (select id from gone)`,
    'campaign',
  ],
  ['I9.audience', 'update campaigns set recipients = 2 where id = $1', 'campaign'],
  [
    'I9.held_out',
    `with drawn as (update campaigns set held_out = 1 where id = $1 returning company_id, id)
     insert into campaign_hold_outs (company_id, campaign_id, contact_id)
     select drawn.company_id, drawn.id, m.contact_id from drawn join messages m on m.campaign_id = drawn.id`,
    'campaign',
  ],
  ['I9.finished', "update messages set status = 'queued' where campaign_id = $1", 'campaign'],
  ['I10.mailbox', 'delete from mailbox_messages where id = $1', 'sent'],
  [
    'I10.mailbox',
    `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
     select company_id, id, 'email', 'a', 'b', now() from messages where id = $1`,
    'waiting',
  ],
  [
    'I11.unsubscribed',
    `insert into contact_consents (company_id, contact_id, channel, state, source, created_at)
     select company_id, contact_id, channel, 'unsubscribed', 'one_click', handed_over_at - interval '2 minutes'
     from messages where id = $1`,
    'sent',
  ],
  ['lists.messages', "insert into counter_deltas values ($1, 'messages', '2000-01-01', '', 1)", 'company'],
  [
    'lists.campaigns',
    `insert into counter_deltas
     select company_id, 'campaign-activity:' || id, '2000-01-01', 'opened:', 1 from campaigns where id = $1`,
    'campaign',
  ],
  ['lists.campaigns', "update counter_deltas set n = 2 where counter = 'campaign-messages:' || $1::bigint", 'campaign'],
] as const)('%s goes red when a row is damaged', async (id, damage, subject) => {
  const { shop, ofSubject } = await busyShop();
  await server.rows(damage, [ofSubject[subject]]);
  const finding = (await check()).find((one) => one.id === id);
  expect(finding).toMatchObject({ ok: false });
  expect(finding!.examples.map((example) => example.company_id)).toContain(shop.company_id);
});

test('a message whose lease has expired is in order where no worker runs, as after a restore', async () => {
  const { ofSubject } = await busyShop();
  await server.rows("update installation set senders = '{}'");
  await server.rows(
    `insert into message_claims (company_id, message_id, lease_until)
     select company_id, id, now() - interval '2 minutes' from messages where id = $1`,
    [ofSubject.waiting],
  );
  expect((await check()).find((one) => one.id === 'I8.leases')).toMatchObject({ ok: true });
});

test('a message to somebody who subscribed again within a minute before it is in order', async () => {
  const { shop, ofSubject } = await busyShop();
  await server.rows(
    `insert into contact_consents (company_id, contact_id, channel, state, source, created_at)
     select company_id, contact_id, channel, state, 'one_click', handed_over_at - ago
     from messages, (values ('unsubscribed', interval '2 minutes'), ('subscribed', interval '20 seconds')) as v (state, ago) where id = $1`,
    [ofSubject.sent],
  );
  const { examples } = (await check()).find((one) => one.id === 'I11.unsubscribed')!;
  expect(examples.filter(({ company_id }) => company_id === shop.company_id)).toEqual([]);
});
