import { describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { pauseAboveLimits } from './pausing.ts';

const server = testServer();
const HOUR = 3_600_000;
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

/** Runs the chore of one process. */
function pausing(): Promise<number> {
  const { app } = server;
  return pauseAboveLimits({ ...app, ...app.messaging, db: app.db.chores, limits: app.config.sendingLimits });
}

/** Counts e-mails as if they had been sent `daysAgo` days ago. */
async function count(shop: TestCompany, totals: Record<string, number>, daysAgo = 0): Promise<void> {
  const day = new Date(server.clock.now().getTime() - daysAgo * 24 * HOUR).toISOString().slice(0, 10);
  for (const [key, n] of Object.entries(totals)) {
    await server.rows(
      `insert into counter_deltas (company_id, counter, day, key, n) values ($1, 'marketing-days', $2, $3, $4)`,
      [shop.company_id, day, `${key}:email`, n],
    );
  }
}

const ABOVE = { sent: 2_000, complained: 7 };
const read = async (shop: TestCompany) => (await shop.marketing('GET', '/deliverability')).body;
const resume = (shop: TestCompany) => shop.marketing('POST', '/deliverability/resume');

async function campaignOf(shop: TestCompany, fields: object = {}): Promise<number> {
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id, ...fields };
  return (await shop.marketing('POST', '/campaigns', campaign)).body.campaign_id;
}
const campaign = async (shop: TestCompany, id: number) => (await shop.marketing('GET', `/campaigns/${id}`)).body;

