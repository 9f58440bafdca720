import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startTestingProvider } from './testing-provider.ts';

const provider = await startTestingProvider();
afterAll(() => provider.close());
const server = testServer({
  config: { allowPrivateWebhooks: true, publicUrl: 'https://shop.example.com', hosts: ['127.0.0.1'] },
});
beforeEach(() => {
  provider.received.length = 0;
  provider.respond({ status: 200, body: {} });
});

const TOKEN = 'server-token-of-postmark-1a2b';
const postmark = { server_token: TOKEN, api_url: provider.url };
const SID = `AC${'0'.repeat(32)}`;

describe('sending accounts', () => {
  test('are added, read, changed and removed; their secrets are in no response and no audit entry, but sealed', async () => {
    const shop = await server.company();
    const made = await shop.marketing('POST', '/sending-accounts', { name: 'Ours', postmark });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Ours',
        channel: 'email',
        provider: 'postmark',
        active: false,
        postmark: { message_stream: 'outbound', api_url: provider.url },
        smtp: null,
        secret_end: '1a2b',
        notifications_url: `https://shop.example.com/marketing/bounces/postmark/${shop.company_id}`,
      },
    });
    const id = made.body.account_id;
    const path = `/sending-accounts/${id}`;
    const changed = await shop.marketing('PATCH', path, { name: 'Theirs', postmark: { message_stream: 'broadcast' } });
    expect(changed.body).toMatchObject({
      name: 'Theirs',
      secret_end: '1a2b',
      postmark: { message_stream: 'broadcast' },
    });
    const read = await shop.marketing('GET', path);
    expect(read.body).toEqual(changed.body);
    const list = await shop.marketing('GET', '/sending-accounts');
    expect(list.body.sending_accounts).toEqual([read.body]);
    const stored = JSON.stringify([
      await server.rows('select * from sending_accounts where company_id = $1', [shop.company_id]),
      await server.rows('select * from audit_log where company_id = $1', [shop.company_id]),
      made.body,
    ]);
    expect(stored).not.toContain(TOKEN);
    const actions = await server.rows<{ action: string }>(
      "select action from audit_log where company_id = $1 and action like 'sending_account.%' order by id",
      [shop.company_id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['sending_account.create', 'sending_account.update']);
    expect(await shop.marketing('DELETE', path)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await shop.marketing('GET', path)).toMatchObject({ status: 404 });
  });

  test('one of each channel is active', async () => {
    const shop = await server.company();
    const add = async (body: object) => (await shop.marketing('POST', '/sending-accounts', body)).body.account_id;
    const first = await add({ name: 'First', active: true, postmark });
    const sms = await add({ name: 'SMS', active: true, twilio: { account_sid: SID, auth_token: 'token-of-twilio' } });
    const second = await add({ name: 'Second', active: true, postmark });
    const active = async () =>
      (await shop.marketing('GET', '/sending-accounts')).body.sending_accounts
        .filter((one: { active: boolean }) => one.active)
        .map((one: { account_id: number }) => one.account_id);
    expect(await active()).toEqual([sms, second]);
    await shop.marketing('PATCH', `/sending-accounts/${first}`, { active: true });
    expect(await active()).toEqual([first, sms]);
  });

  test.each([
    [{}, 'smtp'],
    [{ postmark, sendgrid: { api_key: 'long-enough-key' } }, 'postmark'],
    [{ postmark: {} }, 'postmark.server_token'],
    [{ smtp: { username: 'a', password: 'long-enough' } }, 'smtp.host'],
    [{ smtp: { host: 'not a host', username: 'a', password: 'long-enough' } }, 'smtp.host'],
    [{ ses: { region: 'eu-central-1', secret_access_key: 'long-enough' } }, 'ses.access_key'],
    [{ mailgun: { api_key: 'long-enough', domain: 'a/../b' } }, 'mailgun.domain'],
  ])('without what it needs is refused: %o', async (body, field) => {
    const shop = await server.company();
    const { status, body: refusal } = await shop.marketing('POST', '/sending-accounts', { name: 'Ours', ...body });
    expect(status).toBe(400);
    expect(refusal.details.map((one: { field: string }) => one.field)).toContain(field);
  });

  test('a secret goes nowhere else than where it was given for', async () => {
    const shop = await server.company();
    const { body } = await shop.marketing('POST', '/sending-accounts', { name: 'Ours', postmark });
    const path = `/sending-accounts/${body.account_id}`;
    const elsewhere = { api_url: 'https://thief.example.com' };
    const refused = await shop.marketing('PATCH', path, { postmark: elsewhere });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'postmark.server_token' }] } });
    const given = { ...elsewhere, server_token: 'another-token-of-postmark' };
    expect(await shop.marketing('PATCH', path, { postmark: given })).toMatchObject({ status: 200 });
  });

  test('a test sends one message and shows the reply of the service', async () => {
    const shop = await server.company();
    const { body } = await shop.marketing('POST', '/sending-accounts', { name: 'Ours', postmark });
    const sendTest = () =>
      shop.marketing('POST', `/sending-accounts/test/${body.account_id}`, { to: 'owner@example.net' });
    provider.respond({ status: 200, body: { Message: 'OK' } });
    expect((await sendTest()).body).toMatchObject({ sent: true, reply: '200 {"Message":"OK"}' });
    expect(JSON.parse(provider.received[0]!.body)).toMatchObject({ To: 'owner@example.net' });
    provider.respond({ status: 401, body: { Message: 'No such token' } });
    expect((await sendTest()).body).toMatchObject({ sent: false, reply: '401 {"Message":"No such token"}' });
    const wrong = await shop.marketing('POST', `/sending-accounts/test/${body.account_id}`, { to: 'nobody' });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ field: 'to' }] } });
  });
});

