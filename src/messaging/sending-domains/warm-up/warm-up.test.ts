import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { createClaims } from '../../send/claim.ts';
import { settleAndHandOver } from '../../send/deliver.ts';
import { contactOf, flowMessages, handOverDeps, ledgerOf } from '../../testing/sending.ts';

const server = testServer();
const DAY = 24 * 3_600_000;
const campaigns = () => server.app.workers.find((one) => one.name === 'campaigns')!;

/** Runs two processes at once, each with its own memory, until nothing is left to send. */
async function send(): Promise<void> {
  const senders = [server.app.messaging.createWorker(), server.app.messaging.createWorker()];
  for (let done = 1; done > 0; ) {
    const turns = await Promise.all([campaigns(), ...senders].map((worker) => worker.runOnce()));
    done = turns.reduce((sum, n) => sum + n, 0);
  }
  await Promise.all(senders.map((sender) => sender.stop()));
}

const dayOf = (days: number): string => new Date(server.clock.now().getTime() + days * DAY).toISOString().slice(0, 10);

async function shopWith(plan: object | null): Promise<{ shop: TestCompany; domain: number }> {
  const shop = await server.company({ timeZone: 'UTC' });
  await shop.marketing('PATCH', '/sending-settings', { from_email: 'hi@news.warm.example' });
  const { body } = await shop.marketing('POST', '/sending-domains', { domain: 'warm.example' });
  const changed = await shop.marketing('PATCH', `/sending-domains/${body.domain_id}`, { warm_up: plan });
  expect(changed.status).toBe(200);
  return { shop, domain: body.domain_id };
}
const threeDays = () => ({ starts_on: dayOf(0), ends_on: dayOf(2), messages: 3, growth: 2 });

/** A campaign to `n` contacts that is being sent. */
async function campaignTo(shop: TestCompany, n: number, fields: object = {}): Promise<number> {
  const contacts = await Promise.all(Array.from({ length: n }, () => contactOf(server, shop)));
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id, ...fields };
  const { body } = await shop.marketing('POST', '/campaigns', campaign);
  await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  return body.campaign_id;
}
const read = async (shop: TestCompany, id: number) => (await shop.marketing('GET', `/campaigns/${id}`)).body;

beforeEach(() => server.clock.set('2026-03-02T10:00:00Z'));

