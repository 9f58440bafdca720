import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { endStalled } from './limits.ts';

const server = testServer({ impatient: true });
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends a request whose response is never read, and waits until it comes. */
async function askDeaf(origin: string, path: string, headers: string[] = []): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write([`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
  await once(socket, 'readable');
  return socket;
}

describe('responses that the client does not read', () => {
  const LIST = '/products?per_page=100';
  const statusOf = async (company: TestCompany): Promise<number> => (await company.commerce('GET', LIST)).status;

  test('take a company no more than its share of memory, then its requests are refused, and only its own', async () => {
    const shop = await server.company();
    const other = await server.company();
    const product = { name: 'Mug', price: 10, stock_qty: 1 };
    await other.commerce('POST', '/products', product);
    for (let i = 0; i < 100; i++) await shop.commerce('POST', '/products', product);
    await server.rows("update products set description = repeat('x', 100000) where company_id = $1", [shop.company_id]);
    let refusedAfter = 0;
    for (let i = 0; i < 30 && refusedAfter === 0; i++) {
      await askDeaf(server.origin, `/commerce/v1${LIST}`, [`X-API-Key: ${shop.key}`]);
      if ((await shop.commerce('GET', '/products/0')).status === 429) refusedAfter = i + 1;
    }
    // Ten million characters each.
    expect(refusedAfter).toBeGreaterThanOrEqual(5);
    expect(refusedAfter).toBeLessThan(15);
    expect(await statusOf(shop)).toBe(429);
    expect(await statusOf(other)).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => statusOf(shop)).toBe(200);
  });
});

describe('a client that takes nothing', () => {
  const apps: FastifyInstance[] = [];
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));
  const LONG = 'x'.repeat(30_000_000);

  async function listening(stallMs: number): Promise<string> {
    const app = Fastify({ forceCloseConnections: true });
    apps.push(app);
    endStalled(app, stallMs);
    app.get('/long', (_request, reply) => reply.send(LONG));
    app.get('/late', async () => {
      await sleep(3 * stallMs);
      return 'late';
    });
    return app.listen({ host: '127.0.0.1', port: 0 });
  }

  test('loses its connection', async () => {
    const origin = await listening(200);
    await askDeaf(origin, '/long');
    const { server: http } = apps[0]!;
    const connections = () => new Promise<number>((resolve) => http.getConnections((_error, n) => resolve(n)));
    expect(await connections()).toBe(1);
    await expect.poll(connections).toBe(0);
  });

  test('is another than one that is slow, or waits for its response', async () => {
    // Longer than the process may be kept from running by others.
    const origin = await listening(1_000);
    expect(await (await fetch(`${origin}/late`)).text()).toBe('late');
    const socket = await askDeaf(origin, '/long');
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 5);
    });
    socket.resume();
    await expect.poll(() => length).toBeGreaterThan(LONG.length);
  }, 30_000);
});
