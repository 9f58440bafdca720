import { describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { insertActivity } from '../feedback/activity-queries.ts';
import { handOverMessages, settleMessages } from '../ledger/settle-queries.ts';
import { queueMessages } from '../service.ts';
import { contactOf, flowMessages, ledgerOf, STEP } from '../testing/sending.ts';
import { createClaims, shareOut, takeBackExpired } from './claim.ts';
import { renewClaims } from './claim-queries.ts';

const server = testServer();

const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
const mails = async (ids: number[]) =>
  (await server.rows<{ id: number }>('select id::int from mailbox_messages where id = any($1)', [ids])).length;

/** Returns how many messages the flow and its step count as sent. */
async function sentOf(shop: TestCompany, flowId: number): Promise<number[]> {
  const { body } = await shop.marketing('GET', `/flows/${flowId}/stats`);
  return [body.totals.sent, body.steps[0].sent];
}

/** Acts like a worker that dies right after its claim, or after the hand-over began. */
async function claimAndDie(companyId: number, options: { handOver?: boolean; transport?: string } = {}) {
  const work = { company_id: companyId, lane: 1 as const, campaign_id: null };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email', 'sms'] as const };
  const claimed = await createClaims(server.app.db).take(work, claim);
  if (options.handOver) {
    const going = claimed.map(({ id, epoch }) => {
      return { id, epoch, recipient: 'ann@example.net', transport: options.transport ?? 'smtp' };
    });
    const { db } = server.app;
    const moved = await db.tx((tx) => handOverMessages(tx, companyId, going, server.clock.now()));
    expect(moved.size).toBe(claimed.length);
  }
  const ids = claimed.map((message) => message.id);
  await server.rows("update message_claims set lease_until = now() - interval '1 second' where message_id = any($1)", [
    ids,
  ]);
  return claimed;
}

describe('a due message', () => {
  test('reaches the mailbox rendered, with its links tracked and a way to unsubscribe', async () => {
    const shop = await server.company({ name: 'Tea & Co' });
    const contact = await contactOf(server, shop, { email: 'ann@example.net', first_name: 'Ann <3' });
    const { ids } = await flowMessages(server, shop, [contact]);
    expect(await sender().runOnce()).toBe(1);
    expect(await ledgerOf(server, ids)).toMatchObject([
      { status: 'sent', reply: 'Kept in the mailbox', attempts: 1, recipient: 'ann@example.net' },
    ]);
    const { body: list } = await shop.marketing('GET', '/mailbox?to=Ann@Example.net');
    expect(list).toMatchObject({
      messages: [{ id: ids[0], to: 'ann@example.net', subject: 'Hello Ann <3', excerpt: 'For Ann <3' }],
      pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    });
    const { body: mail } = await shop.marketing('GET', `/mailbox/${ids[0]}`);
    expect(mail).toMatchObject({
      subject: 'Hello Ann <3',
      from: 'Tea & Co <shop@tradeloom.example>',
      to: 'ann@example.net',
      message_id: expect.stringMatching(`^<m${ids[0]}\\.c${shop.company_id}\\.[0-9a-z]+@tradeloom\\.example>$`),
    });
    expect(mail.text).toContain(`Order o${contact}`);
    expect(mail.html).toMatch(new RegExp(`href="${server.origin}/t/c/[\\w-]{55}/\\d+-[\\w-]{11}"`));
    expect(mail.html).toMatch(new RegExp(`src="${server.origin}/t/o/[\\w-]{55}"`));
    expect(mail.html).toMatch(new RegExp(`href="${server.origin}/u/[\\w-]{55}">Unsubscribe`));
    expect(mail.headers['List-Unsubscribe']).toMatch(new RegExp(`^<${server.origin}/u/[\\w-]{55}>$`));
    expect(mail.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
  });

  test('goes once, however often it is queued', async () => {
    const shop = await server.company();
    const message = {
      idemKey: 't:once',
      channel: 'email' as const,
      contactId: await contactOf(server, shop),
      origin: { kind: 'system' as const, template: 'confirm_membership', data: { list: { name: 'News' }, list_id: 1 } },
      transactional: true,
      dueAt: server.clock.now(),
    };
    const queue = () => server.app.db.tx((tx) => queueMessages(tx, shop.company_id, [message], server.clock.now()));
    expect([await queue(), await queue()]).toEqual([1, 0]);
    await sender().runOnce();
    await queue();
    expect(await sender().runOnce()).toBe(0);
  });

  test('waits for its time', async () => {
    const shop = await server.company();
    const dueAt = new Date(server.clock.now().getTime() + 60_000);
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)], { dueAt });
    expect(await sender().runOnce()).toBe(0);
    expect(await sender().nextDue(server.clock.now())).toEqual(dueAt);
    server.clock.advance(60_000);
    expect(await sender().runOnce()).toBe(1);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('of an SMS step goes to the number', async () => {
    const shop = await server.company({ name: 'Tea & Coffee House' });
    const contact = await contactOf(server, shop, { phone: '+4930123456' });
    const { ids } = await flowMessages(server, shop, [contact], {
      channel: 'sms',
      step: { content: 'Hi {{ contact.first_name }} & {{ event.order_id }}' },
    });
    await sender().runOnce();
    const { body } = await shop.marketing('GET', `/mailbox/${ids[0]}`);
    expect(body).toMatchObject({ channel: 'sms', from: 'Tea Coffee', to: '+4930123456', html: null });
    expect(body.text).toBe(`Hi Ann & o${contact}`);
  });
});

describe('templates that cannot be rendered', () => {
  test.each([
    ['a syntax error', { ...STEP, content: '{% if x %}never closed' }, /if/],
    ['an unknown filter', { ...STEP, subject: '{{ contact.email | shell }}' }, /shell/],
    ['endless work', { ...STEP, content: '{% for i in (1..100000000) %}x{% endfor %}' }, /too/],
    ['no content', { subject: 'x' }, /no content/],
    ['no subject', { content: 'x' }, /no subject/],
    ['a missing template', { template_id: 999_999 }, /no template/],
    ['a sender that is no address', { ...STEP, from: 'nobody' }, /from/],
  ])('%s fails its message alone', async (_name, step, reason) => {
    const shop = await server.company();
    const poison = await flowMessages(server, shop, [await contactOf(server, shop)], { step });
    const healthy = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await sender().runOnce();
    const [bad] = await ledgerOf(server, poison.ids);
    expect(bad).toMatchObject({ status: 'failed' });
    expect(bad!.reason).toMatch(reason);
    expect(await ledgerOf(server, healthy.ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('a line break in a subject stays inside it', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { first_name: 'Ann\r\nBcc: all@example.com' });
    const { ids } = await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    expect((await shop.marketing('GET', `/mailbox/${ids[0]}`)).body.subject).toBe('Hello Ann Bcc: all@example.com');
  });
});

describe('a worker that dies', () => {
  test('after its claim: the message is sent by the next one, once', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    const [dead] = await claimAndDie(shop.company_id);
    expect(await takeBackExpired(server.app.db, server.clock.now())).toBe(1);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
    // The dead worker wakes and continues, but its claim has ended.
    const late = [{ id: dead!.id, epoch: dead!.epoch, recipient: 'ann@example.net', transport: 'smtp' }];
    const { db } = server.app;
    const now = server.clock.now();
    expect(await db.tx((tx) => handOverMessages(tx, shop.company_id, late, now))).toEqual(new Set());
    const settled = [{ id: dead!.id, epoch: dead!.epoch, status: 'failed' as const }];
    expect(await settleMessages(db, shop.company_id, settled, now)).toEqual(new Set());
    expect(await mails(ids)).toBe(1);
  });

  test('is known by its claims running out within 30 s, which one that lives renews, and only its own', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    const claimed = await claimAndDie(shop.company_id);
    const secondsLeft = async () => {
      const [row] = await server.rows<{ left: number }>(
        'select extract(epoch from lease_until - now())::float as left from message_claims where message_id = any($1)',
        [ids],
      );
      return row!.left;
    };
    await renewClaims(
      server.app.db,
      shop.company_id,
      claimed.map((message) => ({ ...message, epoch: message.epoch - 1 })),
    );
    expect(await secondsLeft()).toBeLessThan(0);
    await renewClaims(server.app.db, shop.company_id, claimed);
    expect(await secondsLeft()).toBeGreaterThan(20);
    expect(await secondsLeft()).toBeLessThanOrEqual(30);
    await server.rows('delete from message_claims where message_id = any($1)', [ids]);
  });

  test('is noticed also while a set of others waits', async () => {
    const shop = await server.company();
    const [held, dead] = [await contactOf(server, shop), await contactOf(server, shop)];
    await flowMessages(server, shop, [held]);
    const claimsOf = async (contact: number): Promise<number> => {
      const rows = await server.rows(
        'select 1 from message_claims c join messages m on m.id = c.message_id where m.contact_id = $1',
        [contact],
      );
      return rows.length;
    };
    let running: Promise<number> | undefined;
    await server.app.db.tx(async (tx) => {
      await tx.query(sql`select id from contacts where company_id = ${shop.company_id} and id = ${held} for update`);
      running = sender().runOnce();
      await expect.poll(() => claimsOf(held)).toBe(1);
      await flowMessages(server, shop, [dead]);
      await claimAndDie(shop.company_id);
      await expect.poll(() => claimsOf(dead)).toBe(0);
      expect(await claimsOf(held)).toBe(1);
    });
    await running;
  });

  test('during a hand-over: unknown, never sent again but by a person', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await claimAndDie(shop.company_id, { handOver: true });
    await takeBackExpired(server.app.db, server.clock.now());
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'unknown', reason: 'hand_over_interrupted' }]);
    expect(await mails(ids)).toBe(0);

    expect((await shop.marketing('GET', '/messages?status=unknown')).body).toMatchObject({
      messages: [{ message_id: ids[0], status: 'unknown' }],
      pagination: { total: 1 },
    });
    expect((await shop.marketing('POST', `/messages/retry/${ids[0]}`)).body).toMatchObject({ status: 'queued' });
    await sender().runOnce();
    expect(await mails(ids)).toBe(1);
    expect((await shop.marketing('POST', `/messages/retry/${ids[0]}`)).status).toBe(400);
  });

  test('during a hand-over: a person may take it as sent', async () => {
    const shop = await server.company();
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await claimAndDie(shop.company_id, { handOver: true });
    await takeBackExpired(server.app.db, server.clock.now());
    const marked = await shop.marketing('POST', `/messages/mark-sent/${ids[0]}`);
    expect(marked.body).toMatchObject({ status: 'sent', reason: 'marked_sent' });
    expect((await shop.marketing('GET', '/messages?status=unknown')).body.pagination.total).toBe(0);
    await shop.marketing('POST', `/messages/mark-sent/${ids[0]}`);
    expect(await sentOf(shop, flowId)).toEqual([1, 1]);
  });

  test('during a hand-over: an open proves that the message was sent', async () => {
    const shop = await server.company();
    const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await claimAndDie(shop.company_id, { handOver: true });
    await takeBackExpired(server.app.db, server.clock.now());
    for (const type of ['opened', 'clicked'] as const) {
      const activities = [{ messageId: ids[0]!, type }];
      await server.app.db.tx((tx) => insertActivity(tx, shop.company_id, activities, server.clock.now()));
    }
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', reason: 'noticed' }]);
    expect(await sentOf(shop, flowId)).toEqual([1, 1]);
  });

  test('during a hand-over to the mailbox: it is tried again, and there is one mail', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await claimAndDie(shop.company_id, { handOver: true, transport: 'mailbox' });
    await takeBackExpired(server.app.db, server.clock.now());
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
    expect(await mails(ids)).toBe(1);
  });
});