describe('a sending domain that is warmed up', () => {
  test('hands over exactly what each day allows, by two senders at once; another company is not held up', async () => {
    const [{ shop, domain }, { shop: other }] = [await shopWith(threeDays()), await shopWith(null)];
    const id = await campaignTo(shop, 40);
    const free = await campaignTo(other, 40);
    await send();
    expect(await read(other, free)).toMatchObject({ status: 'sent', counts: { sent: 40 } });
    const today = { domain: 'warm.example', today: 3, handed_over_today: 3, completes_on: dayOf(3) };
    expect(await read(shop, id)).toMatchObject({ status: 'sending', counts: { sent: 3, queued: 37 }, warm_up: today });
    await send();
    expect((await read(shop, id)).counts.sent).toBe(3);
    for (const sent of [3 + 6, 3 + 6 + 12]) {
      server.clock.advance(DAY);
      await send();
      expect((await read(shop, id)).counts.sent).toBe(sent);
    }
    const { body } = await shop.marketing('GET', `/sending-domains/${domain}`);
    expect(body.warm_up.days.map(({ handed_over }: { handed_over: number }) => handed_over)).toEqual([3, 6, 12]);
    server.clock.advance(DAY);
    await send();
    expect(await read(shop, id)).toMatchObject({ status: 'sent', counts: { sent: 40 } });
    expect(await read(shop, id)).not.toHaveProperty('warm_up');
  });

  test('counts campaigns and flows together; receipts are neither counted nor held up', async () => {
    const { shop } = await shopWith(threeDays());
    const contact = await contactOf(server, shop);
    const marketing = await flowMessages(server, shop, [contact, contact, contact, contact]);
    const receipts = await flowMessages(server, shop, [contact, contact], { transactional: true });
    await send();
    const rows = await ledgerOf(server, marketing.ids);
    expect(rows.map(({ status }) => status).sort()).toEqual(['queued', 'sent', 'sent', 'sent']);
    expect(rows.find(({ status }) => status === 'queued')).toMatchObject({
      reason: 'warm_up',
      attempts: 0,
      due_at: new Date('2026-03-03T00:00:00Z'),
    });
    expect((await ledgerOf(server, receipts.ids)).map(({ status }) => status)).toEqual(['sent', 'sent']);
    const id = await campaignTo(shop, 2);
    await send();
    expect((await read(shop, id)).counts.sent).toBe(0);
    // While it waits for its day it is not late, whatever limit the company sets.
    await shop.marketing('PATCH', '/sending-settings', { max_lateness_hours: 1 });
    server.clock.set('2026-03-03T00:10:00Z');
    await send();
    expect((await ledgerOf(server, marketing.ids)).map(({ status }) => status)).toEqual(Array(4).fill('sent'));
    expect(await read(shop, id)).toMatchObject({ status: 'sent', counts: { sent: 2 } });
  });

  test('counts messages that a killed process had handed over', async () => {
    const { shop } = await shopWith(threeDays());
    const id = await campaignTo(shop, 10);
    await campaigns().runOnce();
    const { db, messaging } = server.app;
    const work = { company_id: shop.company_id, lane: 2 as const, campaign_id: id };
    const claim = { now: server.clock.now(), limit: 5, channels: ['email'] as const };
    const claimed = await createClaims(db).take(work, claim);
    expect(claimed).toHaveLength(5);
    const company = await messaging.companies.get(shop.company_id);
    const addresses = await server.rows<{ id: string; email: string }>(
      'select id, email from contacts where company_id = $1',
      [shop.company_id],
    );
    const emailOf = new Map(addresses.map((contact) => [Number(contact.id), contact.email]));
    const ready = claimed.map((message) => {
      const to = emailOf.get(message.contactId!)!;
      const ledger = { companyId: message.companyId, messageId: message.id, contactId: message.contactId };
      const raw = async (): Promise<Buffer> => Buffer.alloc(0);
      const outgoing = {
        channel: 'email' as const,
        id: `${message.id}`,
        ledger,
        from: company.from_email,
        to,
        content: null,
        raw,
      };
      return { message, outgoing, transport: 'smtp' };
    });
    const given = { delivered: [], ready };
    const going = await settleAndHandOver(handOverDeps(server), company, given, server.clock.now());
    expect(going.size).toBe(3);
    await server.rows("update message_claims set lease_until = now() - interval '1 second' where company_id = $1", [
      shop.company_id,
    ]);
    await send();
    expect((await read(shop, id)).counts).toMatchObject({ unknown: 3, sent: 0, queued: 7 });
    server.clock.advance(DAY);
    await send();
    expect((await read(shop, id)).counts).toMatchObject({ unknown: 3, sent: 6 });
  });

  test('a campaign with two senders waits with the messages of that domain alone', async () => {
    const { shop } = await shopWith({ ...threeDays(), messages: 1 });
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, from: 'hi@other.example' },
    ];
    const id = await campaignTo(shop, 30, { variants });
    await send();
    const rows = await server.rows<{ variant: string; status: string; reason: string | null; n: number }>(
      `select variant, status, reason, count(*)::int as n from messages where campaign_id = $1 group by 1, 2, 3 order by 1, 2`,
      [id],
    );
    expect(rows.filter(({ variant }) => variant === 'b').map(({ status }) => status)).toEqual(['sent']);
    expect(rows.filter(({ variant }) => variant === 'a')).toMatchObject([
      { status: 'queued', reason: 'warm_up' },
      { status: 'sent', n: 1 },
    ]);
  });

  test('an ended plan sends everything, and a raised one its additional messages', async () => {
    const { shop, domain } = await shopWith({ ...threeDays(), messages: 1 });
    const id = await campaignTo(shop, 10);
    await send();
    expect((await read(shop, id)).counts.sent).toBe(1);
    const raised = { warm_up: { ...threeDays(), messages: 4 } };
    await shop.marketing('PATCH', `/sending-domains/${domain}`, raised);
    await send();
    expect((await read(shop, id)).counts.sent).toBe(4);
    await shop.marketing('PATCH', `/sending-domains/${domain}`, { warm_up: null });
    await send();
    expect((await read(shop, id)).status).toBe('sent');
  });

  test('is previewed, and an invalid plan is rejected', async () => {
    const { shop, domain } = await shopWith(null);
    const preview = (plan: object) => shop.marketing('POST', '/sending-domains/warm-up/preview', plan);
    const { body } = await preview({ starts_on: '2026-03-02', ends_on: '2026-03-04', messages: 50, growth: 1.5 });
    expect(body.days.map(({ messages }: { messages: number }) => messages)).toEqual([50, 75, 112]);
    for (const wrong of [{ ends_on: dayOf(-1) }, { ends_on: dayOf(180) }, { growth: 0.5 }, { messages: 0 }]) {
      const plan = { ...threeDays(), ...wrong };
      expect((await preview(plan)).status).toBe(400);
      expect((await shop.marketing('PATCH', `/sending-domains/${domain}`, { warm_up: plan })).status).toBe(400);
    }
    expect((await shop.marketing('GET', `/sending-domains/${domain}`)).body.warm_up).toBeNull();
  });
});
