import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, signWebhook } from '../client/src/client.ts';
import { signDelivery } from '../src/outbox/endpoints/sign.ts';
import { type Program, startProgram, temporaryDataFolder } from '../src/testing/program.ts';

/** Runs the examples as a reader does, against the program with its demo shop. */
const dataDir = temporaryDataFolder({ prepared: true });
const folder = mkdtempSync(join(tmpdir(), 'tradeloom-examples-'));
const running: ChildProcess[] = [];
let program: Program;
let key: string;

beforeAll(async () => {
  // The addresses of the demo shop's pictures contain the port, which must be known when they are stored.
  const place = createServer().listen(0, '127.0.0.1');
  await once(place, 'listening');
  const { port } = place.address() as AddressInfo;
  await new Promise((resolve) => place.close(resolve));
  program = await startProgram(['--data-dir', dataDir, '--port', String(port)], {
    TRADELOOM_ALLOW_PRIVATE_WEBHOOKS: '1',
  });
  key = /API key +(\S+)/.exec(program.stdout())![1]!;
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await program.end('SIGTERM');
  rmSync(folder, { recursive: true });
});

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const linesOf = (name: string): number => readFileSync(pathOf(name), 'utf8').trimEnd().split('\n').length;

it('the storefront is short enough to be read', () => {
  const files = ['index.html', 'shop.css', 'shop.js'];
  expect(files.reduce((sum, file) => sum + linesOf(`storefront/${file}`), 0)).toBeLessThanOrEqual(480);
});

it.each([['till/till.ts'], ['webhook-receiver/receiver.ts']])('%s is short enough to be read', (...files) => {
  for (const file of files) expect([file, linesOf(file) < 200]).toEqual([file, true]);
});

/** Runs an example to its end, or until it prints where it listens. */
function start(name: string, words: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [pathOf(name), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, TRADELOOM_URL: program.origin, TRADELOOM_KEY: key, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said.text += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const until = async (pattern: RegExp): Promise<string> => {
    for (let i = 0; i < 500; i++) {
      const match = pattern.exec(said.text);
      if (match !== null) return match[0];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${name} did not say ${pattern}: ${said.text}`);
  };
  return { child, said, ended, until };
}

const client = () => createClient({ origin: program.origin, apiKey: key, companyId: 1 });

describe('the till', () => {
  let method: string | undefined;
  const till = async (words: string[], env: Record<string, string> = {}) => {
    const { ended, said } = start('till/till.ts', words, { SHIPPING_METHOD: method ?? '', ...env });
    return { code: await ended, text: said.text };
  };
  const ordersOf = async () => {
    const orders = await client().commerce.get('/orders', { query: { per_page: 100 } });
    return orders.filter(({ external_id }) => external_id?.startsWith('till-1-'));
  };

  it('charges no postage: its setup makes a shipping method for goods that are taken along, once', async () => {
    expect(await till(['sync'], { SHIPPING_METHOD: '' })).toEqual({
      code: 1,
      text: expect.stringContaining('till.ts setup'),
    });
    method = (await till(['setup'])).text.trim();
    expect(method).toMatch(/^\d+$/);
    expect((await till(['setup'])).text.trim()).toBe(method);
  });

  it('sells without a network, and sends each sale once, whatever was lost', async () => {
    const queue = join(folder, 'till-queue.jsonl');
    expect((await till(['sell', '1', '2', '8', '1'])).text).toContain('waits to be sent');
    await till(['sell', '2', '1']);
    for (const words of [['1', '2', '3'], ['1'], ['1', '0'], ['1.5', '1'], ['1', 'x']]) {
      expect(await till(['sell', ...words])).toEqual({ code: 1, text: 'sell PRODUCT QUANTITY [PRODUCT QUANTITY …]\n' });
    }
    expect((await till(['sync'], { TRADELOOM_URL: 'http://127.0.0.1:9' })).text).toContain('No network: 2 sales wait');
    expect(await ordersOf()).toHaveLength(0);
    expect((await till(['sync'])).text).toMatch(/is order \d+[\s\S]*is order \d+[\s\S]*Everything is sent/);
    const sent = await ordersOf();
    expect(sent.map(({ shipping, status }) => [shipping, status])).toEqual([
      [0, 'delivered'],
      [0, 'delivered'],
    ]);
    expect(sent.map(({ items }) => items.map(({ product_id, qty }) => [product_id, qty]))).toEqual([
      [[2, 1]],
      [
        [1, 2],
        [8, 1],
      ],
    ]);
    // As after a power cut between the response and its record, and in the middle of the next sale.
    writeFileSync(`${queue}.done`, '');
    appendFileSync(queue, '{"id":"till-1-1","sold_at"');
    expect((await till(['sync'])).text).toContain('Everything is sent');
    expect(await ordersOf()).toEqual(sent);
    await till(['sell', '3', '1']);
    expect((await till(['sync'])).text).toMatch(/not written whole[\s\S]*is order \d+[\s\S]*Everything is sent/);
    expect(await ordersOf()).toHaveLength(3);
  });

  it('sells while the sales before are sent', async () => {
    const before = (await ordersOf()).length;
    await till(['sell', '3', '1']);
    // A server in between holds the first request until another sale has been made.
    let isHeld = false;
    const between = createHttpServer(async (request, response) => {
      const body = await text(request);
      if (!isHeld) {
        isHeld = true;
        await till(['sell', '4', '1']);
      }
      const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-company-id': '1' };
      const idempotency = { 'idempotency-key': String(request.headers['idempotency-key']) };
      const passed = await fetch(program.origin + request.url!, {
        method: request.method,
        headers: { ...headers, ...idempotency },
        body: body === '' ? undefined : body,
      });
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    const { text: said } = await till(['sync'], { TRADELOOM_URL: `http://127.0.0.1:${port}` });
    between.close();
    expect(said).toMatch(/is order \d+[\s\S]*is order \d+[\s\S]*Everything is sent/);
    expect(await ordersOf()).toHaveLength(before + 2);
  });

  it('keeps what it may not send, until its key may', async () => {
    await till(['sell', '3', '1']);
    const { code } = await till(['sync'], { TRADELOOM_KEY: 'tl_live_nothing' });
    expect(code).toBe(1);
    expect((await till(['sync'])).text).toMatch(/is order \d+/);
  });

  it('puts aside what is refused, and sends the rest', async () => {
    await till(['sell', '999999', '1']);
    await till(['sell', '1', '1']);
    const { code, text } = await till(['sync']);
    expect([code, text]).toEqual([0, expect.stringMatching(/is refused[\s\S]*is order[\s\S]*Everything is sent/)]);
    expect(JSON.parse(readFileSync(join(folder, 'till-queue.jsonl.refused'), 'utf8'))).toMatchObject({
      items: [{ product_id: 999999, qty: 1 }],
    });
    expect((await till(['sell', 'tea'])).code).toBe(1);
  });
});

