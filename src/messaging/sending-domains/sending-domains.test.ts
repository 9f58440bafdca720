import { createPublicKey, createVerify, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { contactOf, flowMessages } from '../testing/sending.ts';
import { startTestDns } from './testing-dns-server.ts';

const dns = await startTestDns();
const sink = await startSmtpSink();
afterAll(() => Promise.all([dns.close(), sink.close()]));
beforeEach(() => {
  dns.zone.clear();
});
const server = testServer({
  config: {
    smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off`,
    dnsServers: [dns.address],
    spfInclude: '_spf.mail.example',
    publicUrl: 'https://shop.example',
  },
});
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

async function shopWithDomain(domain = 'fernhill.example') {
  const shop = await server.company();
  const made = (await shop.marketing('POST', '/sending-domains', { domain })).body;
  const publish = (): void => {
    for (const { name, value } of made.records) dns.zone.set(name, [value]);
  };
  const check = async () => (await shop.marketing('POST', `/sending-domains/check/${made.domain_id}`)).body;
  const statesOf = (one: typeof made) => one.records.map(({ state }: { state: string }) => state);
  return { shop, made, publish, check, statesOf };
}

test('a domain shows the records to set, and no secret', async () => {
  const { shop, made } = await shopWithDomain('Fernhill.Example.');
  expect(made).toMatchObject({ domain: 'fernhill.example', state: 'pending', verified_at: null, checked_at: null });
  const [dkim, spf, dmarc] = made.records;
  expect(dkim).toMatchObject({ type: 'TXT', required: true, state: 'unchecked', found: null });
  expect(dkim.name).toMatch(/^tl[0-9a-f]{8}\._domainkey\.fernhill\.example$/);
  expect(dkim.value).toMatch(/^v=DKIM1; k=rsa; p=MII[A-Za-z0-9+/]{380,}=*$/);
  expect(spf).toMatchObject({ name: 'fernhill.example', value: 'v=spf1 include:_spf.mail.example ~all' });
  expect(dmarc).toMatchObject({ name: '_dmarc.fernhill.example', value: 'v=DMARC1; p=none' });
  const [row] = await server.rows<{ sealed_key: string }>(
    'select sealed_key from sending_domains where company_id = $1',
    [shop.company_id],
  );
  expect(Buffer.from(row!.sealed_key, 'base64').toString('latin1')).not.toContain('PRIVATE');
  expect(JSON.stringify(made)).not.toContain(row!.sealed_key);
});

test.each(['localhost', 'a b.example', '1.2.3.4', 'shop@x.example', 'https://x.example', 'x.example/y'])(
  '%j is no domain',
  async (domain) => {
    const refused = await (await server.company()).marketing('POST', '/sending-domains', { domain });
    expect(refused.status).toBe(400);
  },
);

test('a company has a domain once, and 20 at most; another company may have the same', async () => {
  const { shop } = await shopWithDomain();
  const again = await shop.marketing('POST', '/sending-domains', { domain: 'FERNHILL.example' });
  expect(again.status).toBe(400);
  expect(again.body.message).toContain('fernhill.example');
  expect((await shopWithDomain()).made.domain).toBe('fernhill.example');
  await server.rows(
    `insert into sending_domains (company_id, domain, selector, public_key, sealed_key, due_at, created_at)
     select $1, 'd' || n || '.example', 's', 'p', 'k', now() + interval '1 year', now() from generate_series(1, 19) n`,
    [shop.company_id],
  );
  expect((await shop.marketing('POST', '/sending-domains', { domain: 'more.example' })).status).toBe(400);
  expect((await shop.marketing('GET', '/sending-domains')).body.pagination.total).toBe(20);
});

test('a domain that is refused costs no key', async () => {
  const { shop } = await shopWithDomain();
  // More than may wait for keys.
  const refused = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${server.origin}/marketing/v1/sending-domains`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${shop.key}`,
          'x-company-id': String(shop.company_id),
          'content-type': 'application/json',
        },
        body: JSON.stringify({ domain: 'fernhill.example' }),
      }),
    ),
  );
  expect(refused.map(({ status }) => status)).toEqual(Array(12).fill(400));
});

test('a check finds published and missing records', async () => {
  const { made, publish, check, statesOf } = await shopWithDomain();
  expect(statesOf(await check())).toEqual(['missing', 'missing', 'missing']);
  publish();
  // Too soon for another check.
  expect(statesOf(await check())).toEqual(['missing', 'missing', 'missing']);
  server.clock.advance(5_000);
  const verified = await check();
  expect(verified).toMatchObject({ state: 'verified', failing_since: null });
  expect(verified.verified_at).not.toBeNull();
  expect(statesOf(verified)).toEqual(['found', 'found', 'found']);
  dns.zone.set(made.records[0].name, ['v=DKIM1; p=other']);
  server.clock.advance(5_000);
  const failing = await check();
  expect(failing).toMatchObject({ state: 'failing', verified_at: verified.verified_at });
  expect(failing.failing_since).not.toBeNull();
  expect(failing.records[0]).toMatchObject({ state: 'wrong', found: 'v=DKIM1; p=other' });
  dns.zone.set(made.records[0].name, 'broken');
  server.clock.advance(5_000);
  expect(await check()).toMatchObject({ state: 'failing', failing_since: failing.failing_since });
});

test('the worker checks due domains, and a dead DNS of one company delays no other', async () => {
  const slow = await shopWithDomain('slow.example');
  const good = await shopWithDomain('good.example');
  good.publish();
  for (const { name } of slow.made.records) dns.zone.set(name, 'silent');
  server.clock.advance(10 * 60_000);
  let isRunning = true;
  const running = worker('sending-domains')
    .runOnce()
    .finally(() => {
      isRunning = false;
    });
  const read = async () => (await good.shop.marketing('GET', `/sending-domains/${good.made.domain_id}`)).body;
  await expect.poll(async () => (await read()).state).toBe('verified');
  expect(isRunning).toBe(true);
  await running;
  const unreached = (await slow.shop.marketing('GET', `/sending-domains/${slow.made.domain_id}`)).body;
  expect(unreached).toMatchObject({ state: 'pending' });
  expect(unreached.records[0].state).toBe('unreachable');
  dns.zone.clear();
  good.publish();
  server.clock.advance(23 * 3_600_000);
  dns.asked.length = 0;
  await worker('sending-domains').runOnce();
  expect(dns.asked.filter((name) => name.endsWith('good.example'))).toEqual([]);
  server.clock.advance(3_600_000);
  await worker('sending-domains').runOnce();
  expect(dns.asked).toContain('_dmarc.good.example');
});

describe('signatures', () => {
  async function sentBy(shop: Awaited<ReturnType<typeof server.company>>, from: string): Promise<string> {
    await shop.marketing('PATCH', '/sending-settings', { from_email: from });
    const address = `ok@${randomUUID()}.example.net`;
    await flowMessages(server, shop, [await contactOf(server, shop, { email: address })]);
    await worker('sender').runOnce();
    return sink.stored.find(({ to }) => to === address)!.raw;
  }

  test('a verified domain signs its mails and those of domains below it, until it is removed', async () => {
    const { shop, made, publish, check } = await shopWithDomain();
    expect(await sentBy(shop, 'shop@fernhill.example')).not.toMatch(/^DKIM-Signature/im);
    publish();
    await check();
    const mail = await sentBy(shop, 'shop@fernhill.example');
    expect(isSigned(mail, made.records[0])).toBe(true);
    expect(isSigned(mail.replace('Subject:', 'Subject: x'), made.records[0])).toBe(false);
    expect(await sentBy(shop, 'shop@mail.fernhill.example')).toMatch(/^DKIM-Signature: [\s\S]*d=fernhill\.example/m);
    expect(await sentBy(shop, 'shop@other.example')).not.toMatch(/^DKIM-Signature/im);
    await shop.marketing('DELETE', `/sending-domains/${made.domain_id}`);
    expect(await sentBy(shop, 'shop@fernhill.example')).not.toMatch(/^DKIM-Signature/im);
  });
});

test('a preview warns of a sender whose domain is not verified, until it is', async () => {
  const { shop, publish, check } = await shopWithDomain();
  const codesOf = async (from: string | null) => {
    const body = { content: '<p>Hello {{ unsubscribe_url }}</p>', from };
    const { findings } = (await shop.marketing('POST', '/templates/preview', body)).body;
    return findings.map((one: { code: string; detail: string }) => `${one.code} ${one.detail}`);
  };
  expect(await codesOf(null)).toEqual(['unverified_sender tradeloom.example']);
  expect(await codesOf('Fernhill <shop@fernhill.example>')).toEqual(['unverified_sender fernhill.example']);
  publish();
  await check();
  expect(await codesOf('Fernhill <shop@fernhill.example>')).toEqual([]);
  expect(await codesOf('shop@other.example')).toEqual(['unverified_sender other.example']);
  const unsaid = await shop.marketing('POST', '/templates/preview', { content: '<p>{{ unsubscribe_url }}</p>' });
  expect(unsaid.body.findings).toEqual([]);
  const campaign = { name: 'News', type: 'email', subject: 'News', content: '<p>{{ unsubscribe_url }}</p>' };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', campaign)).body;
  const shown = (await shop.marketing('POST', `/campaigns/preview/${campaign_id}`)).body;
  expect(shown.warnings).toEqual([expect.stringContaining('tradeloom.example is not verified')]);
});

/** Verifies the signature with only the published key (RFC 6376, relaxed/relaxed). */
function isSigned(mail: string, { value }: { value: string }): boolean {
  const end = mail.indexOf('\r\n\r\n');
  const fields = mail.slice(0, end).split(/\r\n(?![ \t])/);
  const relaxed = (field: string): string => {
    const at = field.indexOf(':');
    return `${field.slice(0, at).toLowerCase().trim()}:${field
      .slice(at + 1)
      .replace(/\s+/g, ' ')
      .trim()}`;
  };
  const signature = fields.find((field) => /^dkim-signature:/i.test(field))!;
  const tags = new Map(
    signature
      .slice(signature.indexOf(':') + 1)
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s+/g, '')]),
  );
  const signed = tags
    .get('h')!
    .split(':')
    .flatMap((name) => fields.find((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`)) ?? []);
  const unsigned = relaxed(signature.replace(/([;\s]b=)[^;]*/, '$1'));
  const data = [...signed.map((field) => `${relaxed(field)}\r\n`), unsigned].join('');
  const key = createPublicKey({ key: Buffer.from(value.split('p=')[1]!, 'base64'), format: 'der', type: 'spki' });
  return createVerify('sha256').update(data, 'latin1').verify(key, tags.get('b')!, 'base64');
}
