import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, type ClientOptions, ConnectionError, createClient, RedirectError } from './src/client.ts';
import { secondsOf } from './src/errors.ts';

/** Tests retries, against a server that fails on request. */
type Reply = { status: number; body?: object; headers?: Record<string, string> } | 'reset' | 'silence';

let server: Server | undefined;
const seen: { method: string; key: string | undefined; at: number }[] = [];

afterEach(async () => {
  seen.length = 0;
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
});

/** A client of a server with these replies, the last of which is repeated. */
async function clientOf(
  replies: Reply[],
  options: Pick<ClientOptions, 'retries' | 'timeoutMs' | 'maxRetryDelayMs' | 'fetch'> = {},
) {
  let count = 0;
  server = createServer((request: IncomingMessage, response) => {
    request.resume();
    const reply = replies[Math.min(count++, replies.length - 1)]!;
    seen.push({
      method: request.method!,
      key: request.headers['idempotency-key'] as string | undefined,
      at: performance.now(),
    });
    if (reply === 'reset') request.socket.destroy();
    else if (reply !== 'silence') {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify(reply.body ?? { success: true, data: { id: 1 }, meta: {} }));
    }
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return createClient({ origin: `http://127.0.0.1:${port}/`, apiKey: 'key', companyId: 1, ...options });
}

const OK = { status: 200 };
const UNAVAILABLE = {
  status: 500,
  body: { success: false, error: { message: 'down', code: 500, details: { reason: 'database_unavailable' } } },
};
const ORDER = { body: { email: 'ada@example.com' } };

it('repeats a write after 500, 503 and a broken connection with one Idempotency-Key', async () => {
  const client = await clientOf([UNAVAILABLE, 'reset', { status: 503, body: {} }, OK]);
  expect(await client.commerce.post('/customers', ORDER)).toEqual({ id: 1 });
  expect(seen).toHaveLength(4);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
  const gaps = seen.slice(1).map(({ at }, i) => at - seen[i]!.at);
  for (const [i, gap] of gaps.entries()) expect(gap).toBeGreaterThan(125 * 2 ** i - 5);
});

it('sends an Idempotency-Key with each write only, a new one each time', async () => {
  const client = await clientOf([OK]);
  await client.commerce.get('/settings');
  await client.commerce.post('/customers', ORDER);
  await client.commerce.post('/customers', ORDER);
  expect(seen[0]!.key).toBeUndefined();
  expect(seen[1]!.key).not.toBe(seen[2]!.key);
});

it('waits for as long as Retry-After says', async () => {
  const limited = { status: 429, body: { error: 'rate_limit_exceeded', code: 429 }, headers: { 'retry-after': '1' } };
  const client = await clientOf([limited, { status: 200, body: {} }]);
  await client.marketing.get('/sending-settings');
  expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(990);
});

it('does not wait for longer than it may, and says when to come back', async () => {
  const limited = {
    status: 429,
    body: { error: 'rate_limit_exceeded', code: 429 },
    headers: { 'retry-after': '1800' },
  };
  const client = await clientOf([limited]);
  const failed = await client.marketing.get('/sending-settings').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'rate_limit_exceeded', status: 429, retryAfter: 1800 });
  expect(seen).toHaveLength(1);
});

it('repeats a request whose first attempt is still in progress, and no other refusal', async () => {
  const inUse = (reason: string) => ({
    status: 422,
    body: { success: false, error: { message: 'no', code: 422, details: { reason } } },
  });
  const first = await clientOf([inUse('idempotency_key_in_use'), OK]);
  await first.commerce.post('/customers', ORDER);
  expect(seen).toHaveLength(2);
  server!.close();
  seen.length = 0;
  const second = await clientOf([inUse('idempotency_key_reused')]);
  await expect(second.commerce.post('/customers', ORDER)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  expect(seen).toHaveLength(1);
});

it('gives up after its retries', async () => {
  const client = await clientOf([UNAVAILABLE], { retries: 1, maxRetryDelayMs: 20 });
  await expect(client.commerce.get('/settings')).rejects.toBeInstanceOf(ApiError);
  expect(seen).toHaveLength(2);
});

it('ends an attempt after its time, and a call when its signal says so', async () => {
  const attempts = vi.fn(fetch);
  const client = await clientOf(['silence'], { retries: 1, timeoutMs: 50, maxRetryDelayMs: 20, fetch: attempts });
  const late = await client.commerce.get('/settings').catch((error: unknown) => error);
  expect(late).toBeInstanceOf(ConnectionError);
  expect((late as Error).message).toContain('No response in time');
  // A busy server may not have seen a request that was aborted after 50 ms.
  expect(attempts).toHaveBeenCalledTimes(2);
  const patient = createClient({ origin: originOf(), apiKey: 'key' });
  const stop = new AbortController();
  const call = patient.commerce.get('/settings', { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 30);
  await expect(call).rejects.toThrow('enough');
});

const originOf = (): string => `http://127.0.0.1:${(server!.address() as AddressInfo).port}`;

it('has an error without a code for the page of a proxy', async () => {
  const client = await clientOf([{ status: 404, body: 'nothing here' as unknown as object }]);
  const failed = await client.commerce.get('/settings').catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 404, code: null, message: 'HTTP 404', fix: null });
});

it('follows no redirect: a write would become a read, and the key would go elsewhere', async () => {
  const client = await clientOf([{ status: 301, headers: { location: 'https://shop.example/commerce/v1/customers' } }]);
  const refused = client.commerce.post('/customers', ORDER);
  await expect(refused).rejects.toThrow(RedirectError);
  await expect(refused).rejects.toThrow('https://shop.example/commerce/v1/customers');
  expect(seen).toHaveLength(1);
});

it('refuses an address without its id before it asks', async () => {
  const client = await clientOf([OK]);
  await expect(client.commerce.get('/orders/{id}', { path: {} as never })).rejects.toThrow('path.id is missing');
  expect(seen).toHaveLength(0);
});

it('reads Retry-After as seconds and as a date', () => {
  expect(secondsOf('7')).toBe(7);
  expect(secondsOf('Thu, 01 Jan 1970 00:01:30 GMT', 60_000)).toBe(30);
  expect(secondsOf('Thu, 01 Jan 1970 00:00:00 GMT', 60_000)).toBe(0);
  expect([secondsOf(null), secondsOf('soon'), secondsOf('')]).toEqual([null, null, null]);
});

it.each([
  [undefined, 'origin is undefined; it takes an address such as https://shop.example.com'],
  ['', 'origin is ""; it takes'],
  ['127.0.0.1:3000', 'origin is "127.0.0.1:3000"; it takes'],
  ['localhost:3000', 'origin is "localhost:3000"; it takes'],
  ['ftp://shop.example.com', 'it takes an address'],
  ['https://shop.example.com/commerce/v1', 'origin takes scheme, host and port alone: https://shop.example.com'],
  ['https://shop.example.com/?a=1', 'alone: https://shop.example.com'],
  ['https://ada:secret@shop.example.com', 'alone: https://shop.example.com'],
])('refuses the origin %j at once, as a mistake of the program', (origin, message) => {
  const create = () => createClient({ origin: origin!, apiKey: 'key' });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
});
