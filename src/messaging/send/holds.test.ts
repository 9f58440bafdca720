import { afterAll, describe, expect, test, vi } from 'vitest';
import { createApp, type RunningApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';
import { tradeloom } from '../../testing/program.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startCountingSink } from '../testing/sink.ts';

/** Production, without the settings that sending needs. */
const server = testServer({ config: { mode: 'production', mailbox: false } });
const sink = await startCountingSink(() => 'store');
afterAll(() => sink.close());
const HOUR = 3_600_000;
const worker = (name: string, app = server.app) => app.workers.find((one) => one.name === name)!;
const settled = async (app = server.app) => {
  while ((await worker('campaigns', app).runOnce()) + (await worker('sender', app).runOnce()) > 0);
};

/** Runs the same installation after a restart with more settings. */
async function restarted<T>(config: Partial<Config>, work: (running: RunningApp) => Promise<T>): Promise<T> {
  const { clock, connection } = server;
  const running = await createApp({ config: { ...server.app.config, ...config }, clock, connection });
  try {
    return await work(running);
  } finally {
    await running.stop();
  }
}
const WHOLE = { smtpUrl: `smtp://127.0.0.1:${sink.port}`, smsUrl: null, publicUrl: 'https://shop.example' };

async function companyWithSender(name?: string): Promise<TestCompany> {
  const shop = await server.company({ name });
  await shop.marketing('PATCH', '/sending-settings', { from_email: 'hello@held.example' });
  return shop;
}

async function campaignOf(shop: TestCompany, fields: object = {}): Promise<number> {
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id, ...fields };
  return (await shop.marketing('POST', '/campaigns', campaign)).body.campaign_id;
}

