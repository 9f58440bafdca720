import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { flowMessages, ledgerOf } from '../testing/sending.ts';
import { keywordOf } from './keywords.ts';

const TOKEN = 'the account’s token';
const ORIGIN = 'https://shop.example';
const sent: Record<string, string>[] = [];
let reply: [number, string] = [201, '{"sid":"SM1"}'];
const provider = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  sent.push(Object.fromEntries(new URLSearchParams(body)));
  response.writeHead(reply[0]).end(reply[1]);
});
await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening));
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});
const { port } = provider.address() as AddressInfo;
const smsUrl = `http://AC1:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}/Messages.json`;
const server = testServer({ config: { smsUrl, publicUrl: ORIGIN } });
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

let shop: TestCompany;
let last = 0;
const aPhone = (): string => `+1213374${4000 + ++last}`;
let number: string;

beforeAll(async () => {
  shop = await server.company({ name: 'Tea' });
});
beforeEach(async () => {
  // Replies of the previous test.
  await settle();
  number = aPhone();
  await shop.marketing('PATCH', '/sending-settings', { sms_from: number });
  sent.length = 0;
  reply = [201, '{"sid":"SM1"}'];
});

function sign(path: string, form: Record<string, string>, token = TOKEN): string {
  const fields = Object.keys(form).sort();
  return createHmac('sha1', token)
    .update(ORIGIN + path + fields.map((name) => name + form[name]).join(''))
    .digest('base64');
}

async function call(path: string, form: Record<string, string>, signature = sign(path, form)) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
  return server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
}

const inbound = (from: string, text: string, more: Record<string, string> = {}) =>
  call('/marketing/sms/inbound/twilio', { From: from, To: number, Body: text, MessageSid: `SM${++last}`, ...more });

async function subscriber(phone = aPhone(), of = shop): Promise<{ id: number; phone: string }> {
  const { body } = await of.marketing('POST', '/contacts', { phone, consent: { sms: 'subscribed' } });
  expect(body.status).toBe('subscribed');
  return { id: body.contact_id, phone };
}

const consentOf = async (id: number, of = shop) => (await of.marketing('GET', `/contacts/${id}`)).body.consent.sms;
const settle = async () => {
  while ((await sender().runOnce()) > 0);
};
const sms = { channel: 'sms', step: { content: 'Buy now' } } as const;

