import { describe, expect, it } from 'vitest';
import { exchange } from '../testing/exchange.ts';
import { testServer } from '../testing/harness.ts';
import { createHostCheck } from './door.ts';

const server = testServer({ config: { trustedProxies: ['127.0.0.1'], metricsPort: 0 } });
const PATHS = [
  '/commerce/v1/products',
  '/marketing/v1/contacts',
  '/admin/sign-in',
  '/health/live',
  '/nowhere',
  '/metrics',
];

/** The server closes the connection after its response; the timeout is for a server that does not. */
const raw = (path: string, headers: string): Promise<string> =>
  exchange(server.origin, `GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`, 10_000);
const statusOf = (response: string): number => Number(response.slice(9, 12));

describe('a request', () => {
  it.each(PATHS)('to %s under a name that is not this server’s is refused with 400', async (path) => {
    const { port } = new URL(server.origin);
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, 'local host', '']) {
      const response = await raw(path, `Host: ${host}\r\n`);
      expect([host, statusOf(response)]).toEqual([host, 400]);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`, '192.0.2.7:8080']) {
      expect([host, statusOf(await raw(path, `Host: ${host}\r\n`))]).not.toEqual([host, 400]);
    }
  });

  it('with two Host headers is refused with 400, in the form of its API', async () => {
    for (const path of PATHS) {
      expect(statusOf(await raw(path, 'Host: localhost\r\nhost: localhost\r\n'))).toBe(400);
    }
    const refused = await raw('/commerce/v1/products', 'Host: localhost\r\nHost: evil.example\r\n');
    expect(refused).toContain('"success":false');
    expect(await raw('/marketing/v1/contacts', 'Host: evil.example\r\n')).toContain('"error":"bad_request"');
  });
});

describe('a request that somebody in front may read otherwise', () => {
  const post = (line: string, headers: string): Promise<string> =>
    exchange(server.origin, `POST /commerce/v1/products ${line}\r\nHost: localhost\r\n${headers}\r\n`);

  it('names its host in absolute form too, and each must be this server’s', async () => {
    const ask = (target: string) =>
      exchange(server.origin, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(statusOf(await ask('http://localhost/health/live'))).toBe(200);
    for (const host of ['evil.example', 'localhost@evil.example', 'localhost:80@evil.example', '']) {
      expect([host, statusOf(await ask(`http://${host}/health/live`))]).toEqual([host, 400]);
    }
  });

  it('is refused under a forwarded host that is not this server’s', async () => {
    const ask = (host: string) => raw('/health/live', `Host: localhost\r\nX-Forwarded-Host: ${host}\r\n`);
    expect(statusOf(await ask('localhost:8080'))).toBe(200);
    expect(statusOf(await ask('evil.example'))).toBe(400);
    expect(statusOf(await ask('localhost, evil.example'))).toBe(400);
  });

  it.each(['HTTP/0.9', 'HTTP/2.0', ''])('is refused with version %j, and the connection ends', async (version) => {
    const response = await post(version, 'Content-Length: 0\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('of HTTP/1.0 cannot be chunked: it is refused, and so is everything after it', async () => {
    const chunked = 'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const second = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n';
    const response = await post('HTTP/1.0', `${chunked}${second}`);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

describe('a response', () => {
  it('has a fixed content type that browsers must not guess', async () => {
    for (const path of PATHS) {
      expect(await raw(path, 'Host: localhost\r\n')).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
      expect(await raw(path, 'Host: evil.example\r\n')).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
    }
    expect(await exchange(server.origin, 'NONSENSE\r\n\r\n')).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
  });

  it('does not let browsers run, load or embed anything, unless it is a page with its own policy', async () => {
    const POLICY = /\r\ncontent-security-policy: [^\r]*default-src 'none'[^\r]*frame-ancestors 'none'/i;
    for (const path of [...PATHS, '/docs', '/openapi/commerce.json', '/u/x', '/f/x', '/t/o/x', '/demo/images/x.svg']) {
      for (const host of ['localhost', 'evil.example']) {
        const response = await raw(path, `Host: ${host}\r\n`);
        expect(response, path).toMatch(POLICY);
        expect(response, path).toMatch(/\r\ncontent-security-policy: [^\r]*base-uri 'none'/i);
      }
    }
    expect(await exchange(server.origin, 'NONSENSE\r\n\r\n')).toMatch(POLICY);
    const metrics = await fetch(`http://127.0.0.1:${server.metricsAddress().port}/metrics`);
    expect(metrics.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('does not reveal the referrer to other sites', async () => {
    for (const path of [...PATHS, '/docs', '/u/x', '/f/x', '/t/c/x/1']) {
      expect(await raw(path, 'Host: localhost\r\n'), path).toMatch(/\r\nreferrer-policy: no-referrer\r\n/i);
    }
  });

  it('is not cached if it belongs to a company or the operator', async () => {
    for (const path of ['/commerce/v1/products', '/marketing/v1/contacts', '/admin/', '/admin/sign-in', '/u/x']) {
      expect(await raw(path, 'Host: localhost\r\n'), path).toMatch(/\r\ncache-control: no-store\r\n/i);
    }
  });

  it('asks browsers to come back by https where TLS is in front, and only there', async () => {
    for (const path of PATHS) {
      const through = await raw(path, 'Host: localhost\r\nX-Forwarded-Proto: https\r\n');
      expect(through).toMatch(/\r\nstrict-transport-security: max-age=31536000\r\n/i);
      expect(await raw(path, 'Host: localhost\r\n')).not.toMatch(/strict-transport-security/i);
    }
  });
});

describe('the names of this server', () => {
  const check = (config: { hosts?: string[]; publicUrl?: string | null; host?: string }) =>
    createHostCheck({ hosts: [], publicUrl: null, host: '127.0.0.1', ...config });

  it.each([
    [{}, 'localhost', true],
    [{}, '203.0.113.9:3000', true],
    [{}, 'shop.example', false],
    [{ publicUrl: 'https://Shop.example/x' }, 'shop.example', true],
    [{ publicUrl: 'https://shop.example' }, 'SHOP.example.:443', true],
    [{ publicUrl: 'https://shop.example' }, 'a.shop.example', false],
    [{ hosts: ['api.example'] }, 'api.example', true],
    [{ hosts: ['api.example'] }, '203.0.113.9', false],
    [{ hosts: ['api.example'] }, '127.0.0.1:3000', true],
    [{ hosts: ['api.example'], host: '203.0.113.9' }, '203.0.113.9', true],
    [{ hosts: ['*.api.example'] }, 'one.api.example', true],
    [{ hosts: ['*.api.example'] }, 'api.example', false],
    [{ hosts: ['*.api.example'] }, 'evilapi.example', false],
    [{}, 'localhost@evil.example', false],
    [{}, 'localhost, evil.example', false],
    [{}, '[::1', false],
  ])('%j: %s is one: %s', (config, host, expected) => expect(check(config)(host)).toBe(expected));
});

describe('the listener of the metrics', () => {
  it('has only the metrics, on its own port', async () => {
    const { address, port } = server.metricsAddress();
    expect(address).toBe('127.0.0.1');
    const origin = `http://127.0.0.1:${port}`;
    const metrics = await fetch(`${origin}/metrics`);
    expect([metrics.status, metrics.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    expect(await metrics.text()).toContain('tradeloom_http_request_duration_seconds');
    for (const path of ['/', '/admin/', '/commerce/v1/products', '/health/ready']) {
      expect((await fetch(origin + path)).status).toBe(404);
    }
    expect(
      statusOf(await exchange(origin, 'GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')),
    ).toBe(404);
    expect((await fetch(`${origin}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(404);
  });
});

describe('the listener of the metrics with a token', () => {
  const TOKEN = 'a token of thirty-two characters';
  const scraped = testServer({ config: { hosts: ['shop.example'], metricsPort: 0, metricsToken: TOKEN } });

  it('is asked by whatever name the network has for it, with the token', async () => {
    const { address, port } = scraped.metricsAddress();
    const ask = async (token: string) =>
      statusOf(
        await exchange(
          `http://${address}:${port}`,
          `GET /metrics HTTP/1.1\r\nHost: worker:9464\r\nX-Forwarded-For: 10.1.2.3\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
        ),
      );
    expect([await ask(TOKEN), await ask('another token')]).toEqual([200, 404]);
  });
});