describe('in production without a mail server', () => {
  test('flow messages and receipts are held, looked at once, and go when there is one', async () => {
    const shop = await companyWithSender();
    const contact = await contactOf(server, shop);
    const { ids } = await flowMessages(server, shop, [contact]);
    const { ids: receipts } = await flowMessages(server, shop, [contact], { transactional: true });
    const wanted = server.clock.now();
    const compose = vi.spyOn(server.app.messaging.composer, 'compose');
    await settled();
    const held = { status: 'queued', reason: 'held: no_transport', attempts: 0 };
    expect(await ledgerOf(server, [...ids, ...receipts])).toMatchObject([held, held]);
    const [claims] = await server.rows<{ last: string }>('select last_value as last from message_claims_epoch_seq');
    server.clock.advance(HOUR);
    await settled();
    expect(await server.rows('select last_value as last from message_claims_epoch_seq')).toEqual([claims]);
    expect(compose).not.toHaveBeenCalled();
    expect((await shop.marketing('GET', '/mailbox')).body.pagination.total).toBe(0);
    const { body: message } = await shop.marketing('GET', `/messages/${ids[0]}`);
    const due_at = wanted.toISOString().slice(0, 19).replace('T', ' ');
    expect(message).toMatchObject({ status: 'queued', reason: 'held: no_transport', due_at });

    await restarted(WHOLE, ({ app }) => settled(app));
    expect(await ledgerOf(server, [...ids, ...receipts])).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
    expect([...sink.stored.values()].reduce((sum, n) => sum + n, 0)).toBe(2);
  });

  test('a message that is too late by then is skipped: marketing after its own time, a receipt after three days', async () => {
    const shop = await companyWithSender();
    const contact = await contactOf(server, shop);
    const { ids } = await flowMessages(server, shop, [contact]);
    const { ids: receipts } = await flowMessages(server, shop, [contact], { transactional: true });
    await settled();
    server.clock.advance(25 * HOUR);
    const { ids: later } = await flowMessages(server, shop, [contact], { transactional: true });
    await settled();
    server.clock.advance(48 * HOUR);
    await restarted(WHOLE, ({ app }) => settled(app));
    const late = { status: 'skipped', reason: 'too_late' };
    expect(await ledgerOf(server, [...ids, ...receipts, ...later])).toMatchObject([late, late, { status: 'sent' }]);
  });

  test('a process without the setting leaves messages alone that another one sent or released', async () => {
    const shop = await companyWithSender();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await settled();
    const delivered = () => [...sink.stored.values()].reduce((sum, n) => sum + n, 0);
    const before = delivered();
    await restarted(WHOLE, ({ app }) => Promise.all([settled(app), settled()]));
    // If the process without one claimed the released message first, it is held again until the next release.
    await restarted(WHOLE, ({ app }) => settled(app));
    await settled();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
    expect(delivered()).toBe(before + 1);
  });

  test('SMS are held apart, until a provider is set', async () => {
    const shop = await companyWithSender();
    const contact = await contactOf(server, shop, { phone: '+4930123456' });
    const { ids } = await flowMessages(server, shop, [contact], { channel: 'sms', step: { content: 'Hi' } });
    await settled();
    await restarted(WHOLE, ({ app }) => settled(app));
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued', reason: 'held: no_transport' }]);
  });

  test('starting, testing and resuming a campaign is refused, and the error names the setting', async () => {
    const shop = await companyWithSender();
    const id = await campaignOf(shop);
    for (const [path, body] of [
      [`/campaigns/send/${id}`, {}],
      [`/campaigns/send/${id}`, { scheduled_at: new Date(server.clock.now().getTime() + HOUR).toISOString() }],
      [`/campaigns/test/${id}`, { recipients: ['ann@example.net'] }],
    ] as const) {
      const refused = await shop.marketing('POST', path, body);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/SMTP_URL/)]);
    }
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body.status).toBe('draft');
    await server.rows("update campaigns set status = 'sent', started_at = now(), recipients = 0 where id = $1", [id]);
    expect((await shop.marketing('POST', `/campaigns/retry/${id}`, {})).body.message).toMatch(/SMTP_URL/);
  });

  test('a scheduled campaign and one that was being sent are paused, and can be resumed by hand', async () => {
    const shop = await companyWithSender();
    const scheduled_at = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const coming = await campaignOf(shop, { scheduled_at });
    const begun = await campaignOf(shop);
    await restarted(WHOLE, async (running) => {
      const origin = await running.server.listen({ host: '127.0.0.1', port: 0 });
      const headers = { authorization: `Bearer ${shop.key}`, 'x-company-id': String(shop.company_id) };
      const started = await fetch(`${origin}/marketing/v1/campaigns/send/${begun}`, { method: 'POST', headers });
      expect(started.status).toBe(200);
      await worker('campaigns', running.app).runOnce();
    });
    server.clock.advance(2 * HOUR);
    await settled();
    for (const id of [coming, begun]) {
      const { body } = await shop.marketing('GET', `/campaigns/${id}`);
      expect(body).toMatchObject({ status: 'paused', reason: 'no_transport', counts: { sent: 0, failed: 0 } });
      const refused = await shop.marketing('POST', `/campaigns/resume/${id}`);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/SMTP_URL/)]);
    }
  });

  test('the admin app and the health page show held messages', async () => {
    const shop = await companyWithSender('Held');
    await flowMessages(server, shop, [await contactOf(server, shop)]);
    await settled();
    const person = await testPerson(server, { [shop.company_id]: 'viewer' });
    const attention = await person.ask('GET', `/${shop.company_id}/overview/attention`);
    expect(attention.body).toEqual([{ kind: 'messages_held', count: 1, hint: 'No mail server is set (SMTP_URL).' }]);
    const { body } = await restarted({}, async ({ server: fresh }) => {
      const response = await fresh.inject({ method: 'GET', url: '/health/ready' });
      return { body: response.json() };
    });
    expect(body.status).toBe('ok');
    expect(body.details).toContainEqual({ held: 'no_transport', setting: 'SMTP_URL', messages: expect.any(Number) });
    expect(body.details[0].messages).toBeGreaterThan(0);
  });

  test('the doctor says which setting they wait for', async () => {
    const shop = await companyWithSender();
    await flowMessages(server, shop, [await contactOf(server, shop)]);
    await settled();
    const { host, port, user, database } = server.connection;
    const url = `postgres:///${database}?host=${host}&user=${user}&port=${port}`;
    const env = { DATABASE_URL: url, TRADELOOM_DATA_DIR: server.app.config.dataDir };
    const { code, stdout } = await tradeloom(['doctor', '--json'], env);
    const { checks } = JSON.parse(stdout) as { checks: { id: string; examples: object[] }[] };
    expect([code, checks.find(({ id }) => id === 'sending.held')!.examples]).toEqual([
      1,
      expect.arrayContaining([
        { company_id: shop.company_id, subject: '1 messages are held: no_transport (SMTP_URL)' },
      ]),
    ]);
  });
});

