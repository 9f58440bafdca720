import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestingProvider } from '../../../sending-accounts/testing-provider.ts';
import type { OutgoingEmail, Transport } from '../port.ts';
import { createMailgunTransport } from './mailgun.ts';
import { createPostmarkTransport } from './postmark.ts';
import { createSendGridTransport } from './sendgrid.ts';
import { createSesTransport } from './ses.ts';

const provider = await startTestingProvider();
const common = { provider: 'account 1-1', base: provider.url, rate: null, concurrency: 2, timeouts: { response: 500 } };
const transports: Record<'ses' | 'sendgrid' | 'postmark' | 'mailgun', Transport> = {
  ses: createSesTransport({
    ...common,
    region: 'eu-central-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    configurationSet: 'shop',
  }),
  sendgrid: createSendGridTransport({ ...common, apiKey: 'SG.key' }),
  postmark: createPostmarkTransport({ ...common, serverToken: 'token', messageStream: 'broadcast' }),
  mailgun: createMailgunTransport({ ...common, apiKey: 'key-1', domain: 'mg.example.com' }),
};
const names = ['ses', 'sendgrid', 'postmark', 'mailgun'] as const;
afterAll(async () => {
  await Promise.all([...Object.values(transports).map((one) => one.close()), provider.close()]);
});
beforeEach(() => {
  provider.received.length = 0;
  provider.respond({ status: 200, body: {} });
});