describe('the webhook receiver', () => {
  it('takes the deliveries of the program, once each, also after a restart, and nothing forged', async () => {
    const { marketing, commerce } = client();
    // The secret is known only after the endpoint was created, which needs the address.
    const probe = start('webhook-receiver/receiver.ts', [], { WEBHOOK_SECRET: 'whsec_AAAA' });
    const first = new URL(await probe.until(/http:\S+/));
    const made = await marketing.post('/webhook-endpoints', {
      body: { url: first.href, event_types: ['order_placed'] },
    });
    probe.child.kill('SIGTERM');
    await probe.ended;
    const env = { WEBHOOK_SECRET: `whsec_AAAA,${made.secret}`, PORT: first.port };
    const receiver = start('webhook-receiver/receiver.ts', [], env);
    await receiver.until(/http:\S+/);
    const order = await commerce.post('/orders', {
      body: {
        customer_id: 1,
        items: [{ product_id: 3, qty: 1 }],
        shipping_address: '12 Rowan Street',
        shipping_city: 'Portland',
        shipping_state: 'OR',
        shipping_zip: '97205',
      },
    });
    await receiver.until(new RegExp(`order ${order.id}: `));
    const { items } = await marketing.page('/webhook-endpoints/{id}/deliveries', { path: { id: made.endpoint_id } });
    receiver.child.kill('SIGTERM');
    await receiver.ended;
    const again = start('webhook-receiver/receiver.ts', [], env);
    await again.until(/http:\S+/);
    // Like a retry after a lost response.
    const { message_id: id, body: sent } = items[0]!;
    const headers = signDelivery(made.secret, { id, timestamp: Math.floor(Date.now() / 1000), body: sent });
    const repeated = await fetch(first, { method: 'POST', body: sent, headers });
    expect([repeated.status, await repeated.text()]).toEqual([200, 'repeated\n']);
    const signed = await signWebhook('whsec_BBBB', '{}');
    expect((await fetch(first, { method: 'POST', body: '{}', headers: signed })).status).toBe(400);
    expect((await fetch(first, { method: 'POST', body: '{}' })).status).toBe(400);
    const body = JSON.stringify({ event_type: 'ping', event_data: {}, occurred_at: '2036-03-15T12:00:00.000Z' });
    const own = await fetch(first, { method: 'POST', body, headers: await signWebhook(made.secret, body) });
    expect([own.status, await own.text()]).toEqual([200, 'done\n']);
    expect(again.said.text).not.toContain(`order ${order.id}: `);
  });
});