describe('in production without a sender of the company', () => {
  test('e-mails of flows are held, until there is one; those of a step with a sender of its own are sent', async () => {
    const shop = await server.company();
    const contact = await contactOf(server, shop);
    const { ids: receipts } = await flowMessages(server, shop, [contact], { transactional: true });
    const { ids: marketing } = await flowMessages(server, shop, [contact]);
    const own = { subject: 'Thanks', content: '<p>Thanks</p>', from: 'Held <hello@held.example>' };
    const { ids: others } = await flowMessages(server, shop, [contact], { transactional: true, step: own });
    const held = { status: 'queued', reason: 'held: no_sender' };
    const ledger = () => ledgerOf(server, [...receipts, ...marketing, ...others]);
    await restarted(WHOLE, async ({ app }) => {
      await settled(app);
      expect(await ledger()).toMatchObject([held, held, { status: 'sent' }]);
      server.clock.advance(HOUR);
      await settled(app);
      expect(await ledger()).toMatchObject([held, held, { status: 'sent' }]);
    });
    const person = await testPerson(server, { [shop.company_id]: 'viewer' });
    const attention = await person.ask('GET', `/${shop.company_id}/overview/attention`);
    expect(attention.body).toMatchObject([
      { kind: 'messages_held', count: 2, hint: expect.stringMatching(/from_email/) },
    ]);
    await shop.marketing('PATCH', '/sending-settings', { from_email: 'hello@held.example' });
    await restarted(WHOLE, ({ app }) => settled(app));
    expect(await ledger()).toMatchObject([{ status: 'sent' }, { status: 'sent' }, { status: 'sent' }]);
  });

  test('the built-in mailbox takes them', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)], { transactional: true });
    await restarted({ mailbox: true, publicUrl: 'https://shop.example' }, ({ app }) => settled(app));
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });
});

describe('in production without an address that others reach', () => {
  const LOCAL = { ...WHOLE, smsUrl: 'http://127.0.0.1:9/', publicUrl: 'http://localhost:3000' };

  test('messages with a link are held, and others are sent', async () => {
    const shop = await companyWithSender();
    await shop.marketing('PATCH', '/sending-settings', { track_opens: false, track_clicks: false });
    const contact = await contactOf(server, shop, { phone: '+4930123456' });
    const marketing = await flowMessages(server, shop, [contact]);
    const plain = await flowMessages(server, shop, [contact], {
      transactional: true,
      step: { subject: 'Thanks', content: '<p>Thanks</p>' },
    });
    const linked = await flowMessages(server, shop, [contact], {
      transactional: true,
      step: { subject: 'Thanks', content: '<a href="{{ unsubscribe_url }}">No more</a>' },
    });
    const sms = await flowMessages(server, shop, [contact], {
      channel: 'sms',
      step: { content: 'Hi {{ unsubscribe_url }}' },
    });
    await restarted(LOCAL, ({ app }) => settled(app));
    const held = { status: 'queued', reason: 'held: no_public_url' };
    expect(await ledgerOf(server, [...marketing.ids, ...plain.ids, ...linked.ids, ...sms.ids])).toMatchObject([
      held,
      { status: 'sent' },
      held,
      held,
    ]);
    await restarted({ ...LOCAL, publicUrl: 'https://shop.example' }, ({ app }) => settled(app));
    expect(await ledgerOf(server, [...marketing.ids, ...linked.ids])).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
    ]);
  });

  test('a campaign with a link is refused, an SMS without one is not', async () => {
    const shop = await companyWithSender();
    const ids = [
      await campaignOf(shop),
      await campaignOf(shop, { type: 'sms', subject: undefined, content: 'Bye: {{ unsubscribe_url }}' }),
      await campaignOf(shop, { type: 'sms', subject: undefined, content: 'Hi' }),
    ];
    const { body: template } = await shop.marketing('POST', '/templates', {
      name: 'T',
      channel: 'sms',
      content: '{{ preferences_url }}',
    });
    ids.push(
      await campaignOf(shop, {
        type: 'sms',
        subject: undefined,
        content: undefined,
        template_id: template.template_id,
      }),
    );
    await restarted(LOCAL, async (running) => {
      const origin = await running.server.listen({ host: '127.0.0.1', port: 0 });
      const headers = { authorization: `Bearer ${shop.key}`, 'x-company-id': String(shop.company_id) };
      const responses = ids.map(async (id) => {
        const response = await fetch(`${origin}/marketing/v1/campaigns/send/${id}`, { method: 'POST', headers });
        return [response.status, /TRADELOOM_PUBLIC_URL/.test(await response.text())];
      });
      expect(await Promise.all(responses)).toEqual([
        [400, true],
        [400, true],
        [200, false],
        [400, true],
      ]);
    });
  });
});
