import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { random } from '../../testing/random/seed.ts';
import { startCountingSink } from '../testing/sink.ts';
import { signToken } from './tokens.ts';

// For the full size: UNSUBSCRIBE_RACES=5000 vitest run src/messaging/consent/unsubscribe-races.test.ts
const RACES = Number(process.env.UNSUBSCRIBE_RACES ?? 120);
const CALLERS = 8;
const CONNECTIONS = 5;
/** Contacts unsubscribe at most this many recipients behind or ahead of the delivery, so that each side wins about half. */
const BEHIND = 4;
const AHEAD = 3;

const sink = await startCountingSink(() => 'store');
afterAll(() => sink.close());
const server = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off&connections=${CONNECTIONS}` } });
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

/**
 * Records the order in which unsubscribes and hand-overs were written. Both are written under locks of the same rows: the second has waited
 * for the first to commit, so this is the order of the commits.
 */
beforeAll(() =>
  server.rows(`
    create sequence race_order;
    create table race (place bigint, what text, contact_id bigint);
    create function note_race() returns trigger language plpgsql security definer as $$
    begin
      insert into race values (nextval('race_order'), tg_argv[0], (to_jsonb(new) ->> tg_argv[1])::bigint);
      return null;
    end $$;
    create trigger note_race after update on contacts for each row
      when (new.status = 'unsubscribed' and old.status = 'subscribed') execute function note_race('left', 'id');
    create trigger note_race after update on list_memberships for each row
      when (new.status = 'unsubscribed' and old.status = 'active') execute function note_race('left', 'contact_id');
    create function note_hand_over() returns trigger language plpgsql security definer as $$
    begin
      insert into race select nextval('race_order'), 'handed over', contact_id from messages where id = new.message_id;
      return null;
    end $$;
    create trigger note_race after update on message_claims for each row
      when (new.step = 'handing_over' and old.step = 'claimed') execute function note_hand_over()`),
);

/** Unsubscribes through the API, from everything or only the list, or by the one-click link of a mail. */
async function leave(shop: TestCompany, contact: number, list: number): Promise<void> {
  const kind = contact % 3;
  if (kind === 0) {
    const { tokenKey } = server.app.messaging;
    const token = signToken(tokenKey, 'unsubscribe', { companyId: shop.company_id, subject: contact, detail: 0 });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const raw = 'List-Unsubscribe=One-Click';
    expect((await server.request('POST', `/u/${token}`, { raw, headers })).status).toBe(200);
    return;
  }
  const body = kind === 1 ? {} : { list_ids: [list] };
  expect((await shop.marketing('POST', `/contacts/unsubscribe/${contact}`, body)).status).toBe(200);
}

test(`of ${RACES} who leave while the campaign is handed over, none gets it after their leaving is acknowledged`, {
  timeout: 60_000 + RACES * 60,
}, async () => {
  const shop = await server.company();
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  // Every third contact stays: they must all receive it, and they show how far the sender has come.
  const rows = await server.rows<{ id: string; email: string }>(
    `with made as (
       insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, 'r' || i || '@example.net', '', $3, $3 from generate_series(1, $4) i returning id, email
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made
     returning contact_id as id, (select email from made where made.id = contact_id)`,
    [shop.company_id, list.list_id, server.clock.now(), Math.ceil(RACES * 1.5)],
  );
  const contacts = rows.map((row) => Number(row.id)).sort((a, b) => a - b);
  const mails = new Map(rows.map((row) => [Number(row.id), () => sink.stored.get(row.email) ?? 0]));
  const ordinalOf = new Map(contacts.map((id, i) => [id, i]));
  const leaving = contacts.filter((_, i) => i % 3 !== 0).slice(0, RACES);
  const mail = { name: 'Race', type: 'email', subject: 'Hello', content: 'Hello' };
  const { body: campaign } = await shop.marketing('POST', '/campaigns', { ...mail, list_id: list.list_id });
  await shop.marketing('POST', `/campaigns/send/${campaign.campaign_id}`);
  while ((await worker('campaigns').runOnce()) > 0);

  let asked = -1;
  let reached = 0;
  const hold = async (waiting: () => boolean): Promise<void> => {
    while (waiting()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const { email } = server.app.messaging.transports;
  const { deliverAll } = email;
  email.deliverAll = async (messages, signal) => {
    const ordinal = Math.max(...messages.map(({ ledger }) => ordinalOf.get(ledger.contactId!)!));
    reached = Math.max(reached, ordinal);
    await hold(() => ordinal > asked + BEHIND);
    return deliverAll(messages, signal);
  };
  const pick = random(1);
  const queue = leaving
    .map((id) => ({ id, at: ordinalOf.get(id)! + pick(1_000 * AHEAD) / 1_000 }))
    .sort((a, b) => a.at - b.at);
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const ordinal = ordinalOf.get(next.id)!;
      await hold(() => ordinal > reached + AHEAD);
      asked = Math.max(asked, ordinal);
      await leave(shop, next.id, list.list_id);
    }
    asked = queue.length === 0 ? Number.POSITIVE_INFINITY : asked;
  });
  const sending = (async () => {
    while ((await worker('sender').runOnce()) > 0);
  })();
  await Promise.all([...callers, sending]);

  const late = await server.rows(
    `select r.contact_id from race r join race l on l.contact_id = r.contact_id and l.what = 'left'
     where r.what = 'handed over' and r.place > l.place`,
  );
  expect(late).toEqual([]);
  const order = await server.rows<{ what: string; contact_id: string }>(
    'select what, contact_id from race order by place',
  );
  const first = new Map<number, string>();
  for (const { what, contact_id } of order) if (!first.has(Number(contact_id))) first.set(Number(contact_id), what);
  const wrong = contacts.filter((id) => mails.get(id)!() !== (first.get(id) === 'handed over' ? 1 : 0));
  expect(wrong).toEqual([]);
  expect(contacts.filter((_, i) => i % 3 === 0).every((id) => mails.get(id)!() === 1)).toBe(true);
  // Each side must have won some of the races, or the test proves nothing.
  const won = leaving.filter((id) => first.get(id) === 'left').length;
  if (process.env.UNSUBSCRIBE_RACES) process.stdout.write(`${JSON.stringify({ races: RACES, left_first: won })}\n`);
  expect(won).toBeGreaterThan(RACES / 20);
  expect(RACES - won).toBeGreaterThan(RACES / 20);
});