describe('many', () => {
  test('are claimed exactly once by concurrent processes', async () => {
    const shop = await server.company();
    const contacts = await Promise.all(Array.from({ length: 40 }, () => contactOf(server, shop)));
    const { ids } = await flowMessages(server, shop, contacts);
    const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
    const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const };
    const sets = await Promise.all(Array.from({ length: 5 }, () => createClaims(server.app.db).take(work, claim)));
    expect(sets.map((set) => set.length).sort()).toEqual([0, 10, 10, 10, 10]);
    expect(sets.flatMap((set) => set.map(({ id }) => id)).sort((a, b) => a - b)).toEqual(ids);
    await server.rows('delete from messages where id = any($1)', [ids]);
    await server.rows('delete from message_claims where message_id = any($1)', [ids]);
  });

  test('of a campaign are claimed from where the last batch ended; returned ones follow at the end', async () => {
    const shop = await server.company();
    const [list] = await server.rows<{ id: number }>(
      `insert into campaigns (company_id, name, type, status, created_at, updated_at)
       values ($1, 'Walk', 'email', 'sending', now(), now()) returning id::int`,
      [shop.company_id],
    );
    const ids = await server.rows<{ id: number }>(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id, created_at)
       select $1, 'c:walk:' || n, 'email', false, 2, n, $3, 'campaign', $2, $3 from generate_series(1, 5) n returning id::int`,
      [shop.company_id, list!.id, server.clock.now()],
    );
    const { db } = server.app;
    const claims = createClaims(db);
    const work = { company_id: shop.company_id, lane: 2 as const, campaign_id: list!.id };
    const take = async () =>
      (await claims.take(work, { now: server.clock.now(), limit: 2, channels: ['email'] })).map(({ id, epoch }) => ({
        id,
        epoch,
      }));
    const first = await take();
    const back = { ...first[0]!, status: 'queued' as const };
    await settleMessages(db, shop.company_id, [back], server.clock.now());
    const taken = [await take(), await take(), await take(), await take()].map((set) => set.map(({ id }) => id));
    const [a, b, c, d, e] = ids.map(({ id }) => id);
    expect(first.map(({ id }) => id)).toEqual([a, b]);
    expect(taken).toEqual([[c, d], [e], [a], []]);
    await server.rows('delete from messages where campaign_id = $1', [list!.id]);
    await server.rows('delete from message_claims where company_id = $1', [shop.company_id]);
  });

  test('two senders on one database send each message once', async () => {
    const shop = await server.company();
    const contacts = await Promise.all(Array.from({ length: 300 }, () => contactOf(server, shop)));
    const { ids } = await flowMessages(server, shop, contacts);
    const other = server.app.messaging.createWorker();
    const [one, two] = await Promise.all([sender().runOnce(), other.runOnce()]);
    expect(one + two).toBe(300);
    const rows = await ledgerOf(server, ids);
    expect(rows.every((row) => row.status === 'sent' && row.attempts === 1)).toBe(true);
    expect(await mails(ids)).toBe(300);
    expect((await shop.marketing('GET', '/messages?status=sent')).body.pagination.total).toBe(300);
  });

  test('an acknowledged unsubscription is never followed by a mail', async () => {
    const shop = await server.company();
    const contacts = await Promise.all(Array.from({ length: 200 }, () => contactOf(server, shop)));
    const { ids } = await flowMessages(server, shop, contacts);
    const acknowledgedAt = new Map<number, number>();
    const leaving = contacts.map(async (contact) => {
      const leave = () => shop.marketing('POST', `/contacts/unsubscribe/${contact}`, {});
      let response = await leave();
      // On a busy machine a request may have to be sent again: nothing is acknowledged until then.
      while (response.status === 429) response = await leave();
      expect(response.status).toBe(200);
      // Anything handed over from here on was handed over after the response.
      const rows = await server.rows<{ n: number }>(
        "select count(*)::int as n from ledger where contact_id = $1 and status in ('handing_over', 'sent')",
        [contact],
      );
      acknowledgedAt.set(contact, rows[0]!.n);
    });
    await Promise.all([sender().runOnce(), ...leaving]);
    const rows = await server.rows<{ contact_id: number; status: string; reason: string | null }>(
      'select contact_id::int, status, reason from messages where id = any($1)',
      [ids],
    );
    for (const { contact_id, status, reason } of rows) {
      if (acknowledgedAt.get(contact_id) === 0)
        expect({ status, reason }).toEqual({ status: 'skipped', reason: 'unsubscribed' });
      else expect(status).toBe('sent');
    }
  });
});

describe('a set is shared out', () => {
  const place = (company_id: number, lane: 0 | 1 | 2) => ({
    company_id,
    lane,
    campaign_id: lane === 2 ? company_id : null,
  });

  test('to the first lane that has something due; the others get a little, so that none starves', () => {
    const shares = shareOut([place(1, 0), place(1, 1), place(1, 2)], 500);
    expect(shares.map(({ work, limit }) => [work.lane, limit])).toEqual([
      [0, 500],
      [1, 50],
      [2, 50],
    ]);
  });

  test('evenly between the companies of a lane', () => {
    const shares = shareOut([place(1, 1), place(2, 1), place(3, 1)], 500);
    expect(shares.map(({ work, limit }) => [work.company_id, limit])).toEqual([
      [1, 167],
      [2, 167],
      [3, 167],
    ]);
  });
});
