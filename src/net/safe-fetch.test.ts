import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress, RequestRefused, type Resolve } from './host-guard.ts';
import { createSafeFetch } from './safe-fetch.ts';

let server: Server;
let port: number;
let seen: IncomingMessage[] = [];
let respond: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end('ok');

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const get = (url: string) => ({ url, method: 'GET' as const, headers: {} });

describe('addresses of the public internet', () => {
  it.each(['8.8.8.8', '93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:81b::200e'])(
    '%s is one',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.255.255.255', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['0.0.0.0', '100.64.0.1', '192.0.0.8', '198.18.0.1', '203.0.113.7', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
    ...['::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b::808:808', 'fe80::1', 'fc00::1'],
    ...['fd12:3456::1', 'ff02::1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'fe80::1%eth0', 'localhost', ''],
  ])('%s is none', (address) => expect(isPublicAddress(address)).toBe(false));

  it('no IPv4 address that is not public becomes so by another way of writing it', () => {
    const octet = fc.nat({ max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        expect(isPublicAddress(`::ffff:${a}.${b}.${c}.${d}`)).toBe(false);
        expect(isPublicAddress(`::${a}.${b}.${c}.${d}`)).toBe(false);
      }),
    );
  });
});

describe('a request to the outside', () => {
  const closed = (resolve?: Resolve) => createSafeFetch({ allowPrivate: false, resolve, timeoutMs: 300 });

  it.each([
    'http://example.com/',
    'https://example.com:8443/',
    'https://user:secret@example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'no address',
  ])('to %s is refused', async (url) => {
    await expect(closed().fetch(get(url))).rejects.toBeInstanceOf(RequestRefused);
  });

  it('is refused if one of the resolved addresses is private', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::1']]) {
      const fetch = closed(async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
      await expect(fetch.fetch(get('https://inside.example.com/'))).rejects.toBeInstanceOf(RequestRefused);
    }
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://example.com:8080/',
    'http://user:secret@example.com/',
    'file:///etc/passwd',
    'http://inside.example.com/',
  ])('that may be plain is refused as well: %s', async (url) => {
    const fetch = closed(async () => [{ address: '10.0.0.1', family: 4 }]);
    await expect(fetch.fetch({ ...get(url), plain: true })).rejects.toBeInstanceOf(RequestRefused);
  });

  it('that may be plain is made by plain http, to the address that was checked', async () => {
    const asked: string[] = [];
    const fetch = closed(async (hostname) => {
      asked.push(hostname);
      throw new Error('no such name');
    });
    await expect(fetch.fetch({ ...get('http://example.com/'), plain: true })).rejects.toThrow('no such name');
    expect(asked).toEqual(['example.com']);
  });

  it('goes to the address that was checked: the name is asked for once', async () => {
    let asked = 0;
    // Public when it is checked, loopback when it is resolved again.
    const fetch = closed(async () => [{ address: asked++ === 0 ? '192.88.98.1' : '127.0.0.1', family: 4 }]);
    seen = [];
    await expect(fetch.fetch(get('https://rebinding.example.com/'))).rejects.toThrow();
    expect(asked).toBe(1);
    expect(seen).toEqual([]);
  });
});

it.each([
  'https://127.0.0.1/a.png',
  'http://169.254.169.254/a.png',
  'http://example.com:8080/a.png',
  'file:///etc/passwd',
])('a download of %s is refused', async (address) => {
  const fetch = createSafeFetch({ allowPrivate: false, timeoutMs: 300 });
  await expect(fetch.download({ url: address, maxBytes: 10, plain: true })).rejects.toThrow(RequestRefused);
});

describe('a request that is allowed', () => {
  const open = createSafeFetch({ allowPrivate: true, timeoutMs: 500 });
  afterAll(() => open.close());
  const url = (path = '/') => `http://127.0.0.1:${port}${path}`;

  it('sends the given headers and body, but sets length and host itself', async () => {
    let body = '';
    respond = (request, response) => {
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.setHeader('content-type', 'application/json; charset=utf-8').end('{"a":1}'));
    };
    seen = [];
    const headers = { 'x-own': 'yes', host: 'evil.example.com', 'content-length': '1', 'Transfer-Encoding': 'chunked' };
    const response = await open.fetch({ url: url('/hook'), method: 'POST', headers, body: '{"n":1}' });
    expect(response).toEqual({ status: 200, type: 'application/json', body: '{"a":1}' });
    expect(body).toBe('{"n":1}');
    expect(seen[0]!.headers).toMatchObject({ 'x-own': 'yes', host: `127.0.0.1:${port}`, 'content-length': '7' });
  });

  it('does not follow redirects', async () => {
    respond = (_request, response) => response.writeHead(302, { location: url('/elsewhere') }).end();
    seen = [];
    expect((await open.fetch(get(url()))).status).toBe(302);
    expect(seen).toHaveLength(1);
  });

  it('reads bytes as they are where that is asked for', async () => {
    const bytes = Buffer.from([0x30, 0x82, 0xff, 0x00, 0xc3, 0x28]);
    respond = (_request, response) => response.end(bytes);
    const { body } = await open.fetch({ ...get(url()), encoding: 'latin1' });
    expect(Buffer.from(body!, 'latin1')).toEqual(bytes);
  });

  it('reads 64 KiB and no more', async () => {
    respond = (_request, response) => response.end('x'.repeat(65_536));
    expect((await open.fetch(get(url()))).body).toHaveLength(65_536);
    respond = (_request, response) => response.end('x'.repeat(65_537));
    expect(await open.fetch(get(url()))).toMatchObject({ status: 200, body: null });
  });

  it('downloads as many bytes as are asked for and no more, and does not follow redirects', async () => {
    const bytes = Buffer.alloc(100_000, 0xff);
    respond = (_request, response) => response.end(bytes);
    const file = { url: url('/a.png'), maxBytes: 100_000 };
    expect(await open.download(file)).toEqual({ status: 200, location: null, bytes });
    expect(await open.download({ ...file, maxBytes: 99_999 })).toMatchObject({ status: 200, bytes: null });
    respond = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    seen = [];
    expect(await open.download(file)).toMatchObject({ status: 302, location: '/elsewhere' });
    expect(seen).toHaveLength(1);
  });

  it('times out when the response does not begin or does not end', async () => {
    respond = () => {};
    await expect(open.fetch(get(url()))).rejects.toThrow();
    respond = (_request, response) => {
      response.write('x');
    };
    await expect(open.fetch(get(url()))).rejects.toThrow();
  });
});
