import { createHmac, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { purgeOldNotifications } from '../service.ts';
import { contactOf } from '../testing/sending.ts';
import { createBounceProviders } from './bounce-providers.ts';
import { nodesRoots } from './certificates.ts';
import { type CertificateOf, certificateOf, derOf } from './testing-certificate.ts';

// Failures at Amazon are logged as errors.
const server = testServer({ impatient: true, config: { logLevel: 'silent' } });
const HOUR = 3_600_000;
const ec = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:bounces';
const HOST = 'https://sns.eu-west-1.amazonaws.com';
const CERTIFICATE = `${HOST}/SimpleNotificationService-01d088a6f77103d0fe307c0069e40ed6.pem`;

// A trusted root, an intermediate authority, and the SNS certificates that it issues.
const root = { name: 'Root', keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const authority = { name: 'Authority', keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const trusted = new X509Certificate(certificateOf({ ...root, ca: true }));
const authorityBelow = certificateOf({ ...authority, issuer: root, ca: true });
const AUTHORITY_AT = 'http://crt.authority.example/authority.cer';
const certificateOfSns = (more: Partial<CertificateOf> = {}) =>
  certificateOf({ keys: rsa, issuer: authority, hosts: ['sns.amazonaws.com'], issuerAt: AUTHORITY_AT, ...more });

/** URLs requested from Amazon, and its responses. */
const asked: string[] = [];
let amazon: (url: string) => { status: number; body: string };
beforeEach(() => {
  const { messaging, masterKey, safeFetch } = server.app;
  const { companies } = messaging;
  messaging.bounceProviders = createBounceProviders({ companies, masterKey, safeFetch, roots: () => [trusted] });
  asked.length = 0;
  amazon = (url) => ({
    status: 200,
    body: url.endsWith('.pem') ? certificateOfSns() : '<ConfirmSubscriptionResponse/>',
  });
  server.app.safeFetch.fetch = async ({ url }) => {
    if (url === AUTHORITY_AT) return { type: '', status: 200, body: derOf(authorityBelow).toString('latin1') };
    asked.push(url);
    return { type: '', ...amazon(url) };
  };
  // An address may fail 30 times a minute.
  server.clock.advance(61_000);
});

type Headers = Record<string, string>;
const ADDRESSES = {
  ses: (company: number) => `/marketing/bounces/ses/${company}`,
  sendgrid: (company: number) => `/marketing/bounces/sendgrid/${company}`,
  mailgun: (company: number) => `/marketing/bounces/mailgun/${company}`,
  postmark: (company: number) => `/marketing/bounces/postmark/${company}`,
};
type Provider = keyof typeof ADDRESSES;
function post(provider: Provider, company: number, raw: string, headers: Headers = {}) {
  const path = ADDRESSES[provider](company);
  return server.request('POST', path, { raw, headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers } });
}
const set = async (shop: TestCompany, bounces: object) => {
  const response = await shop.marketing('PATCH', '/sending-settings', { bounces });
  expect(response.status).toBe(200);
  return response.body.bounces;
};
const statusOf = async (shop: TestCompany, contact: number) =>
  (await shop.marketing('GET', `/contacts/${contact}`)).body.status;
const seconds = (shift = 0) => String(Math.floor((server.clock.now().getTime() + shift) / 1_000));

/** The notification format of one provider, with a key of its own. */
interface Kit {
  settings: object;
  /** `body` in the provider's format; signed as of now plus `shift`. */
  send(company: number, body: object, shift?: number): [raw: string, headers: Headers];
  hardBounce(email: string, id: string): object;
}

function sendGridKit(): Kit {
  const keys = ec();
  return {
    settings: { sendgrid: { public_key: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64') } },
    send(_company, body, shift) {
      const raw = `${JSON.stringify(body)}\r\n`;
      const signature = sign('sha256', Buffer.from(seconds(shift) + raw), keys.privateKey).toString('base64');
      return [
        raw,
        {
          'x-twilio-email-event-webhook-signature': signature,
          'x-twilio-email-event-webhook-timestamp': seconds(shift),
        },
      ];
    },
    hardBounce: (email, id) => [{ email, event: 'bounce', type: 'bounce', sg_event_id: id }],
  };
}

function mailgunKit(): Kit {
  const key = 'key-0123456789abcdef0123456789abcdef';
  let n = 0;
  return {
    settings: { mailgun: { signing_key: key } },
    send(_company, body, shift) {
      const token = `token${n++}`.padEnd(50, 'e');
      const timestamp = seconds(shift);
      const signature = createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex');
      return [JSON.stringify({ signature: { timestamp, token, signature }, ...body }), {}];
    },
    hardBounce: (recipient) => ({ 'event-data': { event: 'failed', severity: 'permanent', recipient } }),
  };
}

function postmarkKit(): Kit {
  const [username, password] = ['tradeloom', 'a-long-enough-password:with-colon'];
  return {
    settings: { postmark: { username, password } },
    send: (_company, body) => [
      JSON.stringify(body),
      { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    ],
    hardBounce: (email, id) => ({ RecordType: 'Bounce', Type: 'HardBounce', Email: email, ID: id }),
  };
}

function signedSns(message: Record<string, string>, version = '1'): string {
  const fields = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = fields.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`])).join('');
  const signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), rsa.privateKey).toString('base64');
  return JSON.stringify({ SigningCertURL: CERTIFICATE, SignatureVersion: version, Signature: signature, ...message });
}

function snsMessage(body: object | string, shift = 0, more: Record<string, string> = {}): Record<string, string> {
  return {
    Type: 'Notification',
    MessageId: `id-${Math.random()}`,
    TopicArn: TOPIC,
    Message: typeof body === 'string' ? body : JSON.stringify(body),
    Timestamp: new Date(server.clock.now().getTime() + shift).toISOString(),
    ...more,
  };
}

function sesKit(version: string): Kit {
  return {
    settings: { ses: { topic_arn: TOPIC } },
    send: (_company, body, shift) => [signedSns(snsMessage(body, shift), version), {}],
    hardBounce: (email) => ({
      notificationType: 'Bounce',
      bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: email }] },
    }),
  };
}

describe.each<[string, Provider, () => Kit]>([
  ['SendGrid', 'sendgrid', sendGridKit],
  ['Mailgun', 'mailgun', mailgunKit],
  ['Postmark', 'postmark', postmarkKit],
  ['SES by SNS, signature version 1', 'ses', () => sesKit('1')],
  ['SES by SNS, signature version 2', 'ses', () => sesKit('2')],
])('a notification of %s', (_name, provider, kitOf) => {
  test('as the provider signs it is taken in once, however often it comes', async () => {
    const [shop, kit] = [await server.company(), kitOf()];
    await set(shop, kit.settings);
    const email = `gone@${provider}${shop.company_id}.example.net`;
    const contact = await contactOf(server, shop, { email });
    const [raw, headers] = kit.send(shop.company_id, kit.hardBounce(email, 'e1'));
    const first = await post(provider, shop.company_id, raw, headers);
    expect([first.status, first.body]).toEqual([200, { received: true, reports: 1, applied: 1 }]);
    expect(await statusOf(shop, contact)).toBe('bounced');
    // The mailbox works again; a replayed notification must not undo that.
    await shop.marketing('POST', `/contacts/resubscribe/${contact}`);
    const again = await post(provider, shop.company_id, raw, headers);
    expect([again.status, again.body.applied]).toEqual([200, 0]);
    expect(await statusOf(shop, contact)).toBe('subscribed');
  });

  test('of another key, company, body or time is refused with the text of all refusals', async () => {
    const [shop, other, kit] = [await server.company(), await server.company(), kitOf()];
    await set(shop, kit.settings);
    const [raw, headers] = kit.send(shop.company_id, kit.hardBounce('x@example.net', 'e2'));
    const refusals = [
      await post(provider, other.company_id, raw, headers),
      await post(provider, 999_999, raw, headers),
      await post(provider, shop.company_id, '{}', {}),
      await post(provider, shop.company_id, '[1', { authorization: 'Basic ####' }),
      await post(provider, shop.company_id, '{"signature":{"timestamp":{"toString":1},"token":"t","signature":"s"}}'),
      await post(provider, shop.company_id, '{"Type":["Notification"],"TopicArn":{"toString":1},"signature":null}'),
    ];
    // Mailgun does not sign the body, and Postmark signs nothing at all.
    const signsBody = provider === 'ses' || provider === 'sendgrid';
    if (signsBody) refusals.push(await post(provider, shop.company_id, raw.replace('x@', 'y@'), headers));
    if (provider !== 'postmark') {
      for (const shift of [-26 * HOUR, 10 * 60_000]) {
        const [stale, signed] = kit.send(shop.company_id, kit.hardBounce('x@example.net', 'e3'), shift);
        refusals.push(await post(provider, shop.company_id, stale, signed));
      }
    }
    if (provider !== 'ses') {
      await set(shop, kitOf().settings);
      await set(shop, {
        mailgun: { signing_key: 'another-signing-key' },
        postmark: { username: 'u', password: 'p'.repeat(16) },
      });
      refusals.push(await post(provider, shop.company_id, raw, headers));
    }
    await set(shop, { ses: null, sendgrid: null, mailgun: null, postmark: null });
    refusals.push(await post(provider, shop.company_id, raw, headers));
    const text = (await server.request('POST', '/marketing/bounces', { raw: '{}' })).body;
    for (const refusal of refusals) expect([refusal.status, refusal.body]).toEqual([401, text]);
  });

  test('a day late is taken in, and one about something else has no reports', async () => {
    const [shop, kit] = [await server.company(), kitOf()];
    await set(shop, kit.settings);
    const late = kit.send(shop.company_id, kit.hardBounce('late@example.net', 'e4'), -24 * HOUR);
    expect((await post(provider, shop.company_id, ...late)).body).toMatchObject({ reports: 1 });
    const other = kit.send(shop.company_id, { hello: 1 });
    expect((await post(provider, shop.company_id, ...other)).body).toEqual({ received: true, reports: 0, applied: 0 });
  });
});

test('a token of Mailgun is good for one body', async () => {
  const [shop, kit] = [await server.company(), mailgunKit()];
  await set(shop, kit.settings);
  const [raw] = kit.send(shop.company_id, { 'event-data': { event: 'opened', recipient: 'a@example.net' } });
  await post('mailgun', shop.company_id, raw);
  const { signature } = JSON.parse(raw);
  const contact = await contactOf(server, shop, { email: 'forged@example.net' });
  const forged = JSON.stringify({ signature, ...kit.hardBounce('forged@example.net', '') });
  expect((await post('mailgun', shop.company_id, forged)).body).toMatchObject({ reports: 1, applied: 0 });
  expect(await statusOf(shop, contact)).toBe('subscribed');
});

test('a batch of SendGrid loses no bounce, however many events stand before it', async () => {
  const [shop, kit] = [await server.company(), sendGridKit()];
  await set(shop, kit.settings);
  await contactOf(server, shop, { email: 'last@example.net' });
  const opened = Array.from({ length: 9_000 }, (_, i) => ({ event: 'open', email: `n${i}@example.net` }));
  const batch = [...opened, ...(kit.hardBounce('last@example.net', 'e') as object[])];
  const response = await post('sendgrid', shop.company_id, ...kit.send(shop.company_id, batch));
  expect(response.body).toEqual({ received: true, reports: 1, applied: 1 });
});

describe('the certificate of SNS', () => {
  const refusedAt = async (SigningCertURL: string) => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    asked.length = 0;
    const raw = JSON.stringify({ ...JSON.parse(signedSns(snsMessage({}))), SigningCertURL });
    expect((await post('ses', shop.company_id, raw)).status).toBe(401);
    return [...asked];
  };

  test.each([
    'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0.pem',
    'https://evil.example/SimpleNotificationService-0.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem',
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-0.pem',
    'https://user@sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-west-1.amazonaws.com/?Action=x&y=/SimpleNotificationService-0.pem',
    'https://sns.eu-west-1.amazonaws.com/a/../SimpleNotificationService-0.pem',
    'https://s3.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem',
    'constructor',
    '',
  ])('%s is not asked for', async (url) => expect(await refusedAt(url)).toEqual([]));

  test('is fetched once; an response that is none, or is of another key, refuses', async () => {
    const at = `${HOST}/SimpleNotificationService-other.pem`;
    amazon = () => ({ status: 200, body: 'no certificate' });
    expect(await refusedAt(at)).toEqual([at]);
    amazon = () => ({
      status: 200,
      body: certificateOfSns({ keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) }),
    });
    expect(await refusedAt(at)).toEqual([at]);
    expect(await refusedAt(at)).toEqual([]);
  });

  /** Whether a message that SNS signs with the certificate is accepted. */
  const takenWith = async (pem: string, topic = TOPIC) => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: topic } });
    const at = `https://sns.${topic.split(':')[3]}.amazonaws.com/SimpleNotificationService-${pem.length}${shop.company_id}.pem`;
    amazon = () => ({ status: 200, body: pem });
    const signed = JSON.parse(signedSns({ ...snsMessage({}), TopicArn: topic }));
    const raw = JSON.stringify({ ...signed, SigningCertURL: at });
    const { status } = await post('ses', shop.company_id, raw);
    // An address may fail 30 times a minute.
    server.clock.advance(10_000);
    return status === 200;
  };
  const day = (shift: number) => new Date(server.clock.now().getTime() + shift * 24 * HOUR);
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

  test.each<[string, () => string]>([
    ['of SNS as a whole', () => certificateOfSns()],
    ['of the region', () => certificateOfSns({ hosts: ['sns-signing.eu-west-1.amazonaws.com'] })],
    ['with its host as its only name', () => certificateOfSns({ hosts: [], name: 'sns.amazonaws.com' })],
    ['that brings its issuer along', () => certificateOfSns({ issuerAt: undefined }) + authorityBelow],
    ['that the root itself issued', () => certificateOfSns({ issuer: root, issuerAt: undefined })],
    ['that ends today', () => certificateOfSns({ until: day(0.1) })],
  ])('%s is taken', async (_, pem) => expect(await takenWith(pem())).toBe(true));

  test.each<[string, () => string]>([
    ['signed by itself', () => certificateOfSns({ issuer: undefined, issuerAt: undefined })],
    ['signed by a key that has the issuer’s name', () => certificateOfSns({ issuer: { ...authority, keys: other } })],
    ['of another host', () => certificateOfSns({ hosts: ['shop.example'] })],
    ['of another region', () => certificateOfSns({ hosts: ['sns-signing.af-south-1.amazonaws.com'] })],
    ['of a host below', () => certificateOfSns({ hosts: ['evil.sns.amazonaws.com', '*.amazonaws.com'] })],
    [
      'whose name stands beside others alone',
      () => certificateOfSns({ hosts: ['shop.example'], name: 'sns.amazonaws.com' }),
    ],
    ['of last year', () => certificateOfSns({ until: day(-1) })],
    ['of next year', () => certificateOfSns({ from: day(1) })],
    ['of an authority itself', () => certificateOfSns({ ca: true })],
    ['whose issuer cannot be found', () => certificateOfSns({ issuerAt: undefined })],
    ['whose issuer is somebody else', () => certificateOfSns({ issuerAt: `${HOST}/issuer.pem` })],
    [
      'issued by one who may not',
      () => certificateOfSns({ issuerAt: undefined }) + certificateOf({ ...authority, issuer: root, ca: false }),
    ],
    [
      'issued by one whose time is over',
      () =>
        certificateOfSns({ issuerAt: undefined }) +
        certificateOf({ ...authority, issuer: root, ca: true, until: day(-1) }),
    ],
    [
      'under a root that nobody trusts',
      () => certificateOfSns({ issuerAt: undefined }) + certificateOf({ ...authority, ca: true }),
    ],
  ])('%s is refused', async (_, pem) => expect(await takenWith(pem())).toBe(false));

  test('of both American regions for governments is one of the western', async () => {
    const pem = certificateOfSns({ hosts: ['sns-us-gov-west-1.amazonaws.com'] });
    const gov = (region: string) => TOPIC.replace('aws:sns:eu-west-1', `aws-us-gov:sns:${region}`);
    expect(await takenWith(pem, gov('us-gov-west-1'))).toBe(true);
    expect(await takenWith(pem, gov('us-gov-east-1'))).toBe(true);
    expect(await takenWith(pem)).toBe(false);
  });

  test('is kept no longer than it and its issuers are valid', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    const SigningCertURL = `${HOST}/SimpleNotificationService-short.pem`;
    const brief = certificateOf({ ...authority, issuer: root, ca: true, until: day(1) });
    amazon = () => ({ status: 200, body: certificateOfSns({ issuerAt: undefined }) + brief });
    const sent = () =>
      post('ses', shop.company_id, JSON.stringify({ ...JSON.parse(signedSns(snsMessage({}))), SigningCertURL }));
    expect([(await sent()).status, (await sent()).status, asked.length]).toEqual([200, 200, 1]);
    server.clock.advance(25 * HOUR);
    expect([(await sent()).status, asked.length]).toEqual([401, 2]);
  });

  test('whose issuer cannot be asked now is no refusal: SNS tries again', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    const SigningCertURL = `${HOST}/SimpleNotificationService-away.pem`;
    const raw = JSON.stringify({ ...JSON.parse(signedSns(snsMessage({}))), SigningCertURL });
    const issuerAt = 'http://crt.authority.example/away.cer';
    amazon = (url) => ({ status: url === issuerAt ? 503 : 200, body: certificateOfSns({ issuerAt }) });
    expect((await post('ses', shop.company_id, raw)).status).toBe(500);
  });

  test('that cannot be fetched now is no refusal: SNS tries again', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    const SigningCertURL = `${HOST}/SimpleNotificationService-down.pem`;
    const raw = JSON.stringify({ ...JSON.parse(signedSns(snsMessage({}))), SigningCertURL });
    amazon = () => ({ status: 503, body: '' });
    expect((await post('ses', shop.company_id, raw)).status).toBe(500);
    amazon = () => ({ status: 200, body: certificateOfSns() });
    expect((await post('ses', shop.company_id, raw)).status).toBe(200);
  });
});

