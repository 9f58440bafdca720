import { afterAll, describe, expect, test } from 'vitest';
import { anotherApp } from '../../../testing/another-app.ts';
import { testServer } from '../../../testing/harness.ts';
import { startSmtpSink } from '../../send/transports/smtp-sink.ts';
import { contactOf } from '../../testing/sending.ts';
import { PUBLIC_HOST, trackingTests } from '../../testing/tracking-hosts.ts';
import { startTestDns } from '../testing-dns-server.ts';
import { createLinkBase, publicHostOf } from './rules.ts';

const dns = await startTestDns();
const sink = await startSmtpSink();
afterAll(() => Promise.all([dns.close(), sink.close()]));
const server = testServer({
  config: {
    smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off`,
    dnsServers: [dns.address],
    publicUrl: `https://${PUBLIC_HOST}`,
    hosts: ['api.fernhill.example', '*.own.fernhill.example'],
  },
});
const { shopWithHost, check, verified, sentBy, mailTo, statusAt, statusOf } = trackingTests(server, dns, sink.stored);
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
let count = 0;
const newDomain = (): string => `shop${++count}.example`;

describe('a name for the links', () => {
  test.each([
    ['links.other.example', 'must lie below'],
    ['fernhill.example', 'must lie below'],
    ['evilfernhill.example', 'must lie below'],
    ['links .fernhill.example', 'must be the name'],
    ['https://links.fernhill.example', 'must be the name'],
    ['api.fernhill.example', 'of this installation'],
    ['api.own.fernhill.example', 'of this installation'],
  ])('%j is refused: it %s', async (tracking_host, reason) => {
    const shop = await server.company();
    const input = { domain: 'fernhill.example', tracking_host };
    const refused = await shop.marketing('POST', '/sending-domains', input);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(reason)]);
    const { body } = await shop.marketing('POST', '/sending-domains', { domain: 'fernhill.example' });
    expect((await shop.marketing('PATCH', `/sending-domains/${body.domain_id}`, { tracking_host })).status).toBe(400);
  });

  test('is one domain’s of a company, and shows the record to set', async () => {
    const { shop, made } = await shopWithHost('fernhill.example', 'Links.News.Fernhill.Example.');
    expect(made).toMatchObject({ tracking_host: 'links.news.fernhill.example', tracking_state: 'pending' });
    expect(made.records[3]).toEqual({
      purpose: 'tracking',
      type: 'CNAME',
      name: 'links.news.fernhill.example',
      value: PUBLIC_HOST,
      required: false,
      state: 'unchecked',
      found: null,
    });
    const { body: second } = await shop.marketing('POST', '/sending-domains', { domain: 'news.fernhill.example' });
    expect(second).toMatchObject({ tracking_host: null, tracking_state: null });
    expect(second.records).toHaveLength(3);
    const path = `/sending-domains/${second.domain_id}`;
    const refused = await shop.marketing('PATCH', path, { tracking_host: 'links.news.fernhill.example' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('Another sending')]);
    const set = await shop.marketing('PATCH', path, { tracking_host: 'go.news.fernhill.example' });
    expect(set.body).toMatchObject({ tracking_host: 'go.news.fernhill.example', tracking_state: 'pending' });
    const { body: none } = await shop.marketing('PATCH', path, { tracking_host: null });
    expect(none).toMatchObject({ tracking_host: null, tracking_state: null });
  });
});

