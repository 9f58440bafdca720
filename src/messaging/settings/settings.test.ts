import { generateKeyPairSync } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';

const sink = await startSmtpSink();
afterAll(() => sink.close());
const server = testServer({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off` } });
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

test('a shop without settings gets the defaults', async () => {
  const shop = await server.company({ name: 'Tea' });
  expect((await shop.marketing('GET', '/sending-settings')).body).toEqual({
    held_because: null,
    held_since: null,
    from_email: 'shop@tradeloom.example',
    from_name: 'Tea',
    reply_to: null,
    sms_from: 'Tea',
    sms_help_text: null,
    sms_senders: {},
    sms_stop_words: [],
    quiet_hours: null,
    frequency_cap: null,
    less_often_days: 7,
    language: 'en',
    domain_limits: {},
    max_bounce_rate: null,
    max_complaint_rate: null,
    max_lateness_hours: 24,
    new_contacts_by_events: 'subscribed',
    track_opens: true,
    track_clicks: true,
    attribution_days: 5,
    dkim: null,
    bounces: { ses: null, sendgrid: null, mailgun: null, postmark: null },
  });
});

test.each([
  ['Łódź Tea', 'Lodz Tea'],
  ['Café Müller', 'Cafe Muller'],
  ['Ørsted & ẞen', 'Orsted Ssen'],
  ['شاي', 'shy'],
  ['茶屋', 'ChaWu'],
  ['!!!', 'Shop'],
])('the sender of SMS of %s is %s by default', async (name, sms_from) => {
  const shop = await server.company({ name });
  expect((await shop.marketing('GET', '/sending-settings')).body.sms_from).toBe(sms_from);
});

const pemOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test.each([
  [{ from_email: 'nobody' }, /from_email/],
  [{ quiet_hours: { start: '25:00', end: '08:00' } }, /quiet_hours/],
  [{ quiet_hours: { start: '20:00', end: '08:00', timezone: 'Mars/Base' } }, /timezone/],
  [{ frequency_cap: { messages: 0, hours: 1 } }, /frequency_cap/],
  [{ from_name: 'Shop\r\nBcc: x@evil.example' }, /from_name/],
  [{ sms_from: 'Shop\n' + 'x' }, /sms_from/],
  [{ dkim: { domain: 'a.example', selector: 's', private_key: 'x'.repeat(200) } }, /private_key/],
  [{ dkim: { domain: 'a.example', selector: 's', private_key: pemOf(512) } }, /private_key/],
  [{ dkim: { domain: 'a.example\r\nBcc: x@evil.example', selector: 's', private_key: pemOf(1_024) } }, /domain/],
  [{ dkim: { domain: 'localhost', selector: 's', private_key: pemOf(1_024) } }, /domain/],
  [{ dkim: { domain: 'a.example', selector: 's; d=evil', private_key: pemOf(1_024) } }, /selector/],
])('%j is refused', async (patch, message) => {
  const refused = await (await server.company()).marketing('PATCH', '/sending-settings', patch);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toMatch(message);
});

test('sender, tracking and signature are those that are set; the key is stored sealed and never shown', async () => {
  const shop = await server.company();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const patch = {
    from_email: 'News@Tea.example',
    from_name: 'Tea',
    reply_to: 'help@tea.example',
    track_opens: false,
    track_clicks: false,
    dkim: { domain: 'tea.example', selector: 's1', private_key },
  };
  const changed = await shop.marketing('PATCH', '/sending-settings', patch);
  expect(changed.body).toMatchObject({
    from_email: 'news@tea.example',
    dkim: { domain: 'tea.example', selector: 's1' },
  });
  const [stored] = await server.rows<{ text: string }>(
    'select settings::text as text from companies where company_id = $1',
    [shop.company_id],
  );
  expect(stored!.text).not.toContain('PRIVATE');
  expect(JSON.stringify(changed.body)).not.toContain('PRIVATE');

  const address = `ok@s${shop.company_id}.example.net`;
  await flowMessages(server, shop, [await contactOf(server, shop, { email: address })]);
  await sender().runOnce();
  const raw = sink.stored.find((mail) => mail.to === address)!.raw;
  expect(raw).toContain('From: Tea <news@tea.example>');
  expect(raw).toContain('Reply-To: help@tea.example');
  expect(raw).not.toContain('/t/');
  const signature = /^DKIM-Signature: ([\s\S]+?)\r\n(?! )/m.exec(raw)![1]!.replace(/\s+/g, '');
  expect(signature).toMatch(/d=tea\.example;.*s=s1;/);
  expect(signature).toMatch(/list-unsubscribe-post/i);
});

test('quiet hours put marketing off, not receipts', async () => {
  const shop = await server.company();
  await shop.marketing('PATCH', '/sending-settings', { quiet_hours: { start: '11:00', end: '14:30' } });
  const contact = await contactOf(server, shop, { email: `ok@q${shop.company_id}.example.net` });
  const offer = await flowMessages(server, shop, [contact]);
  const receipt = await flowMessages(server, shop, [contact], { transactional: true });
  await sender().runOnce();
  expect(await ledgerOf(server, receipt.ids)).toMatchObject([{ status: 'sent' }]);
  expect(await ledgerOf(server, offer.ids)).toMatchObject([{ status: 'queued', attempts: 0 }]);
  server.clock.advance(2.5 * 3_600_000);
  await sender().runOnce();
  expect(await ledgerOf(server, offer.ids)).toMatchObject([{ status: 'sent' }]);
});

test('the frequency cap holds within one set and over several', async () => {
  const shop = await server.company();
  await shop.marketing('PATCH', '/sending-settings', { frequency_cap: { messages: 2, hours: 24 } });
  const contact = await contactOf(server, shop, { email: `ok@f${shop.company_id}.example.net` });
  const ids: number[] = [];
  for (let i = 0; i < 3; i++) ids.push(...(await flowMessages(server, shop, [contact])).ids);
  await sender().runOnce();
  ids.push(...(await flowMessages(server, shop, [contact])).ids);
  await sender().runOnce();
  const states = (await ledgerOf(server, ids)).map((row) => row.reason ?? row.status);
  expect(states.sort()).toEqual(['frequency_cap', 'frequency_cap', 'sent', 'sent']);
  const { body } = await shop.marketing('GET', `/messages/${ids[0]}`);
  expect(body).toMatchObject({
    message_id: ids[0],
    channel: 'email',
    origin: 'flow',
    contact_id: contact,
    step_id: 's1',
  });
});