const MESSAGE_ID = '<m7.c3@shop.example>';
const raw = `Message-ID: ${MESSAGE_ID}\r\nSubject: Hi\r\n\r\nGr\u00fc\u00dfe\r\n`;
const message: OutgoingEmail = {
  channel: 'email',
  id: '3-7',
  ledger: { companyId: 3, messageId: 7, contactId: 1 },
  from: 'shop@shop.example',
  to: 'ann@example.net',
  content: {
    from: { name: 'Ada "the" Shop', address: 'shop@shop.example' },
    to: { address: 'ann@example.net' },
    replyTo: { address: 'help@shop.example' },
    subject: 'Hi',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: { 'List-Unsubscribe': '<https://shop.example/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    messageId: MESSAGE_ID,
    date: new Date('2026-03-01T12:00:00Z'),
  },
  raw: async () => Buffer.from(raw),
};
const deliver = (name: (typeof names)[number]) => transports[name].deliver(message, new AbortController().signal);
const last = () => provider.received.at(-1)!;

describe('a message reaches', () => {
  test('Amazon SES as MIME, signed with Signature Version 4', async () => {
    provider.respond({ status: 200, body: { MessageId: '0107018e' } });
    expect(await deliver('ses')).toMatchObject({ kind: 'sent', reply: '200 {"MessageId":"0107018e"}' });
    const { path, headers, body } = last();
    expect(path).toBe('/v2/email/outbound-emails');
    expect(JSON.parse(body)).toEqual({
      FromEmailAddress: 'shop@shop.example',
      Destination: { ToAddresses: ['ann@example.net'] },
      Content: { Raw: { Data: Buffer.from(raw).toString('base64') } },
      ConfigurationSetName: 'shop',
    });
    expect(headers.authorization).toBe(signatureOf(path, headers, body));
  });

  test('SendGrid with both parts, our headers and no tracking', async () => {
    provider.respond({ status: 202, body: '' });
    expect(await deliver('sendgrid')).toMatchObject({ kind: 'sent' });
    expect(last()).toMatchObject({ path: '/v3/mail/send', headers: { authorization: 'Bearer SG.key' } });
    expect(JSON.parse(last().body)).toEqual({
      personalizations: [{ to: [{ email: 'ann@example.net' }] }],
      from: { email: 'shop@shop.example', name: 'Ada "the" Shop' },
      reply_to: { email: 'help@shop.example' },
      subject: 'Hi',
      content: [
        { type: 'text/plain', value: 'Hello' },
        { type: 'text/html', value: '<p>Hello</p>' },
      ],
      headers: { 'Message-ID': MESSAGE_ID, ...message.content!.headers },
      custom_args: { tradeloom_message: MESSAGE_ID },
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
        subscription_tracking: { enable: false },
      },
    });
  });

  test('Postmark with both parts, our Message-ID kept, and no tracking', async () => {
    provider.respond({ status: 200, body: { ErrorCode: 0, Message: 'OK' } });
    expect(await deliver('postmark')).toMatchObject({ kind: 'sent' });
    expect(last()).toMatchObject({ path: '/email', headers: { 'x-postmark-server-token': 'token' } });
    expect(JSON.parse(last().body)).toEqual({
      From: '"Ada \\"the\\" Shop" <shop@shop.example>',
      To: 'ann@example.net',
      ReplyTo: 'help@shop.example',
      Subject: 'Hi',
      HtmlBody: '<p>Hello</p>',
      TextBody: 'Hello',
      Headers: [
        { Name: 'Message-ID', Value: MESSAGE_ID },
        { Name: 'X-PM-KeepID', Value: 'true' },
        ...Object.entries(message.content!.headers!).map(([Name, Value]) => ({ Name, Value })),
      ],
      Metadata: { tradeloom_message: MESSAGE_ID },
      TrackOpens: false,
      TrackLinks: 'None',
      MessageStream: 'broadcast',
    });
  });

  test('Mailgun as MIME in a multipart form', async () => {
    expect(await deliver('mailgun')).toMatchObject({ kind: 'sent' });
    const { path, headers, body } = last();
    expect(path).toBe('/v3/mg.example.com/messages.mime');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('api:key-1').toString('base64')}`);
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(body).toContain('name="to"\r\n\r\nann@example.net');
    expect(body).toContain('name="o:tracking"\r\n\r\nno');
    expect(body).toMatch(/name="message"; filename="message\.eml"/);
    expect(body).toContain(raw);
  });
});

const of = (kind: 'recipient' | 'message' | 'service') => ({
  kind: 'failed',
  fault: kind,
  permanent: kind !== 'service',
});

describe('a refusal', () => {
  test.each([
    ['ses', 400, {}, { 'x-amzn-errortype': 'MessageRejected:http://internal' }, of('message')],
    ['ses', 400, {}, { 'x-amzn-errortype': 'SendingPausedException' }, of('service')],
    ['ses', 429, {}, { 'x-amzn-errortype': 'TooManyRequestsException' }, of('service')],
    ['ses', 403, { message: 'The security token is invalid' }, {}, of('service')],
    ['sendgrid', 400, { errors: [{ message: 'Bad', field: 'personalizations.0.to.0.email' }] }, {}, of('recipient')],
    ['sendgrid', 400, { errors: [{ message: 'Bad', field: 'content' }] }, {}, of('message')],
    ['sendgrid', 413, {}, {}, of('message')],
    ['sendgrid', 401, { errors: [{ message: 'authorization required' }] }, {}, of('service')],
    ['postmark', 422, { ErrorCode: 406, Message: 'Inactive' }, {}, of('recipient')],
    ['postmark', 422, { ErrorCode: 300, Message: 'Invalid' }, {}, of('message')],
    ['postmark', 422, { ErrorCode: 405, Message: 'Not allowed to send' }, {}, of('service')],
    ['mailgun', 400, { message: "'to' parameter is not a valid address. please check" }, {}, of('recipient')],
    ['mailgun', 400, { message: 'Free accounts are for test purposes only' }, {}, of('message')],
    ['mailgun', 404, { message: 'Domain not found' }, {}, of('service')],
    ['mailgun', 402, {}, {}, of('service')],
  ] as const)('of %s with %i %o %o', async (name, status, body, headers, result) => {
    provider.respond({ status, body, headers });
    expect(await deliver(name)).toMatchObject(result);
  });
});

describe.each(names)('%s', (name) => {
  test('is down: the message is tried again', async () => {
    for (const status of [429, 500, 503]) {
      provider.respond({ status });
      expect(await deliver(name)).toMatchObject(of('service'));
    }
  });

  test('gives no response: the outcome is unknown', async () => {
    for (const response of [{ status: 502 }, { status: 504 }, 'drop', 'hang'] as const) {
      provider.respond(response);
      expect(await deliver(name)).toMatchObject({ kind: 'unknown' });
    }
  });
});

test('a message composed for another form is rejected before it is sent', async () => {
  const result = await transports.postmark.deliver({ ...message, content: null }, new AbortController().signal);
  expect(result).toMatchObject(of('message'));
  expect(provider.received).toEqual([]);
});

/** The signature that Amazon documents: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
function signatureOf(path: string, headers: Record<string, string | string[] | undefined>, body: string): string {
  const date = String(headers['x-amz-date']);
  const names = /SignedHeaders=([^,]+)/.exec(String(headers.authorization))![1]!;
  const canonical = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const request = ['POST', path, '', canonical.join(''), names, hash(body)].join('\n');
  const scope = `${date.slice(0, 8)}/eu-central-1/ses/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, hash(request)].join('\n');
  const key = [date.slice(0, 8), 'eu-central-1', 'ses', 'aws4_request'].reduce<string | Buffer>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    'AWS4wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