describe('verification', () => {
  test('needs the CNAME and the key of the domain, in the same check', async () => {
    const { shop, id, host, dkim } = await shopWithHost(newDomain());
    expect(await check(shop, id)).toMatchObject({ state: 'verified', tracking_state: 'pending' });
    dns.aliases.set(host, 'elsewhere.example');
    const wrong = await check(shop, id);
    expect(wrong.records[3]).toMatchObject({ state: 'wrong', found: 'elsewhere.example' });
    dns.aliases.set(host, PUBLIC_HOST);
    dns.zone.delete(dkim.name);
    const keyless = await check(shop, id);
    expect(keyless).toMatchObject({ state: 'failing', tracking_state: 'pending' });
    expect(keyless.records[3]).toMatchObject({ state: 'found' });
    dns.zone.set(dkim.name, [dkim.value]);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'verified' });
    dns.zone.delete(dkim.name);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'failing' });
  });

  test('is lost with the CNAME, not by a DNS that does not respond', async () => {
    const { shop, id, host } = await verified(newDomain());
    dns.zone.set(host, 'broken');
    const unreached = await check(shop, id);
    expect(unreached).toMatchObject({ tracking_state: 'verified' });
    expect(unreached.records[3]).toMatchObject({ state: 'unreachable' });
    dns.zone.delete(host);
    dns.aliases.delete(host);
    expect(await check(shop, id)).toMatchObject({ tracking_state: 'failing' });
  });

  test('is done by the worker, ten minutes after the host was named', async () => {
    const domain = newDomain();
    const { shop, id, host } = await verified(domain, `first.${domain}`);
    server.clock.advance(5 * 24 * 3_600_000);
    await worker('sending-domains').runOnce();
    dns.aliases.set(`links.${domain}`, PUBLIC_HOST);
    await shop.marketing('PATCH', `/sending-domains/${id}`, { tracking_host: `links.${domain}` });
    const state = async () => (await shop.marketing('GET', `/sending-domains/${id}`)).body.tracking_state;
    server.clock.advance(9 * 60_000);
    await worker('sending-domains').runOnce();
    expect(await state()).toBe('pending');
    server.clock.advance(60_000);
    await worker('sending-domains').runOnce();
    expect(await state()).toBe('verified');
    expect(host).toBe(`first.${domain}`);
  });

  test('of one host is one company’s, also where two ask at once, and the other’s once it is lost', async () => {
    for (let round = 0; round < 5; round++) {
      const domain = newDomain();
      const both = [await shopWithHost(domain), await shopWithHost(domain)];
      dns.aliases.set(both[0]!.host, PUBLIC_HOST);
      server.clock.advance(5_000);
      // Both keys are published in the domain, under separate names.
      const checked = await Promise.all(
        both.map(({ shop, id }) => shop.marketing('POST', `/sending-domains/check/${id}`)),
      );
      expect(checked.map(({ body }) => body.tracking_state).sort()).toEqual(['pending', 'verified']);
      const first = checked[0]!.body.tracking_state === 'verified' ? 0 : 1;
      const [holder, other] = [both[first]!, both[1 - first]!];
      expect(checked[1 - first]!.body.records[3]).toMatchObject({ state: 'taken' });
      await holder.shop.marketing('PATCH', `/sending-domains/${holder.id}`, { tracking_host: null });
      expect(await check(other.shop, other.id)).toMatchObject({ tracking_state: 'verified' });
    }
  });

  test('of a host that was exchanged while the DNS was asked is not the new one’s', async () => {
    const domain = newDomain();
    const { shop, id, host } = await shopWithHost(domain);
    dns.aliases.set(host, PUBLIC_HOST);
    dns.zone.set(`_dmarc.${domain}`, 'silent');
    server.clock.advance(5_000);
    const checking = shop.marketing('POST', `/sending-domains/check/${id}`);
    await expect.poll(() => dns.asked.includes(host)).toBe(true);
    await shop.marketing('PATCH', `/sending-domains/${id}`, { tracking_host: `other.${domain}` });
    const { body } = await checking;
    expect(body).toMatchObject({ tracking_host: `other.${domain}`, tracking_state: 'pending' });
    expect(body.records[3]).toMatchObject({ state: 'unchecked' });
  });
});

