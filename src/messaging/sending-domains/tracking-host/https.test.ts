import { afterAll, describe, expect, test } from 'vitest';
import { exchange } from '../../../testing/exchange.ts';
import { testServer } from '../../../testing/harness.ts';
import { startSmtpSink } from '../../send/transports/smtp-sink.ts';
import { PUBLIC_HOST, trackingTests } from '../../testing/tracking-hosts.ts';
import { startTestDns } from '../testing-dns-server.ts';

const dns = await startTestDns();
const sink = await startSmtpSink();
afterAll(() => Promise.all([dns.close(), sink.close()]));
const server = testServer({
  config: {
    smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off`,
    dnsServers: [dns.address],
    publicUrl: `https://${PUBLIC_HOST}`,
  },
});
const { https, shopWithHost, check, verified, sentBy, statusAt, statusOf } = trackingTests(server, dns, sink.stored);
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const DAY = 24 * 3_600_000;
let count = 0;
const newDomain = (): string => `shop${++count}.example`;

describe('verification', () => {
  test.each([
    ['a certificate of another name', Object.assign(new Error('no'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })],
    ['no certificate', Object.assign(new Error('no'), { code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' })],
    ['the page of another server', { status: 200, body: 'welcome' }],
    ['a redirect', { status: 301, body: '' }],
    ['no page', { status: 404, body: 'Not found' }],
  ])('needs https: with %s there is none, and it is lost', async (_, other) => {
    const domain = newDomain();
    const { shop, id, host } = await shopWithHost(domain);
    dns.aliases.set(host, PUBLIC_HOST);
    https.set(host, other);
    const without = await check(shop, id);
    expect(without).toMatchObject({ state: 'verified', tracking_state: 'no_https' });
    expect(without.records[3]).toMatchObject({ state: 'no_https', found: expect.any(String) });
    expect((await sentBy(shop, `hi@${domain}`)).click).toMatch(`https://${PUBLIC_HOST}/`);
    // The certificate may be ordered, and the host responds to the check.
    expect((await server.request('GET', `/tls/ask?domain=${host}`)).status).toBe(200);
    expect(await statusAt(host, `/t/ready/${'0'.repeat(32)}`)).toBe(200);
    https.delete(host);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'verified' });
    const { click } = await sentBy(shop, `hi@${domain}`);
    expect(click).toMatch(`https://${host}/`);
    https.set(host, other);
    server.clock.advance(DAY);
    await worker('sending-domains').runOnce();
    expect((await shop.marketing('GET', `/sending-domains/${id}`)).body.tracking_state).toBe('no_https');
    expect((await sentBy(shop, `hi@${domain}`)).click).toMatch(`https://${PUBLIC_HOST}/`);
    expect(await statusOf(click)).toBe(302);
  });

  test.each([
    ['connection', Object.assign(new Error('no'), { code: 'ECONNREFUSED' })],
    ['response in time', new DOMException('late', 'TimeoutError')],
    ['program behind the proxy', { status: 502, body: '' }],
  ])('is neither got nor lost by https without a %s', async (_, other) => {
    const { shop, id, host } = await shopWithHost(newDomain());
    dns.aliases.set(host, PUBLIC_HOST);
    https.set(host, other);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'no_https' });
    https.delete(host);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'verified' });
    https.set(host, other);
    const silent = await check(shop, id);
    expect(silent).toMatchObject({ tracking_state: 'verified' });
    expect(silent.records[3]).toMatchObject({ state: 'unreachable' });
  });

  test('asks each host for its own value, of each request', async () => {
    const [one, other] = [await verified(newDomain()), await verified(newDomain())];
    const valueAt = async (host: string, nonce: string) => {
      const head = `GET /t/ready/${nonce} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return /[0-9a-f]{64}/.exec(await exchange(server.origin, head, 5_000))?.[0];
    };
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
    const values = [await valueAt(one.host, a), await valueAt(one.host, b), await valueAt(other.host, a)];
    expect(new Set(values.filter(Boolean)).size).toBe(3);
    expect(await valueAt(one.host.toUpperCase(), a)).toBe(values[0]);
    expect(await statusAt(one.host, '/t/ready/short')).toBe(404);
  });

  test('is of twenty new hosts of a company in a day', async () => {
    const domain = newDomain();
    const { shop, id, host } = await shopWithHost(domain);
    dns.aliases.set(host, PUBLIC_HOST);
    await server.rows(
      `insert into tracking_hosts (company_id, host, active, verified_at)
       select $1, 'h' || n || '.' || $2, false, $3 from generate_series(1, 20) n`,
      [shop.company_id, domain, server.clock.now()],
    );
    const limited = await check(shop, id);
    expect(limited).toMatchObject({ tracking_state: 'pending' });
    expect(limited.records[3]).toMatchObject({ state: 'limited' });
    expect((await server.request('GET', `/tls/ask?domain=${host}`)).status).toBe(404);
    server.clock.advance(DAY);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'verified' });
  });
});
