import { randomUUID } from 'node:crypto';
import { exchange } from '../../testing/exchange.ts';
import type { TestCompany, TestServer } from '../../testing/harness.ts';
import type { TestDns } from '../sending-domains/testing-dns-server.ts';
import { contactOf, flowMessages } from './sending.ts';

export const PUBLIC_HOST = 'go.tradeloom.example';

/** Helpers for tests of tracking hosts: a server at PUBLIC_HOST that queries `dns` and sends to `stored`. */
export function trackingTests(server: TestServer, dns: TestDns, stored: { to: string; raw: string }[]) {
  /** Hosts to which HTTPS does not arrive here, and what happens instead. */
  const https = new Map<string, Error | { status: number; body: string }>();

  /** A company with a sending domain whose DKIM record is published, and a tracking host whose record is not. */
  async function shopWithHost(domain: string, host = `links.${domain}`) {
    leadHostsHere(server, https);
    const shop = await server.company();
    const { body } = await shop.marketing('POST', '/sending-domains', { domain, tracking_host: host });
    const [dkim] = body.records;
    dns.zone.set(dkim.name, [dkim.value]);
    return { shop, id: body.domain_id as number, made: body, host, dkim };
  }

  async function check(shop: TestCompany, id: number) {
    server.clock.advance(5_000);
    return (await shop.marketing('POST', `/sending-domains/check/${id}`)).body;
  }

  async function verified(domain: string, host?: string) {
    const one = await shopWithHost(domain, host);
    dns.aliases.set(one.host, PUBLIC_HOST);
    await check(one.shop, one.id);
    return one;
  }

  /** Returns an e-mail of a flow as delivered. */
  async function sentBy(shop: TestCompany, from: string) {
    await shop.marketing('PATCH', '/sending-settings', { from_email: from });
    const address = `ok@${randomUUID()}.example.net`;
    await flowMessages(server, shop, [await contactOf(server, shop, { email: address })]);
    await server.app.workers.find(({ name }) => name === 'sender')!.runOnce();
    return mailTo(address);
  }

  function mailTo(address: string) {
    const { raw } = stored.find(({ to }) => to === address)!;
    const end = raw.indexOf('\r\n\r\n');
    const head = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
    const mail = head + raw.slice(end).replace(/=\r\n/g, '').replace(/=3D/g, '=');
    const found = (pattern: RegExp): string => pattern.exec(mail)?.[0] ?? 'none';
    return {
      raw: mail,
      click: found(/https:\/\/[^\s"<>]*\/t\/c\/[\w/-]+/),
      pixel: found(/https:\/\/[^\s"<>]*\/t\/o\/[\w-]+/),
      leave: found(/https:\/\/[^\s"<>]*\/u\/[\w-]{55}/),
      oneClick: /^List-Unsubscribe: *<([^>]*)>/im.exec(mail)?.[1] ?? 'none',
    };
  }

  /** Returns the status of a request with that Host header. */
  async function statusAt(
    host: string,
    path: string,
    { method = 'GET', headers = '', body = '' } = {},
  ): Promise<number> {
    const lines = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}Content-Length: ${body.length}\r\n`;
    return Number((await exchange(server.origin, `${lines}Connection: close\r\n\r\n${body}`, 5_000)).slice(9, 12));
  }

  const statusOf = (url: string, init?: Parameters<typeof statusAt>[2]): Promise<number> =>
    statusAt(new URL(url).host, new URL(url).pathname, init);

  return { https, shopWithHost, check, verified, sentBy, mailTo, statusAt, statusOf };
}

type OtherResponse = Error | { status: number; body: string };

/** Names in tests do not resolve: requests to them come here as through a proxy with a certificate, or get the response in `other`. */
export function leadHostsHere(server: TestServer, other: ReadonlyMap<string, OtherResponse> = new Map()): void {
  server.app.safeFetch.fetch = async ({ url }) => {
    const { host, pathname } = new URL(url);
    const instead = other.get(host);
    if (instead instanceof Error) throw instead;
    if (instead !== undefined) return { type: 'text/plain', ...instead };
    const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const response = await exchange(server.origin, request, 5_000);
    const body = response.slice(response.indexOf('\r\n\r\n') + 4);
    return { status: Number(response.slice(9, 12)), type: 'text/plain', body };
  };
}
