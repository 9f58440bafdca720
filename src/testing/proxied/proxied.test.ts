import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBody } from '../harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../program.ts';
import { exchangeRaw, type Response, responsesIn, type Target } from './raw-connection.ts';
import { installed, type ProxyName, type ReverseProxy, SHOP, startReverseProxy } from './reverse-proxy.ts';
import { type Sender, type Vector, vectors } from './smuggling.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const sender: Sender = { host: SHOP, key: '' };
let program: Program;
let product: number;

beforeAll(async () => {
  program = await startProgram(['--empty', '--data-dir', dataDir], {
    TRADELOOM_HOSTS: SHOP,
    TRADELOOM_TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'silent',
  });
  const json = async (args: string[]): Promise<Record<string, never>> =>
    JSON.parse((await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir })).stdout);
  const company = String((await json(['companies', 'create', '--name', 'Corner shop'])).company_id);
  const wanted = ['--company', company, '--name', 'till', '--scope', '*', '--requests-per-hour', '0'];
  sender.key = String((await json(['keys', 'create', ...wanted])).key);
  product = (await call('POST', '/products', { name: 'Honest', price: 100 })).data.id;
});
afterAll(() => program?.end('SIGTERM'));

async function call(method: string, path: string, body?: unknown): Promise<TestBody> {
  const response = await fetch(`${program.origin}/commerce/v1${path}`, {
    method,
    headers: { 'x-api-key': sender.key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return (await response.json()) as TestBody;
}

/**
 * Vectors whose rest the proxy itself parses and forwards as the client's next request: its response comes back in
 * turn, and the program receives two whole requests. Only somebody in front of the proxy could be misled.
 */
const READ_AS_NEXT: Record<ProxyName, RegExp> = {
  // Ignores a header with an invalid name, and lets a line feed end a line of a chunk. Forwards only the part of the host before the colon.
  nginx:
    /^TE\.CL, chunked with a non-breaking space|^a (chunk|chunk size|last chunk) ended by|^a Host header with a port/,
  // With both headers, the encoding counts, and an empty length does not; a line feed ends a line.
  caddy: /^CL\.TE|^an empty length$|^a (chunk size|last chunk) ended by|^a carriage return in a chunk/,
};

/** Names of all products. */
async function products(): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await call('GET', `/products?per_page=100&page=${page}`);
    names.push(...data.map(({ name }: { name: string }) => name));
    if (page >= meta.pagination.total_pages) return names;
  }
}

const innocent = (id: string, end = ''): string =>
  `GET /commerce/v1/products/${product} HTTP/1.1\r\nHost: ${SHOP}\r\nX-API-Key: ${sender.key}\r\nX-Request-Id: ${id}\r\n${end}\r\n`;

/** Whether it is the response to the innocent request, and nothing else. */
function isInnocent(response: Response | undefined, id: string): boolean {
  if (response === undefined || response.status !== 200 || response.headers['x-request-id'] !== id) return false;
  return /"id":(\d+)/.exec(response.rest)?.[1] === String(product) && response.rest.includes('Honest');
}

/**
 * Sends a vector, an innocent request after it on the same connection, and one on a connection of its own, which may
 * share a proxy's connection to the program. Nobody may get another's response. Returns what is wrong.
 */
async function attack(vector: Vector, target: Target, proxy: ProxyName | null): Promise<string | null> {
  const mayRead = proxy !== null && READ_AS_NEXT[proxy].test(vector.name);
  const isSame = ({ headers }: Response): boolean => headers['x-request-id'] === 'same';
  const isEnough = (received: string): boolean => {
    if (mayRead) return responsesIn(received).some(isSame);
    return proxy !== null || !vector.refused || responsesIn(received).length > 0;
  };
  const { text } = await exchangeRaw(target, vector.bytes, [{ after: 150, bytes: innocent('same') }], { isEnough });
  const responses = responsesIn(text);
  const own = responses.find(isSame);
  const { text: other } = await exchangeRaw(target, innocent('other', 'Connection: close\r\n'), [], { ms: 10_000 });
  const seen = responsesIn(other);
  const say = (what: string): string => `${vector.name}: ${what}\n${text.slice(0, 2_000)}\n${other.slice(0, 500)}`;
  const made = responses.filter(({ status }) => status === 201);
  if (made.length > (mayRead ? 1 : 0)) return say('a smuggled request was executed');
  if (made.length < (await products()).filter((name) => name === vector.smuggled).length) {
    return say('a smuggled request was executed, and its response not given');
  }
  if (responses.length - made.length > 2) return say('more responses than requests');
  if (own !== undefined && (responses.at(-1) !== own || !isInnocent(own, 'same')))
    return say('a wrong response behind it');
  if (seen.length !== 1 || !isInnocent(seen[0], 'other')) return say('a wrong response on another connection');
  if (proxy !== null || !vector.refused) return null;
  const closed = responses.length === 1 && responses[0]!.headers.connection === 'close';
  return closed && responses[0]!.status === 400 ? null : say('not refused');
}

/** All vectors, a few at a time. */
async function attackAll(target: Target, proxy: ProxyName | null = null): Promise<void> {
  const place = proxy ?? 'direct';
  const waiting = vectors(sender, (vector) => `${place}: ${vector}`);
  const mayBeMade = waiting
    .filter(({ name }) => proxy !== null && READ_AS_NEXT[proxy].test(name))
    .map(({ smuggled }) => smuggled);
  const findings: string[] = [];
  const inTurn = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const wrong = await attack(next, target, proxy);
      if (wrong !== null) findings.push(wrong);
    }
  };
  await Promise.all(Array.from({ length: 12 }, inTurn));
  // A smuggled request may be executed a moment later.
  await sleep(300);
  const made = (await products()).filter((name) => name.startsWith(place) && !mayBeMade.includes(name));
  expect({ made, findings }).toEqual({ made: [], findings: [] });
}