describe('SMS by a company’s own account', () => {
  const twilio = { account_sid: SID, auth_token: 'token-of-this-company', api_url: provider.url };
  const signed = (token: string, path: string, form: Record<string, string>) => {
    const fields = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = `https://shop.example.com${path}${fields.map(([name, value]) => name + value).join('')}`;
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', token).update(text).digest('base64'),
    };
    return server.request('POST', path, { raw: new URLSearchParams(form).toString(), headers });
  };
  async function textingShop(phone: string) {
    const shop = await server.company();
    await shop.marketing('POST', '/sending-accounts', { name: 'SMS', active: true, twilio });
    await shop.marketing('PATCH', '/sending-settings', { sms_from: '+15005550006' });
    return { shop, contact: await contactOf(server, shop, { phone }) };
  }

  test('goes to its account, with the message’s id and an address for the receipt that its token signs', async () => {
    const { shop, contact } = await textingShop('+4915112345001');
    provider.respond({ status: 201, body: { sid: 'SM1' } });
    const { ids } = await flowMessages(server, shop, [contact], { channel: 'sms', step: { content: 'Hello' } });
    await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
    // A turn waits five seconds at most for messages by accounts.
    await expect.poll(() => ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
    const { path, headers, body } = provider.received[0]!;
    expect(path).toBe(`/2010-04-01/Accounts/${SID}/Messages.json`);
    expect(headers.authorization).toBe(`Basic ${Buffer.from(`${SID}:token-of-this-company`).toString('base64')}`);
    expect(headers['idempotency-key']).toBe(`${shop.company_id}-${ids[0]}`);
    const callback = new URL(new URLSearchParams(body).get('StatusCallback')!);
    const report = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005' };
    const address = callback.pathname + callback.search;
    expect(await signed('token-of-another-one', address, report)).toMatchObject({ status: 401 });
    expect(await signed('token-of-this-company', address, report)).toMatchObject({ status: 200 });
    const bounced = await server.rows("select 1 from message_activity where message_id = $1 and type = 'bounced'", [
      ids[0],
    ]);
    expect(bounced).toHaveLength(1);
  });

  test('a STOP to it affects only that company, and tokens of other companies are not accepted', async () => {
    const [mine, theirs] = [await textingShop('+4915112345002'), await textingShop('+4915112345002')];
    await server.rows('update sending_accounts set sealed_secret = $2 where company_id = $1', [
      theirs.shop.company_id,
      server.app.masterKey.seal('token-of-the-others').toString('base64'),
    ]);
    await server.rows('update companies set name = name where company_id = $1', [theirs.shop.company_id]);
    const form = { MessageSid: 'SM9', From: '+4915112345002', To: '+15005550006', Body: 'STOP' };
    const path = (companyId: number) => `/marketing/sms/inbound/twilio/${companyId}`;
    await server.app.messaging.refreshSettings();
    expect(await signed('token-of-this-company', path(theirs.shop.company_id), form)).toMatchObject({ status: 401 });
    expect(await signed('token-of-this-company', path(mine.shop.company_id), form)).toMatchObject({ status: 200 });
    const left = await server.rows<{ company_id: string }>(
      "select company_id from suppressions where channel = 'sms' and company_id = any($1)",
      [[mine.shop.company_id, theirs.shop.company_id]],
    );
    expect(left.map(({ company_id }) => Number(company_id))).toEqual([mine.shop.company_id]);
  });
});

test('a bounce that Postmark or SendGrid reports is found by the id that went with the message', async () => {
  const shop = await server.company();
  const contact = await contactOf(server, shop, { email: 'bounced@example.net' });
  const { ids } = await flowMessages(server, shop, [contact, contact].slice(0, 1));
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const id = `<m${ids[0]}.c${shop.company_id}@shop.example>`;
  await shop.marketing('PATCH', '/sending-settings', {
    bounces: { postmark: { username: 'hook', password: 'long-enough-password' } },
  });
  // A later mail to the same address: without the id the bounce would be attributed to it.
  await flowMessages(server, shop, [contact]);
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const authorization = `Basic ${Buffer.from('hook:long-enough-password').toString('base64')}`;
  const reported = await server.request('POST', `/marketing/bounces/postmark/${shop.company_id}`, {
    body: {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      Email: 'bounced@example.net',
      Metadata: { tradeloom_message: id },
    },
    headers: { authorization },
  });
  expect(reported).toMatchObject({ status: 200, body: { applied: 1 } });
  const rows = await server.rows<{ message_id: string }>(
    "select message_id from message_activity where company_id = $1 and type = 'bounced'",
    [shop.company_id],
  );
  expect(rows.map((row) => Number(row.message_id))).toEqual([ids[0]]);
});