describe('a word from the recipient', () => {
  test('is read as carriers do, and doubtful ones as a no', () => {
    const stop = [
      'STOP',
      ' stop. ',
      'Stopall',
      'UNSUBSCRIBE',
      'cancel',
      'End',
      'quit!',
      'stop please',
      'STOP sending',
      'Genug!',
    ];
    for (const text of stop) expect([text, keywordOf(text, ['genug'])]).toEqual([text, 'stop']);
    for (const text of ['start', 'UNSTOP']) expect(keywordOf(text, [])).toBe('start');
    expect(keywordOf('Help?', [])).toBe('help');
    for (const text of ['', '…', 'cancel my order', 'hello', 'the end', 'start again', 'non-stop']) {
      expect([text, keywordOf(text, [])]).toEqual([text, null]);
    }
  });

  test('STOP unsubscribes the number from SMS at once, and is confirmed once', async () => {
    const { id, phone } = await subscriber();
    await shop.marketing('PATCH', `/contacts/${id}`, { email: `c${id}@example.net` });
    const response = await inbound(phone, 'Stop');
    expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
      ...[200, 'text/xml', '<?xml version="1.0" encoding="UTF-8"?><Response></Response>'],
    ]);
    expect(await consentOf(id)).toMatchObject({ state: 'unsubscribed', source: 'sms_keyword' });
    expect((await shop.marketing('GET', `/contacts/${id}`)).body.status).toBe('subscribed');
    await inbound(phone, 'STOP');
    await settle();
    expect(sent.map(({ To, Body }) => [To, Body])).toEqual([[phone, expect.stringContaining('no more SMS')]]);
    const { ids } = await flowMessages(server, shop, [id], sms);
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'unsubscribed' }]);
    const { body } = await shop.marketing('GET', `/contacts/${id}/consents`);
    expect(body.consents.at(-1)).toMatchObject({ channel: 'sms', state: 'unsubscribed', text: 'Stop', address: phone });
  });

  test('STOP from an unknown number is remembered for its later contact', async () => {
    const phone = aPhone();
    await inbound(phone, 'STOP');
    const { body } = await shop.marketing('POST', '/contacts', { phone, consent: { sms: 'subscribed' } });
    expect(body.consent.sms.state).toBe('unsubscribed');
  });

  test('START reverses it, HELP gets a reply, and anything else is ignored', async () => {
    const { id, phone } = await subscriber();
    await inbound(phone, 'quit');
    await inbound(phone, 'start');
    expect(await consentOf(id)).toMatchObject({ state: 'subscribed', source: 'sms_keyword' });
    await shop.marketing('PATCH', '/sending-settings', { sms_help_text: 'Call {{ us }} on 030 123' });
    await inbound(phone, 'HELP');
    await inbound(phone, 'When do you open?');
    await settle();
    const texts = sent.map(({ Body }) => Body);
    expect(texts).toHaveLength(3);
    expect(texts[2]).toBe('Call {{ us }} on 030 123');
    const { ids } = await flowMessages(server, shop, [id], sms);
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });

  test('of the shop counts, and one that the provider has replied to is not replied to again', async () => {
    await shop.marketing('PATCH', '/sending-settings', { sms_stop_words: ['Genug'] });
    const { id, phone } = await subscriber();
    await inbound(phone, 'genug', { OptOutType: 'STOP' });
    expect((await consentOf(id)).state).toBe('unsubscribed');
    await settle();
    expect(sent).toEqual([]);
  });

  test('that is delivered again, even after START, has no effect', async () => {
    const { id, phone } = await subscriber();
    const again = { MessageSid: `SMagain${id}` };
    await inbound(phone, 'STOP', again);
    await inbound(phone, 'START');
    await inbound(phone, 'STOP', again);
    expect((await consentOf(id)).state).toBe('subscribed');
  });

  test('concerns only companies that send from the number', async () => {
    const [same, other] = [await server.company(), await server.company()];
    await same.marketing('PATCH', '/sending-settings', { sms_senders: { US: number } });
    const phone = aPhone();
    const [mine, theirs, others] = [
      await subscriber(phone),
      await subscriber(phone, same),
      await subscriber(phone, other),
    ];
    await inbound(phone, 'STOP');
    const states = [await consentOf(mine.id), await consentOf(theirs.id, same), await consentOf(others.id, other)];
    expect(states.map(({ state }) => state)).toEqual(['unsubscribed', 'unsubscribed', 'subscribed']);
    // A pool of numbers that no company has set: the opt-out applies to every company that knows the person.
    await inbound(phone, 'STOP', { To: aPhone() });
    expect((await consentOf(others.id, other)).state).toBe('unsubscribed');
  });

  test('without the signature of the provider is refused with one text', async () => {
    const { id, phone } = await subscriber();
    const path = '/marketing/sms/inbound/twilio';
    const form = { From: phone, To: number, Body: 'STOP', MessageSid: 'SMx' };
    for (const signature of [
      '',
      'x',
      sign(path, form, 'another'),
      sign(`${path}x`, form),
      sign(path, { ...form, Body: 'x' }),
    ]) {
      expect((await call(path, form, signature)).status).toBe(401);
    }
    expect((await consentOf(id)).state).toBe('subscribed');
  });
});