/** Returns the status of each response on a connection of its own. */
async function statusOf(target: Target, bytes: string, ms = 10_000): Promise<number | undefined> {
  return responsesIn((await exchangeRaw(target, bytes, [], { ms })).text)[0]?.status;
}

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${SHOP}\r\n${headers}Connection: close\r\n\r\n`;

/** Thirty failures of one network are let through, whatever addresses it claims. */
async function expectCountedTogether(target: Target, other: Target): Promise<void> {
  const fail = (at: Target, i: number) => {
    const forged = `X-Forwarded-For: 203.0.113.${i}\r\nX-Real-IP: 203.0.113.${i}\r\nForwarded: for=203.0.113.${i}\r\n`;
    return statusOf(at, get('/commerce/v1/products', `X-API-Key: wrong-${i}\r\n${forged}`));
  };
  const statuses = await Promise.all(Array.from({ length: 36 }, (_, i) => fail(target, i)));
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  expect(await fail(other, 1)).toBe(401);
}

describe('the example for nginx', () => {
  it('leaves it to the program which responses it gathers', async () => {
    const file = readFileSync(new URL('../../../docs/proxies/nginx.conf', import.meta.url), 'utf8');
    expect(file).not.toMatch(/proxy_ignore_headers|proxy_buffering (on|off);/);
    const bufferingOf = async (path: string): Promise<string | null> => {
      const response = await fetch(`${program.origin}/commerce/v1${path}`, { headers: { 'x-api-key': sender.key } });
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, 200]);
      return response.headers.get('x-accel-buffering');
    };
    expect(await bufferingOf('/products')).toBeNull();
    expect(await bufferingOf('/products?format=csv')).toBe('no');
    const { id } = (await call('POST', '/customers', { email: 'a@example.com', first_name: 'A', last_name: 'B' })).data;
    expect(await bufferingOf(`/customers/${id}/export`)).toBe('no');
  });
});

describe('the program itself', () => {
  const at = (from?: string): Target => ({ port: Number(new URL(program.origin).port), from });

  it('refuses whatever two parsers may see in two ways, or reads it in one', async () => {
    await attackAll(at());
  });

  it('believes no address of a client that is no trusted proxy', async () => {
    await expectCountedTogether(at('127.0.0.31'), at('127.0.0.32'));
  });
});

for (const name of ['nginx', 'caddy'] satisfies ProxyName[]) {
  if (installed(name) === null) {
    process.stderr.write(
      `SKIPPED: ${name} is not installed, its example in docs/proxies is not tried on this machine\n`,
    );
    continue;
  }
  describe(`behind ${name} with the example of docs/proxies`, () => {
    let proxy: ReverseProxy;
    const at = (from?: string): Target => ({ port: proxy.port, tls: { servername: SHOP, ca: proxy.ca }, from });
    const key = (): string => `X-API-Key: ${sender.key}\r\n`;
    const read = async (path: string, headers = '') =>
      responsesIn((await exchangeRaw(at(), get(path, key() + headers), [], { ms: 10_000 })).text);

    beforeAll(async () => {
      proxy = await startReverseProxy(name, program.origin);
    });
    afterAll(() => proxy?.stop());

    it('nothing is smuggled past it', async () => {
      await attackAll(at(), name);
    });

    it('clients are counted by their own address, whatever they say of it', async () => {
      const [one, other] = name === 'nginx' ? ['127.0.0.11', '127.0.0.12'] : ['127.0.0.21', '127.0.0.22'];
      await expectCountedTogether(at(one), at(other));
    });

    it('a forwarded host, protocol or connection is not believed, and nothing is upgraded', async () => {
      const path = `/commerce/v1/products/${product}`;
      for (const forged of [
        'X-Forwarded-Host: evil.example\r\n',
        'X-Forwarded-Proto: http\r\n',
        'Forwarded: host=evil.example;proto=http\r\n',
        'X_Forwarded_For: 203.0.113.1\r\n',
        'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings\r\n',
        'Upgrade: websocket\r\nConnection: Upgrade\r\n',
      ]) {
        const { text } = await exchangeRaw(at(), get(path, key() + forged), [], { ms: 10_000 });
        expect([forged, text.slice(0, 12)]).toEqual([forged, 'HTTP/1.1 200']);
        // TLS ends at the proxy: the program sends the header once, because of what the proxy reported.
        expect(text.match(/strict-transport-security: max-age=31536000\r\n/gi), forged).toHaveLength(1);
        expect(text).not.toContain('evil.example');
      }
    });

    it('metrics, health and the question of certificates are not public, however they are written', async () => {
      expect((await fetch(`${program.origin}/metrics`)).status).toBe(200);
      for (const path of [
        '/metrics',
        '/health/live',
        '/health/ready',
        '//metrics',
        '/x/../metrics',
        '/%6Detrics',
        '/metrics?x',
        '/./health/ready',
        '/tls/ask?domain=links.example.com',
        '/%74ls/ask',
      ]) {
        const [response] = await read(path);
        expect([path, response?.status]).toEqual([path, 404]);
      }
    });

    it('a name that is no tracking host gets no certificate', async () => {
      const socket = connectTls({ host: '127.0.0.1', port: proxy.port, servername: 'links.example.com', ca: proxy.ca });
      const outcome = await new Promise<string>((resolve) => {
        socket.once('secureConnect', () => resolve('connected'));
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
      socket.destroy();
      expect(outcome).toMatch(/ALERT|UNRECOGNIZED|INTERNAL_ERROR/i);
    });

    it('responses of the APIs are not stored', async () => {
      for (let i = 0; i < 2; i++) {
        const [response] = await read(`/commerce/v1/products/${product}`, `X-Request-Id: once-${i}\r\n`);
        expect(response?.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': `once-${i}` });
      }
    });

    it('a body somewhat too large is refused by the program, one far too large by the proxy', async () => {
      const post = (bytes: number): Promise<number | undefined> => {
        const head = `POST /commerce/v1/products HTTP/1.1\r\nHost: ${SHOP}\r\n${key()}Content-Type: application/json\r\n`;
        return statusOf(
          at(),
          `${head}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`,
          10_000,
        );
      };
      expect(await post(1_500_000)).toBe(400);
      // Caddy 2.6 has only this status for a body that it stopped reading.
      expect(name === 'caddy' ? [413, 502] : [413]).toContain(await post(3_000_000));
    });

    it('clients speak HTTP/2, and without TLS they are sent to it', async () => {
      const session = connectHttp2(`https://${SHOP}`, {
        createConnection: () =>
          connectTls({ host: '127.0.0.1', port: proxy.port, servername: SHOP, ca: proxy.ca, ALPNProtocols: ['h2'] }),
      });
      const stream = session.request({ ':path': `/commerce/v1/products/${product}`, 'x-api-key': sender.key });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      expect(headers[':status']).toBe(200);
      session.destroy();
      const { text } = await exchangeRaw({ port: proxy.plainPort }, get('/admin/'), [], { ms: 10_000 });
      expect(text).toMatch(/^HTTP\/1\.1 30[18] [\s\S]*\r\nlocation: https:\/\/shop\.example\S*\/admin\/\r\n/i);
    });
  });
}