test('Node trusts the root under which Amazon issues the certificates of SNS', () => {
  const subjects = nodesRoots().map(({ subject }) => subject);
  expect(subjects).toContain('C=US\nO=Amazon\nCN=Amazon Root CA 1');
});

describe('a subscription of SNS', () => {
  const request = (more: Record<string, string> = {}) =>
    snsMessage('You have chosen to subscribe', 0, {
      Type: 'SubscriptionConfirmation',
      Token: '2336412f37',
      SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription',
      ...more,
    });
  const confirmation = `${HOST}/?Action=ConfirmSubscription&TopicArn=arn%3Aaws%3Asns%3Aeu-west-1%3A123456789012%3Abounces&Token=2336412f37`;

  test('is confirmed at the address of the topic and nowhere else', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    expect((await post('ses', shop.company_id, signedSns(request()))).status).toBe(200);
    expect(asked.filter((url) => url !== CERTIFICATE)).toEqual([confirmation]);
  });

  test('of another topic, or with a forged token, is not confirmed', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    const forged = { ...JSON.parse(signedSns(request())), Token: 'forged' };
    const foreign = signedSns(request({ TopicArn: TOPIC.replace('bounces', 'others') }));
    for (const raw of [JSON.stringify(forged), foreign, signedSns({ ...request(), Type: 'constructor' })]) {
      expect((await post('ses', shop.company_id, raw)).status).toBe(401);
    }
    expect(asked.filter((url) => url !== CERTIFICATE)).toEqual([]);
  });

  test('that Amazon does not take is tried again with the next request', async () => {
    const shop = await server.company();
    await set(shop, { ses: { topic_arn: TOPIC } });
    const raw = signedSns(request());
    amazon = (url) => ({ status: url.endsWith('.pem') ? 200 : 400, body: certificateOfSns() });
    expect((await post('ses', shop.company_id, raw)).status).toBe(500);
    amazon = () => ({ status: 200, body: '' });
    expect((await post('ses', shop.company_id, raw)).status).toBe(200);
  });
});