describe('e-mails', () => {
  test('lead to the public address, to the host once it is verified, and to the public address again', async () => {
    const domain = newDomain();
    const { shop, id, host } = await shopWithHost(domain);
    const before = await sentBy(shop, `hi@${domain}`);
    for (const url of [before.click, before.pixel, before.leave, before.oneClick]) {
      expect(url).toMatch(`https://${PUBLIC_HOST}/`);
    }
    dns.aliases.set(host, PUBLIC_HOST);
    await check(shop, id);
    const during = await sentBy(shop, `hi@news.${domain}`);
    for (const url of [during.click, during.pixel, during.leave, during.oneClick]) {
      expect(url).toMatch(`https://${host}/`);
    }
    expect(during.raw).not.toContain(PUBLIC_HOST);
    expect(during.raw).toMatch(new RegExp(`^DKIM-Signature: .*d=${domain}`, 'm'));
    expect((await sentBy(shop, 'hi@elsewhere.example')).click).toMatch(`https://${PUBLIC_HOST}/`);
    dns.aliases.delete(host);
    await check(shop, id);
    expect((await sentBy(shop, `hi@${domain}`)).click).toMatch(`https://${PUBLIC_HOST}/`);
    // Links already sent are served as long as the DNS points here.
    expect([await statusOf(during.click), await statusOf(during.pixel), await statusOf(during.leave)]).toEqual([
      302, 200, 200,
    ]);
    expect(await statusOf(before.click)).toBe(302);
  });

  test('of a campaign lead to the host as well', async () => {
    const domain = newDomain();
    const { shop, host } = await verified(domain);
    await shop.marketing('PATCH', '/sending-settings', { from_email: `hi@${domain}` });
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    const contact = await contactOf(server, shop, { email: `ok@campaign.${domain}` });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [contact] });
    const content = '<a href="https://shop.example/tea">Tea</a> <a href="{{ unsubscribe_url }}">Leave</a>';
    const campaign = { name: 'C', type: 'email', subject: 'x', content, list_id: list.list_id };
    const { body } = await shop.marketing('POST', '/campaigns', campaign);
    await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
    for (let done = 1; done > 0; ) {
      done = 0;
      for (const name of ['campaigns', 'sender']) done += await worker(name).runOnce();
    }
    const mail = mailTo(`ok@campaign.${domain}`);
    for (const url of [mail.click, mail.pixel, mail.leave, mail.oneClick]) expect(url).toMatch(`https://${host}/`);
    expect(mail.raw).not.toContain(PUBLIC_HOST);
    const form = { method: 'POST', headers: 'Content-Type: application/x-www-form-urlencoded\r\n' };
    expect(await statusOf(mail.oneClick, { ...form, body: 'List-Unsubscribe=One-Click' })).toBe(200);
    const { body: left } = await shop.marketing('GET', `/contacts/${contact}`);
    expect(left).toMatchObject({ status: 'unsubscribed' });
  });

  test('that were sent are served at a former host after the domain has another one or is removed', async () => {
    const domain = newDomain();
    const { shop, id, host } = await verified(domain);
    const { click } = await sentBy(shop, `hi@${domain}`);
    dns.aliases.set(`new.${domain}`, PUBLIC_HOST);
    await shop.marketing('PATCH', `/sending-domains/${id}`, { tracking_host: `new.${domain}` });
    await check(shop, id);
    const second = await sentBy(shop, `hi@${domain}`);
    expect([new URL(click).host, new URL(second.click).host]).toEqual([host, `new.${domain}`]);
    await shop.marketing('DELETE', `/sending-domains/${id}`);
    expect([await statusOf(click), await statusOf(second.click)]).toEqual([302, 302]);
    expect((await sentBy(shop, `hi@${domain}`)).click).toMatch(`https://${PUBLIC_HOST}/`);
  });
});