describe('a delivery receipt', () => {
  async function handedOver(): Promise<{ contact: { id: number; phone: string }; path: string; message: number }> {
    const contact = await subscriber();
    const { ids } = await flowMessages(server, shop, [contact.id], sms);
    await settle();
    const callback = new URL(sent.at(-1)!.StatusCallback!);
    expect(callback.origin).toBe(ORIGIN);
    return { contact, path: callback.pathname + callback.search, message: ids[0]! };
  }

  test.each([
    ['30005', 'suppressed_bounce'],
    ['30006', 'suppressed_bounce'],
    ['21610', 'unsubscribed'],
    // Concerns the sender, the carrier or the moment: the next message is sent.
    ['30007', null],
    ['30034', null],
    ['30003', null],
    ['21612', null],
  ])('undelivered for %s', async (ErrorCode, reason) => {
    const { contact, path, message } = await handedOver();
    const receipt = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode };
    for (let times = 0; times < 2; times++) expect((await call(path, receipt)).status).toBe(200);
    const rows = await server.rows('select type from message_activity where message_id = $1', [message]);
    expect(rows).toEqual([{ type: 'bounced' }]);
    const { ids } = await flowMessages(server, shop, [contact.id], sms);
    await settle();
    expect((await ledgerOf(server, ids))[0]).toMatchObject({ reason });
  });

  test('resolves an unknown outcome', async () => {
    reply = [504, ''];
    const { path, message } = await handedOver();
    const status = async () => (await shop.marketing('GET', `/messages/${message}`)).body.status;
    expect(await status()).toBe('unknown');
    await call(path, { MessageSid: 'SM1', MessageStatus: 'sent' });
    expect(await status()).toBe('unknown');
    await call(path, { MessageSid: 'SM1', MessageStatus: 'delivered' });
    expect(await status()).toBe('sent');
  });

  test('of nothing, or unsigned, changes nothing', async () => {
    const { path } = await handedOver();
    const receipt = { MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode: '30005' };
    expect((await call(path, receipt, 'x')).status).toBe(401);
    for (const message of ['x', '1-0', `${shop.company_id}-999999`, '9-9-9']) {
      expect((await call(`/marketing/sms/status/twilio?message=${message}`, receipt)).status).toBe(200);
    }
    expect(
      await server.rows(
        "select 1 from suppressions where company_id = $1 and cause = 'bounce' and channel = 'sms' and created_at > now()",
        [shop.company_id],
      ),
    ).toEqual([]);
  });
});

test('an SMS comes from the sender of the recipient’s country', async () => {
  await shop.marketing('PATCH', '/sending-settings', { sms_senders: { DE: '+4915112345678' } });
  const [german, american] = [await subscriber('+4930123456'), await subscriber()];
  await flowMessages(server, shop, [german.id, american.id], sms);
  await settle();
  const froms = Object.fromEntries(sent.map(({ To, From }) => [To, From]));
  expect(froms).toEqual({ '+4930123456': '+4915112345678', [american.phone]: number });
  await shop.marketing('PATCH', '/sending-settings', { sms_senders: {} });
});

test('a bounced mailbox leaves a contact in the audience of an SMS campaign, and one who said no to SMS out of it', async () => {
  const company = await server.company();
  const { body: list } = await company.marketing('POST', '/lists', { name: 'All' });
  const add = (email: string, phone: string, consent: object, status?: string) =>
    company.marketing('POST', '/contacts', { email, phone, consent, status, list_ids: [list.list_id] });
  const [bounced, never, left] = [aPhone(), aPhone(), aPhone()];
  await add('bounced@example.net', bounced, { sms: 'subscribed' }, 'bounced');
  await add('never@example.net', never, {});
  await add('left@example.net', left, { sms: 'unsubscribed' });
  const { body: campaign } = await company.marketing('POST', '/campaigns', {
    name: 'SMS',
    type: 'sms',
    content: 'Buy now',
    list_id: list.list_id,
  });
  await company.marketing('POST', `/campaigns/send/${campaign.campaign_id}`);
  for (const name of ['campaigns', 'sender'])
    await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  expect(sent.map(({ To }) => To)).toEqual([bounced]);
});