describe('marketing e-mail of a company', () => {
  test.each([
    ['0.3 % complaints are not above the limit', { sent: 2_000, complained: 6 }, 'warning', 'complaint_rate'],
    ['more are', ABOVE, 'paused', 'complaint_rate'],
    ['complaints count of the delivered', { sent: 2_000, bounced: 90, complained: 6 }, 'paused', 'complaint_rate'],
    ['5 % hard bounces are not above the limit', { sent: 1_900, refused: 100 }, 'warning', 'bounce_rate'],
    ['reported and refused ones together are', { sent: 1_950, refused: 50, bounced: 51 }, 'paused', 'bounce_rate'],
    ['half of a limit is no warning', { sent: 2_000, complained: 2, bounced: 50 }, 'ok', null],
    ['fewer than 1,000 e-mails say nothing', { sent: 999, complained: 500, bounced: 400 }, 'ok', null],
    ['nothing was sent', {}, 'ok', null],
  ])('%s', async (_, totals, state, reason) => {
    const shop = await server.company();
    await count(shop, totals);
    await pausing();
    expect(await read(shop)).toMatchObject({ state, reason });
  });

  test('is measured over seven days', async () => {
    const shop = await server.company();
    await count(shop, ABOVE, 7);
    await count(shop, { sent: 2_000 }, 3);
    await pausing();
    expect(await read(shop)).toMatchObject({ state: 'ok', sent: 2_000, complained: 0 });
    await count(shop, { complained: 7 }, 6);
    await pausing();
    expect(await read(shop)).toMatchObject({ state: 'paused', complaint_rate: 0.0035 });
  });

  test('is paused once by two processes, only for that company, and its members are notified once', async () => {
    const [shop, other] = [await server.company({ name: 'Fernhill' }), await server.company()];
    const person = await testPerson(server, { [shop.company_id]: 'marketer' });
    await testPerson(server, { [shop.company_id]: 'fulfilment' });
    await testPerson(server, { [other.company_id]: 'owner' });
    await count(shop, ABOVE);
    await count(other, { sent: 2_000, complained: 5 });
    expect((await Promise.all([pausing(), pausing()])).reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(await pausing()).toBe(0);
    expect((await read(other)).state).toBe('warning');
    const entries = await server.rows<{ actor: string; details: object }>(
      "select actor, details from audit_log where company_id = $1 and action = 'marketing_email.pause'",
      [shop.company_id],
    );
    expect(entries).toMatchObject([
      {
        actor: 'program',
        details: { reason: 'complaint_rate', rate: 0.0035, limit: 0.003, sent: 2_000, complained: 7 },
      },
    ]);
    await settle();
    const { body } = await shop.marketing('GET', '/mailbox');
    expect(body.messages.map((mail: { to: string; subject: string }) => [mail.to, mail.subject])).toEqual([
      [person.email, 'Marketing e-mail of Fernhill is paused'],
    ]);
    const { body: mail } = await shop.marketing('GET', `/mailbox/${body.messages[0].id}`);
    expect(mail.html).toContain(`/admin/${shop.company_id}/settings/deliverability`);
    expect(mail.html).toContain('0.35%');
    const attention = await person.ask('GET', `/${shop.company_id}/overview/attention`);
    expect(attention.body).toContainEqual({ kind: 'marketing_paused', count: 1, hint: null });
  });

  test('waits while it is paused: campaigns and flows, not receipts; resuming sends it', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop);
    const scheduled_at = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const [begun, coming, sms] = [
      await campaignOf(shop),
      await campaignOf(shop, { scheduled_at }),
      await campaignOf(shop, { type: 'sms', subject: undefined }),
    ];
    await shop.marketing('POST', `/campaigns/send/${begun}`);
    await shop.marketing('POST', `/campaigns/send/${sms}`);
    await count(shop, ABOVE);
    await pausing();
    const paused = { status: 'paused', reason: 'complaint_rate' };
    expect(await campaign(shop, begun)).toMatchObject(paused);
    expect((await campaign(shop, sms)).status).toBe('sending');
    const marketing = await flowMessages(server, shop, [contact]);
    const receipts = await flowMessages(server, shop, [contact], { transactional: true });
    server.clock.advance(2 * HOUR);
    await settle();
    expect(await ledgerOf(server, [...marketing.ids, ...receipts.ids])).toMatchObject([
      { status: 'queued', reason: 'held: marketing_paused' },
      { status: 'sent' },
    ]);
    expect(await campaign(shop, coming)).toMatchObject(paused);
    for (const path of [`/campaigns/resume/${begun}`, `/campaigns/send/${await campaignOf(shop)}`]) {
      const refused = await shop.marketing('POST', path);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('complaints')]);
    }
    expect((await resume(shop)).body).toMatchObject({ state: 'ok', sent: expect.any(Number), complained: 0 });
    await released();
    expect(await ledgerOf(server, marketing.ids)).toMatchObject([{ status: 'sent' }]);
    for (const id of [begun, coming]) {
      expect(await campaign(shop, id)).toMatchObject({ status: 'sent', reason: null, counts: { sent: 1 } });
    }
  });

  test('that waited for too long is skipped when it is resumed', async () => {
    const shop = await server.company();
    await count(shop, ABOVE);
    await pausing();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await settle();
    server.clock.advance(25 * HOUR);
    await resume(shop);
    await released();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'too_late' }]);
  });

  test('is measured from zero after it is resumed, and paused again above the limit', async () => {
    const shop = await server.company();
    await count(shop, ABOVE);
    await pausing();
    await resume(shop);
    expect((await resume(shop)).body.state).toBe('ok');
    expect(await pausing()).toBe(0);
    expect(await read(shop)).toMatchObject({ state: 'ok', sent: 0, complained: 0 });
    await count(shop, { sent: 900, complained: 9 });
    expect(await pausing()).toBe(0);
    await count(shop, { sent: 100 });
    expect(await pausing()).toBe(1);
    expect(await read(shop)).toMatchObject({ state: 'paused', sent: 1_000, complained: 9 });
    const entries = await server.rows<{ action: string }>(
      "select action from audit_log where company_id = $1 and target = 'deliverability' order by id",
      [shop.company_id],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'marketing_email.pause',
      'marketing_email.resume',
      'marketing_email.pause',
    ]);
    await resume(shop);
    server.clock.advance(2 * 24 * HOUR);
    await count(shop, ABOVE);
    expect(await pausing()).toBe(1);
  });

  test('has limits that a company makes stricter, never looser', async () => {
    const shop = await server.company();
    const change = (body: object) => shop.marketing('PATCH', '/sending-settings', body);
    for (const looser of [{ max_complaint_rate: 0.0031 }, { max_bounce_rate: 0.06 }]) {
      expect((await change(looser)).status).toBe(400);
    }
    expect((await change({ max_complaint_rate: 0.001 })).body).toMatchObject({
      max_complaint_rate: 0.001,
      max_bounce_rate: null,
    });
    expect((await read(shop)).limits).toEqual({ bounce_rate: 0.05, complaint_rate: 0.001, least_messages: 1_000 });
    await count(shop, { sent: 2_000, complained: 3 });
    await pausing();
    expect(await read(shop)).toMatchObject({ state: 'paused', reason: 'complaint_rate' });
  });
});

/** Runs a fresh process, which looks for held messages immediately. */
async function released(): Promise<void> {
  const sender = server.app.messaging.createWorker();
  while ((await sender.runOnce()) + (await worker('campaigns').runOnce()) > 0);
  await sender.stop();
}