describe('the door', () => {
  test('opens to a host when it is verified, for links alone', async () => {
    const domain = newDomain();
    const { shop, id, host } = await shopWithHost(domain);
    expect(await statusAt(host, '/u/x')).toBe(400);
    dns.aliases.set(host, PUBLIC_HOST);
    await check(shop, id);
    const { click, leave } = await sentBy(shop, `hi@${domain}`);
    expect([await statusOf(click), await statusOf(leave), await statusAt(host, '/u/x')]).toEqual([302, 200, 404]);
    expect(await statusAt(`${host.toUpperCase()}.:443`, new URL(leave).pathname)).toBe(200);
    const key = `Authorization: Bearer ${shop.key}\r\nX-API-Key: ${shop.key}\r\nX-Company-ID: ${shop.company_id}\r\n`;
    const others = [
      ...['/', '/admin/', '/admin/sign-in', '/admin/api/me', '/commerce/v1/products', '/marketing/v1/contacts'],
      ...['/marketing/webhook', '/docs', '/openapi/commerce.json', '/health/live', '/health/ready', '/metrics', '/f/x'],
      ...['/tls/ask?domain=x', '/demo/images/x.svg', '/pictures/x', '/nowhere', '/u', '//u/x/../../admin/'],
    ];
    for (const path of others) {
      for (const method of ['GET', 'POST']) {
        expect([method, path, await statusAt(host, path, { method, headers: key })]).toEqual([method, path, 404]);
      }
    }
    expect(await statusAt(PUBLIC_HOST, '/marketing/v1/contacts', { headers: key })).toBe(200);
    expect(await statusAt(`x.${host}`, '/u/x')).toBe(400);
  });

  test('serves the links of the company alone at its host', async () => {
    const [own, foreign] = [await verified(newDomain()), await verified(newDomain())];
    const { click, pixel, leave } = await sentBy(foreign.shop, `hi@${foreign.made.domain}`);
    for (const url of [click, pixel, leave]) {
      const { pathname } = new URL(url);
      expect(await statusAt(foreign.host, pathname)).toBeLessThan(400);
      expect(await statusAt(own.host, pathname)).toBe(404);
      expect(await statusAt(PUBLIC_HOST, pathname)).toBeLessThan(400);
    }
  });

  test('of another process opens and closes within a second or so', async () => {
    const other = await anotherApp(server);
    try {
      const { shop, id, host } = await shopWithHost(newDomain());
      const holders = () => [...(other.running.app.messaging.trackingHosts.holdersOf(host) ?? [])];
      expect(holders()).toEqual([]);
      dns.aliases.set(host, PUBLIC_HOST);
      await check(shop, id);
      await expect.poll(holders).toEqual([shop.company_id]);
      // Once another company has verified it, only that one is served.
      await shop.marketing('PATCH', `/sending-domains/${id}`, { tracking_host: null });
      const next = await verified(host.slice('links.'.length));
      await expect.poll(holders).toEqual([next.shop.company_id]);
    } finally {
      await other.stop();
    }
  });

  test('tells a proxy for which hosts it may get a certificate', async () => {
    const { host } = await verified(newDomain());
    const ask = async (domain: string) => (await server.request('GET', `/tls/ask?domain=${domain}`)).status;
    expect([await ask(host), await ask(host.toUpperCase())]).toEqual([200, 200]);
    for (const name of ['', `x.${host}`, PUBLIC_HOST, 'api.fernhill.example', 'evil.example', `${host}&domain=x`]) {
      expect([name, await ask(name)]).toEqual([name, 404]);
    }
    expect((await server.request('GET', '/tls/ask')).status).toBe(404);
  });
});

test('the newest fifty former hosts are kept', async () => {
  const domain = newDomain();
  const { shop, id } = await shopWithHost(domain);
  await server.rows(
    `insert into tracking_hosts (company_id, host, active, verified_at)
     select $1, 'h' || n || '.' || $2, false, '2026-01-01'::timestamptz + n * interval '1 minute' from generate_series(1, 60) n`,
    [shop.company_id, domain],
  );
  dns.aliases.set(`links.${domain}`, PUBLIC_HOST);
  await check(shop, id);
  const rows = await server.rows<{ host: string }>(
    'select host from tracking_hosts where company_id = $1 order by verified_at',
    [shop.company_id],
  );
  expect([rows.length, rows[0]!.host, rows.at(-1)!.host]).toEqual([51, `h11.${domain}`, `links.${domain}`]);
});

describe('the rules', () => {
  test.each([
    [null, null],
    ['https://Shop.Example/x', 'shop.example'],
    ['http://shop.example:8080', 'shop.example'],
    ['https://203.0.113.9', null],
    ['https://[2001:db8::1]', null],
    ['http://localhost:3000', null],
    ['http://127.0.0.1:3000', null],
    ['https://intranet', null],
  ])('hosts lead to the name in %j: %j', (publicUrl, host) => expect(publicHostOf(publicUrl)).toBe(host));

  test('the host of the longest domain counts, and none without a public address', () => {
    const hosts = {
      trackingHosts: [
        { domain: 'a.example', host: 'x.a.example' },
        { domain: 'b.a.example', host: 'x.b.a.example' },
      ],
    };
    const base = createLinkBase(() => 'https://p.example', 'p.example');
    expect(base(hosts, 'me@c.b.a.example')).toBe('https://x.b.a.example');
    expect(base(hosts, 'me@a.example')).toBe('https://x.a.example');
    expect(base(hosts, 'me@xa.example')).toBe('https://p.example');
    expect(base(hosts, null)).toBe('https://p.example');
    expect(createLinkBase(() => 'http://127.0.0.1:3000', null)(hosts, 'me@a.example')).toBe('http://127.0.0.1:3000');
  });
});