describe('the settings', () => {
  test('show where each provider is to send, and no secret; they are stored sealed and not in the audit log', async () => {
    const shop = await server.company();
    const { sendgrid } = sendGridKit().settings as { sendgrid: object };
    const mailgun = { signing_key: 'the-mailgun-secret' };
    const postmark = { username: 'tradeloom', password: 'the-postmark-secret' };
    const bounces = await set(shop, { ses: { topic_arn: TOPIC }, sendgrid, mailgun, postmark });
    const at = `${server.origin}/marketing/bounces`;
    expect(bounces).toEqual({
      ses: { url: `${at}/ses/${shop.company_id}`, topic_arn: TOPIC },
      sendgrid: { url: `${at}/sendgrid/${shop.company_id}`, ...sendgrid },
      mailgun: { url: `${at}/mailgun/${shop.company_id}` },
      postmark: { url: `${at}/postmark/${shop.company_id}`, username: 'tradeloom' },
    });
    expect(await set(shop, { mailgun: null })).toEqual({ ...bounces, mailgun: null });
    const kept = await server.rows<{ text: string }>(
      `select settings::text as text from companies where company_id = $1
       union all select details::text from audit_log where company_id = $1`,
      [shop.company_id],
    );
    expect(kept.length).toBeGreaterThan(2);
    for (const { text } of kept) expect(text).not.toContain('-secret');
  });

  test.each([
    [{ ses: { topic_arn: 'arn:aws:sqs:eu-west-1:123456789012:bounces' } }, /topic_arn/],
    [{ sendgrid: { public_key: 'MFkw' } }, /public_key/],
    [
      { sendgrid: { public_key: rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64') } },
      /public_key/,
    ],
    [{ mailgun: { signing_key: '' } }, /signing_key/],
    [{ mailgun: { signing_key: 'k' } }, /signing_key/],
    [{ mailgun: { signing_key: 'fifteen-letters' } }, /signing_key/],
    [{ postmark: { username: 'a:b', password: 'x'.repeat(16) } }, /username/],
    [{ postmark: { username: 'a', password: 'short' } }, /password/],
  ])('refuse %j', async (bounces, message) => {
    const refused = await (await server.company()).marketing('PATCH', '/sending-settings', { bounces });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(message);
  });
});

test('notifications are forgotten when they would be refused for their age', async () => {
  const [shop, kit] = [await server.company(), postmarkKit()];
  await set(shop, kit.settings);
  await post('postmark', shop.company_id, ...kit.send(shop.company_id, { RecordType: 'Delivery' }));
  const kept = async () =>
    (await server.rows('select 1 from bounce_notifications where company_id = $1', [shop.company_id])).length;
  await allSlices(purgeOldNotifications(server.app.db, server.clock));
  expect(await kept()).toBe(1);
  server.clock.advance(27 * HOUR);
  await allSlices(purgeOldNotifications(server.app.db, server.clock));
  expect(await kept()).toBe(0);
});
