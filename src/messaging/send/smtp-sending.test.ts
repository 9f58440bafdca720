import { afterAll, describe, expect, test, vi } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startSmtpSink } from './transports/smtp-sink.ts';

const sink = await startSmtpSink();
afterAll(() => sink.close());
const server = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off` } });

const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
const storedFor = (address: string) => sink.stored.filter((mail) => mail.to === address);
const statusOf = async (contact: number) =>
  (await server.rows<{ status: string }>('select status from contacts where id = $1', [contact]))[0]!.status;

describe('handed to an SMTP server', () => {
  test.each([
    ['ok', { status: 'sent', reply: '250 2.0.0 Queued' }, 1, 'subscribed'],
    ['slow', { status: 'sent' }, 1, 'subscribed'],
    ['store-then-close', { status: 'unknown' }, 1, 'subscribed'],
    // A short mail has been sent completely, including its final dot, before the closed connection is noticed.
    ['close-before-dot', { status: 'unknown' }, 0, 'subscribed'],
    ['refuse-later-after-dot', { status: 'queued', reason: 'retry_service', attempts: 1 }, 0, 'subscribed'],
    ['refuse-after-dot', { status: 'failed', reason: 'refused_message' }, 0, 'subscribed'],
    ['refuse-recipient', { status: 'failed', reason: 'refused_recipient' }, 0, 'bounced'],
    ['defer-recipient', { status: 'queued', reason: 'retry_recipient', attempts: 1 }, 0, 'subscribed'],
    ['block-recipient', { status: 'failed', reason: 'refused_message' }, 0, 'subscribed'],
    ['greylist', { status: 'queued', reason: 'retry_domain', attempts: 1 }, 0, 'subscribed'],
  ])('%s', async (mode, row, stored, status) => {
    const shop = await server.company();
    const address = `${mode}@s${shop.company_id}.example.net`;
    const contact = await contactOf(server, shop, { email: address });
    const { ids } = await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([row]);
    expect(storedFor(address)).toHaveLength(stored);
    expect(await statusOf(contact)).toBe(status);
    // Another run finds nothing due yet, and never repeats what is settled or unknown.
    await sender().runOnce();
    expect(storedFor(address)).toHaveLength(stored);
  });

  test('greylisting of one domain defers only that domain', async () => {
    const shop = await server.company();
    const other = await server.company();
    const at = async (name: string, domain: string, of = shop) => {
      const contact = await contactOf(server, of, { email: `${name}@${domain}${shop.company_id}.example.net` });
      return (await flowMessages(server, of, [contact])).ids[0]!;
    };
    const grey = [];
    for (let i = 0; i < 8; i += 1) grey.push(await at(`greylist-${i}`, 'grey'));
    while ((await sender().runOnce()) > 0);
    const tried = await ledgerOf(server, grey);
    expect(tried.every(({ status, reason }) => status === 'queued' && reason === 'retry_domain')).toBe(true);

    const compose = vi.spyOn(server.app.messaging.composer, 'compose');
    const late = [await at('ok-late', 'grey'), await at('ok-well', 'well'), await at('ok-theirs', 'grey', other)];
    while ((await sender().runOnce()) > 0);
    expect(await ledgerOf(server, late)).toMatchObject([
      { status: 'queued', reason: 'retry_domain', attempts: 0 },
      { status: 'sent' },
      { status: 'sent' },
    ]);
    expect(compose.mock.calls.flatMap(([, some]) => some.map(({ id }) => id))).not.toContain(late[0]);
    vi.restoreAllMocks();

    // If these were deferred again, the domain could be in a back-off before its turn.
    await server.rows("update messages set status = 'skipped' where id = any($1)", [grey]);
    server.clock.advance(16 * 60_000);
    while ((await sender().runOnce()) > 0);
    expect(await ledgerOf(server, [late[0]!])).toMatchObject([{ status: 'sent' }]);
  });

  test('an unknown one is never sent again automatically', async () => {
    const shop = await server.company();
    const address = `store-then-close@again${shop.company_id}.example.net`;
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop, { email: address })]);
    await sender().runOnce();
    server.clock.advance(30 * 86_400_000);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'unknown' }]);
    expect(storedFor(address)).toHaveLength(1);
  });

  test('a message that is deferred again and again is given up; the fifth such one bounces the contact', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: `defer-recipient@s${shop.company_id}.example.net` });
    await server.rows('insert into soft_bounces values ($1, $2, 4, now())', [shop.company_id, contact]);
    const { ids } = await flowMessages(server, shop, [contact], { transactional: true });
    for (let attempt = 0; attempt < 8; attempt++) {
      await sender().runOnce();
      server.clock.advance(3 * 3_600_000);
    }
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'failed', reason: 'gave_up_recipient', attempts: 8 }]);
    expect(await statusOf(contact)).toBe('bounced');
  });

  test('a delivery forgets the refusals before it', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: `ok@forget${shop.company_id}.example.net` });
    await server.rows('insert into soft_bounces values ($1, $2, 4, now())', [shop.company_id, contact]);
    await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    expect(await server.rows('select 1 from soft_bounces where contact_id = $1', [contact])).toEqual([]);
  });

  test('after a bounce nothing more goes out, not even a receipt', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop, { email: `refuse-recipient@s${shop.company_id}.example.net` });
    await flowMessages(server, shop, [contact]);
    await sender().runOnce();
    const { ids } = await flowMessages(server, shop, [contact], { transactional: true });
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'bounced' }]);
  });

  test('the bytes carry both parts, the one-click headers and a Message-ID that stays', async () => {
    const shop = await server.company();
    const address = `ok@bytes${shop.company_id}.example.net`;
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop, { email: address })]);
    await sender().runOnce();
    const { raw } = storedFor(address)[0]!;
    expect(raw).toMatch(
      new RegExp(`^Message-ID: <m${ids[0]}\\.c${shop.company_id}\\.[0-9a-z]+@tradeloom\\.example>`, 'm'),
    );
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(raw).toMatch(/Content-Type: text\/plain[\s\S]+Content-Type: text\/html/);
  });
});

describe('a campaign in batches', () => {
  const together = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off&connections=2&batch=5` } });

  test('each message gets its own reply', async () => {
    const shop = await together.company();
    const modes = ['refuse-recipient', 'refuse-later-after-dot', 'store-then-close', 'refuse-after-dot'];
    const names = [...Array.from({ length: 12 }, (_, n) => `ok-${n}`), ...modes];
    const contacts = await Promise.all(
      names.map((name) => contactOf(together, shop, { email: `${name}@b${shop.company_id}.example.net` })),
    );
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
    const campaign = { name: 'Spring', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id };
    const { body: made } = await shop.marketing('POST', '/campaigns', campaign);
    await shop.marketing('POST', `/campaigns/send/${made.campaign_id}`);
    for (const name of ['campaigns', 'sender']) {
      await together.app.workers.find((worker) => worker.name === name)!.runOnce();
    }
    const rows = await together.rows<{ name: string; status: string; reason: string | null }>(
      `select split_part(c.email, '@', 1) as name, m.status, m.reason from messages m
       join contacts c on c.company_id = m.company_id and c.id = m.contact_id where m.campaign_id = $1`,
      [made.campaign_id],
    );
    const outcome = new Map(
      rows.map(({ name, status, reason }) => [name, reason === null ? status : `${status} ${reason}`]),
    );
    expect(names.slice(0, 12).map((name) => outcome.get(name))).toEqual(names.slice(0, 12).map(() => 'sent'));
    expect(outcome.get('refuse-recipient')).toBe('failed refused_recipient');
    expect(outcome.get('refuse-later-after-dot')).toBe('queued retry_service');
    expect(outcome.get('store-then-close')).toMatch(/^unknown no reply after the message/);
    expect(outcome.get('refuse-after-dot')).toBe('failed refused_message');
    const stored = sink.stored.filter(({ to }) => to.endsWith(`@b${shop.company_id}.example.net`)).map(({ to }) => to);
    expect(stored).toHaveLength(13);
    expect(new Set(stored).size).toBe(13);
  });
});
