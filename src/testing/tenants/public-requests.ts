import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { signBody } from '../../marketing/webhook/signature.ts';
import type { TestResponse } from '../harness.ts';
import type { SeededCompany } from './seed.ts';

/** What a request that authenticates by a signature names, of the sender's own or of somebody else's. */
export interface Named {
  company: number;
  email: string;
  message: number;
  phone: string;
}

/** Signed by one company, about the named objects. */
export type SignedRequest = (by: SeededCompany, named: Named) => Promise<TestResponse>;

export const SMS_TOKEN = 'token of the account';
const MAILGUN_KEY = 'key-0123456789abcdef0123456789abcdef';
const POSTMARK = { username: 'tradeloom', password: 'a-long-enough-password' };
const sendGridKeys = new Map<number, KeyObject>();
const form = { 'content-type': 'application/x-www-form-urlencoded' };
let tokens = 0;

/** Sets the secrets by which providers authenticate to the company; each company has different ones. */
export async function setProviders({ shop, make }: SeededCompany): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  sendGridKeys.set(shop.company_id, privateKey);
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  await make('marketing', 'PATCH', '/sending-settings', {
    sms_from: smsNumberOf(shop.company_id),
    bounces: {
      sendgrid: { public_key: key },
      mailgun: { signing_key: MAILGUN_KEY + shop.company_id },
      postmark: { ...POSTMARK, password: POSTMARK.password + shop.company_id },
      ses: { topic_arn: `arn:aws:sns:eu-west-1:123456789012:bounces${shop.company_id}` },
    },
  });
  const twilio = { account_sid: `AC${'0'.repeat(32)}`, auth_token: ownSmsToken(shop.company_id) };
  await make('marketing', 'POST', '/sending-accounts', { name: 'SMS', twilio });
}

const ownSmsToken = (companyId: number): string => `token-of-the-account-of-${companyId}`;
export const smsNumberOf = (companyId: number): string => `+1202555${String(3_000 + companyId)}`;

const signedBy =
  (path: string, bodyOf: (named: Named) => object): SignedRequest =>
  ({ server, shop }, named) => {
    const raw = JSON.stringify(bodyOf(named));
    const headers = {
      'x-company-id': String(named.company),
      'x-webhook-signature': signBody(shop.webhook_secret, raw),
    };
    return server.request('POST', `/marketing/v1${path}`, { raw, headers });
  };

const messageIdOf = ({ message, company }: Named): string => `<m${message}.c${company}@example.com>`;

function twilio(
  { server }: SeededCompany,
  path: string,
  fields: Record<string, string>,
  token = SMS_TOKEN,
): Promise<TestResponse> {
  const signed = Object.keys(fields).sort();
  const url = server.app.origin() + path;
  const signature = createHmac('sha1', token)
    .update(url + signed.map((name) => name + fields[name]).join(''))
    .digest('base64');
  const headers = { ...form, 'x-twilio-signature': signature };
  return server.request('POST', path, { raw: new URLSearchParams(fields).toString(), headers });
}

/** Requests of every endpoint without an API key. Endpoints of the installation's own account say nothing about a company. */
export const PUBLIC: Record<string, SignedRequest> = {
  'POST /webhook': signedBy('/webhook', ({ email }) => {
    return { event_type: 'product_viewed', event_data: { email, product_id: '1', product_name: 'Tea' } };
  }),
  'POST /bounces': signedBy('/bounces', (named) => {
    return { reports: [{ type: 'bounce', email: named.email, message_id: messageIdOf(named) }] };
  }),
  'POST /bounces/sendgrid/{company_id}': ({ server, shop }, named) => {
    const at = String(Math.floor(server.clock.now().getTime() / 1_000));
    const event = { email: named.email, event: 'bounce', type: 'bounce', 'smtp-id': messageIdOf(named) };
    const raw = JSON.stringify([{ ...event, sg_event_id: `e${++tokens}` }]);
    const key = sendGridKeys.get(shop.company_id)!;
    const headers = {
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(at + raw), key).toString('base64'),
      'x-twilio-email-event-webhook-timestamp': at,
    };
    return server.request('POST', `/marketing/v1/bounces/sendgrid/${named.company}`, { raw, headers });
  },
  'POST /bounces/mailgun/{company_id}': ({ server, shop }, { company, email }) => {
    const timestamp = String(Math.floor(server.clock.now().getTime() / 1_000));
    const token = `token${++tokens}`.padEnd(50, 'e');
    const hmac = createHmac('sha256', MAILGUN_KEY + shop.company_id).update(timestamp + token);
    const signature = { timestamp, token, signature: hmac.digest('hex') };
    const body = { signature, 'event-data': { event: 'failed', severity: 'permanent', recipient: email } };
    return server.request('POST', `/marketing/v1/bounces/mailgun/${company}`, { body });
  },
  'POST /bounces/postmark/{company_id}': ({ server, shop }, { company, email }) => {
    const password = POSTMARK.password + shop.company_id;
    const authorization = `Basic ${Buffer.from(`${POSTMARK.username}:${password}`).toString('base64')}`;
    const body = { RecordType: 'Bounce', Type: 'HardBounce', Email: email, ID: ++tokens };
    return server.request('POST', `/marketing/v1/bounces/postmark/${company}`, { body, headers: { authorization } });
  },
  'POST /sms/inbound/twilio': (by, { company, phone }) =>
    twilio(by, '/marketing/v1/sms/inbound/twilio', {
      Body: 'STOP',
      From: phone,
      To: smsNumberOf(company),
      MessageSid: `SM${++tokens}`,
    }),
  'POST /sms/inbound/twilio/{company_id}': (by, { company, phone }) =>
    twilio(
      by,
      `/marketing/v1/sms/inbound/twilio/${company}`,
      { Body: 'STOP', From: phone, To: smsNumberOf(by.shop.company_id), MessageSid: `SM${++tokens}` },
      ownSmsToken(by.shop.company_id),
    ),
  'POST /sms/status/twilio': (by, { company, message }) =>
    twilio(by, `/marketing/v1/sms/status/twilio?message=${company}-${message}`, {
      MessageSid: `SM${++tokens}`,
      MessageStatus: 'delivered',
    }),
};
