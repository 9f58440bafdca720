import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeOld } from '../../retention/testing.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { claimDeliveries, companiesWithDeliveries } from './claim-queries.ts';
import { createDeliveryWorker, retryDelay } from './worker.ts';

const server = testServer({ impatient: true, config: { allowPrivateWebhooks: true }, described: true });

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
  event: { event_type: string; event_id: string; event_data: Record<string, unknown> };
}

let sink: Server;
let url: string;
let received: Received[] = [];
/** The status that the endpoint responds with, by the request's number. */
let respondWith: (n: number, request: Received) => number = () => 200;

beforeAll(async () => {
  sink = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const one = { headers: request.headers, body, event: JSON.parse(body) };
      received.push(one);
      response.writeHead(respondWith(received.length, one)).end('thanks');
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`;
});
afterAll(() => sink.close());
beforeEach(() => {
  received = [];
  respondWith = () => 200;
  server.clock.set('2026-03-15T12:00:00.000Z');
});

const run = async (name: string) => {
  const worker = server.app.workers.find((one) => one.name === name)!;
  while ((await worker.runOnce()) > 0);
};
/** Transfers the shop's events and delivers what is due. */
const deliver = async () => {
  await run('outbox');
  await run('webhook-deliveries');
};

async function shopWith(fields: object = {}) {
  const shop = await server.company();
  const made = await shop.marketing('POST', '/webhook-endpoints', { url, ...fields });
  expect(made.status).toBe(201);
  return { shop, endpoint: made.body as unknown as { endpoint_id: number; secret: string } };
}

let people = 0;
const customer = async (shop: TestCompany) =>
  Number((await shop.commerce('POST', '/customers', { email: `hook${++people}@example.com` })).body.data!.id);
async function order(shop: TestCompany): Promise<number> {
  const product = (await shop.commerce('POST', '/products', { name: 'Thing', price: 5, stock_qty: 9 })).body.data!.id;
  const items = [{ product_id: product, qty: 1 }];
  const body = {
    customer_id: await customer(shop),
    items,
    shipping_address: '1',
    shipping_city: 'X',
    shipping_zip: '1',
  };
  return Number((await shop.commerce('POST', '/orders', body)).body.data!.id);
}
const deliveries = async (shop: TestCompany, id: number, query = '') =>
  (await shop.marketing('GET', `/webhook-endpoints/${id}/deliveries${query}`)).body.deliveries!;

test('only companies with something to deliver are worked on, the longest due first', async () => {
  const shops = [await shopWith(), await shopWith(), await shopWith()];
  await order(shops[1]!.shop);
  await deliver();
  await order(shops[2]!.shop);
  await run('outbox');
  server.clock.advance(1_000);
  await order(shops[0]!.shop);
  await run('outbox');
  const due = await companiesWithDeliveries(server.app.db, server.clock.now());
  expect(due).toEqual([shops[2]!.shop.company_id, shops[0]!.shop.company_id]);
  await deliver();
  expect(await companiesWithDeliveries(server.app.db, server.clock.now())).toEqual([]);
});

describe('delivery', () => {
  test('is verified by the code in the guide', async () => {
    const { shop, endpoint } = await shopWith();
    server.clock.set(new Date());
    await customer(shop);
    await deliver();
    const code = /```js\n(.*?)```/s.exec(await readFile('docs/api.md', 'utf8'))![1]!;
    const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isGenuine(secret: string, headers: Received['headers'], body: string): boolean;
    };
    const { headers, body } = received[0]!;
    expect(isGenuine(endpoint.secret, headers, body)).toBe(true);
    expect(isGenuine(endpoint.secret, headers, `${body} `)).toBe(false);
    expect(isGenuine(endpoint.secret, { ...headers, 'webhook-timestamp': '1' }, body)).toBe(false);
  });

  test('delivers events of the shop, signed by Standard Webhooks and for the marketing webhook', async () => {
    const { shop, endpoint } = await shopWith();
    const id = await order(shop);
    await deliver();
    expect(received.map((one) => one.event.event_type)).toEqual(['customer_created', 'order_placed']);
    const placed = received[1]!;
    expect(placed.event.event_data).toMatchObject({ order_id: String(id), total: 5 });
    expect(placed.headers['x-company-id']).toBe(String(shop.company_id));
    const headers = placed.headers as Record<string, string>;
    // The library checks the age against the machine's clock, so only the signature is checked here.
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${placed.body}`;
    expect(headers['webhook-signature']).toBe(
      new Webhook(endpoint.secret).sign(headers['webhook-id']!, server.clock.now(), placed.body),
    );
    expect(signed).toContain(placed.event.event_id);
    const log = await deliveries(shop, endpoint.endpoint_id);
    expect(log[0]).toMatchObject({
      status: 'delivered',
      attempts: 1,
      response_status: 200,
      response_body: 'thanks',
      entity: `order:${id}`,
    });
  });

  test('an endpoint of some types is told of these only', async () => {
    const { shop } = await shopWith({ event_types: ['order_completed'] });
    const id = await order(shop);
    for (const status of ['shipped', 'delivered']) await shop.commerce('PATCH', `/orders/${id}/status`, { status });
    await deliver();
    expect(received.map((one) => one.event.event_type)).toEqual(['order_completed']);
  });

  test('a shipped order is told with its tracking number, carrier and items', async () => {
    const { shop } = await shopWith({ event_types: ['order_shipped'] });
    const id = await order(shop);
    const move = (body: object) => shop.commerce('PATCH', `/orders/${id}/status`, body);
    expect((await move({ status: 'processing', carrier: 'DHL' })).status).toBe(422);
    expect((await move({ status: 'shipped', tracking_number: 'T-1', carrier: 'DHL' })).status).toBe(200);
    await move({ status: 'shipped', tracking_number: 'T-2' });
    await deliver();
    expect(received.map((one) => one.event)).toMatchObject([
      {
        event_type: 'order_shipped',
        event_data: {
          order_id: String(id),
          tracking_number: 'T-1',
          carrier: 'DHL',
          shipping_method: 'Standard',
          items: [{ product_id: expect.any(String), name: expect.any(String), price: 5, quantity: 1 }],
        },
      },
    ]);
    const history = (await shop.commerce('GET', `/orders/${id}/history`)).body.data!;
    expect(history).toContainEqual(expect.objectContaining({ to: 'shipped', message: 'DHL' }));
  });

  test('keeps the order for each thing: a later event waits while the one before it is tried again', async () => {
    const { shop } = await shopWith({ event_types: ['order_placed', 'order_completed'] });
    respondWith = (_n, one) => (one.event.event_type === 'order_placed' && received.length === 1 ? 503 : 200);
    const first = await order(shop);
    for (const status of ['shipped', 'delivered']) await shop.commerce('PATCH', `/orders/${first}/status`, { status });
    await order(shop);
    await deliver();
    const told = () =>
      received.map(
        (one) => `${one.event.event_type} ${Number(one.event.event_data.order_id) === first ? 'first' : 'second'}`,
      );
    expect(told()).toEqual(['order_placed first', 'order_placed second']);
    server.clock.advance(5_000);
    await deliver();
    expect(told().slice(2)).toEqual(['order_placed first', 'order_completed first']);
  });

  test('tries again with growing pauses for a day, keeps it as failed, and replays it', async () => {
    const { shop, endpoint } = await shopWith({ event_types: ['customer_created'] });
    respondWith = () => 500;
    await customer(shop);
    const times: number[] = [];
    const worker = server.app.workers.find((one) => one.name === 'webhook-deliveries')!;
    await run('outbox');
    const began = server.clock.now().getTime();
    for (;;) {
      const before = received.length;
      await run('webhook-deliveries');
      if (received.length > before) times.push(server.clock.now().getTime() - began);
      const due = await worker.nextDue(server.clock.now());
      if (due === null) break;
      server.clock.set(due);
    }
    expect(times.slice(0, 4)).toEqual([0, 5_000, 15_000, 35_000]);
    expect(times.at(-1)!).toBeGreaterThan(20 * 3_600_000);
    expect(times.at(-1)!).toBeLessThan(24 * 3_600_000);
    const [failed] = (await deliveries(shop, endpoint.endpoint_id, '?status=failed')) as unknown as {
      delivery_id: number;
      error: string;
      attempts: number;
    }[];
    expect(failed).toMatchObject({ error: 'The response was 500', attempts: times.length });
    respondWith = () => 200;
    const replayed = await shop.marketing('POST', `/webhook-endpoints/replay/${endpoint.endpoint_id}`, {
      delivery_ids: [failed!.delivery_id],
    });
    expect(replayed.body).toEqual({ endpoint_id: endpoint.endpoint_id, replayed: 1 });
    await deliver();
    expect((await deliveries(shop, endpoint.endpoint_id))[0]).toMatchObject({ status: 'delivered' });
    expect(new Set(received.map((one) => one.headers['webhook-id'])).size).toBe(1);
  });

  test('an endpoint that is switched off gets nothing that waited; it can be replayed, and is forgotten in time', async () => {
    const { shop, endpoint } = await shopWith({ event_types: ['customer_created'] });
    const path = `/webhook-endpoints/${endpoint.endpoint_id}`;
    respondWith = () => 500;
    await customer(shop);
    await deliver();
    expect(received).toHaveLength(1);
    await shop.marketing('PATCH', path, { active: false });
    server.clock.advance(3_600_000);
    await deliver();
    expect(received).toHaveLength(1);
    expect(await deliveries(shop, endpoint.endpoint_id)).toMatchObject([
      { status: 'failed', error: 'the endpoint was switched off' },
    ]);
    respondWith = () => 200;
    await shop.marketing('PATCH', path, { active: true });
    await shop.marketing('POST', `/webhook-endpoints/replay/${endpoint.endpoint_id}`, {});
    await deliver();
    expect(await deliveries(shop, endpoint.endpoint_id)).toMatchObject([{ status: 'delivered' }]);
    server.clock.advance(30 * 24 * 3_600_000);
    await removeOld(server);
    expect(await deliveries(shop, endpoint.endpoint_id)).toHaveLength(1);
    server.clock.advance(1);
    await removeOld(server);
    expect(await deliveries(shop, endpoint.endpoint_id)).toEqual([]);
  });

  test('an endpoint that takes nothing for three days is switched off, and on again by hand', async () => {
    const { shop, endpoint } = await shopWith({ event_types: ['customer_created'] });
    respondWith = () => 404;
    for (let day = 0; day < 4; day++) {
      await customer(shop);
      await deliver();
      server.clock.advance(25 * 3_600_000);
    }
    await deliver();
    const read = async () => (await shop.marketing('GET', `/webhook-endpoints/${endpoint.endpoint_id}`)).body;
    expect(await read()).toMatchObject({
      active: false,
      disabled_reason: expect.stringContaining('no delivery was accepted since'),
    });
    const before = received.length;
    await customer(shop);
    await deliver();
    expect(received.length).toBe(before);
    expect((await shop.marketing('POST', `/webhook-endpoints/test/${endpoint.endpoint_id}`)).status).toBe(400);
    await shop.marketing('PATCH', `/webhook-endpoints/${endpoint.endpoint_id}`, { active: true });
    expect(await read()).toMatchObject({ active: true, disabled_reason: null, failing_since: null });
    respondWith = () => 200;
    expect((await shop.marketing('POST', `/webhook-endpoints/test/${endpoint.endpoint_id}`)).body).toMatchObject({
      event_type: 'ping',
      status: 'pending',
    });
    await deliver();
    expect(received.at(-1)!.event.event_type).toBe('ping');
  });

  test('no number of deliveries that wait behind an older one holds up another company, or the rest of their own', async () => {
    const { shop: stuck, endpoint } = await shopWith({ event_types: ['customer_created'] });
    const { shop: free } = await shopWith({ event_types: ['customer_created'] });
    respondWith = (_n, one) => (one.event.event_type === 'first' ? 503 : 200);
    const now = server.clock.now();
    const queue = (count: number, entity: string, type: string, dueAt: Date) =>
      server.rows(
        `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
         select $1, $2, $4 || n, $5, $4, jsonb_build_object('event_type', $5::text)::text, $6, $7, $6 from generate_series(1, $3::int) n`,
        [stuck.company_id, endpoint.endpoint_id, count, entity, type, dueAt, new Date(now.getTime() + 86_400_000)],
      );
    await queue(1, 'order:7', 'first', now);
    await run('webhook-deliveries');
    await queue(3_000, 'order:7', 'later', new Date(now.getTime() - 1_000));
    await queue(1, 'order:8', 'other', now);
    await customer(free);
    await deliver();
    expect(received.map((one) => one.event.event_type)).toContain('customer_created');
    // Deliveries that were examined are not examined again before they may be sent.
    const dueNow = async () =>
      (
        await server.rows(
          `select 1 from webhook_deliveries where company_id = $1 and status = 'pending' and due_at <= $2`,
          [stuck.company_id, server.clock.now()],
        )
      ).length;
    for (let look = 0; look < 4; look++) await deliver();
    expect(received.map((one) => one.event.event_type).sort()).toEqual(['customer_created', 'first', 'other']);
    expect(await dueNow()).toBe(0);
    respondWith = () => 200;
    server.clock.advance(5_000);
    expect(await dueNow()).toBe(3_001);
    await stuck.marketing('DELETE', `/webhook-endpoints/${endpoint.endpoint_id}`);
  });

  test('two workers share the deliveries: each is made once', async () => {
    const { shop } = await shopWith({ event_types: ['customer_created'] });
    for (let i = 0; i < 40; i++) await customer(shop);
    await run('outbox');
    const second = createDeliveryWorker(server.app);
    await Promise.all([run('webhook-deliveries'), second.runOnce()]);
    await run('webhook-deliveries');
    expect(received).toHaveLength(40);
    expect(new Set(received.map((one) => one.event.event_id)).size).toBe(40);
  });

  test('a delivery of a worker that died is made when its lease expires', async () => {
    const { shop, endpoint } = await shopWith({ event_types: ['customer_created'] });
    await customer(shop);
    await run('outbox');
    await server.rows(
      'update webhook_deliveries set lease_until = $2, due_at = $2, epoch = 1, attempts = 1 where company_id = $1',
      [shop.company_id, new Date(server.clock.now().getTime() + 30_000)],
    );
    await deliver();
    expect(received).toHaveLength(0);
    server.clock.advance(30_000);
    await deliver();
    expect((await deliveries(shop, endpoint.endpoint_id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('a delivery of a live worker is not taken by one whose clock is ahead', async () => {
    const { shop } = await shopWith({ event_types: ['customer_created'] });
    await customer(shop);
    await run('outbox');
    const claim = (ahead: number) => {
      const now = new Date(server.clock.now().getTime() + ahead);
      const leaseUntil = new Date(now.getTime() + 30_000);
      return server.app.db.tenantTx(shop.company_id, (tx) =>
        claimDeliveries(tx, shop.company_id, { now, leaseUntil, limit: 10 }),
      );
    };
    expect(await claim(0)).toHaveLength(1);
    expect(await claim(3_600_000)).toHaveLength(0);
    await server.rows("update webhook_deliveries set lease_until = now() - interval '1 second' where company_id = $1", [
      shop.company_id,
    ]);
    expect(await claim(3_600_000)).toMatchObject([{ epoch: 2 }]);
  });
});

describe('/webhook-endpoints', () => {
  test('are made, listed, read, changed and removed; the secret is shown once', async () => {
    const { shop, endpoint } = await shopWith({ description: 'ERP' });
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const list = await shop.marketing('GET', '/webhook-endpoints');
    expect(list.body.pagination!.total).toBe(1);
    expect(list.body.webhook_endpoints![0]).not.toHaveProperty('secret');
    const changed = await shop.marketing('PATCH', `/webhook-endpoints/${endpoint.endpoint_id}`, {
      event_types: ['order_placed'],
    });
    expect(changed.body).toMatchObject({ event_types: ['order_placed'], description: 'ERP' });
    const stored = await server.rows<{ secret: Buffer }>('select secret from webhook_endpoints where id = $1', [
      endpoint.endpoint_id,
    ]);
    expect(stored[0]!.secret.toString('latin1')).not.toContain(endpoint.secret.slice(6));
    expect((await shop.marketing('DELETE', `/webhook-endpoints/${endpoint.endpoint_id}`)).body).toEqual({
      endpoint_id: endpoint.endpoint_id,
      deleted: true,
    });
    expect((await shop.marketing('GET', `/webhook-endpoints/${endpoint.endpoint_id}`)).status).toBe(404);
  });

  test('listen to events that exist: a misspelt type would never be delivered', async () => {
    const { shop, endpoint } = await shopWith();
    const refused = [
      await shop.marketing('POST', '/webhook-endpoints', { url, event_types: ['order_placed', 'order_payed'] }),
      await shop.marketing('PATCH', `/webhook-endpoints/${endpoint.endpoint_id}`, { event_types: ['order.placed'] }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    expect(refused[0]!.body.message).toMatch(/^event_types\.1 must be one of order_placed, /);
  });

  test('a repeated key gives the same secret, which is nowhere in clear', async () => {
    const shop = await server.company();
    const make = () => shop.marketing('POST', '/webhook-endpoints', { url }, { 'idempotency-key': 'secret' });
    const [first, second] = [await make(), await make()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    const stored = await server.rows<{ body: string }>('select body from idempotency_keys where company_id = $1', [
      shop.company_id,
    ]);
    expect(stored).toHaveLength(1);
    expect(stored[0]!.body).not.toContain('whsec_');
  });

  test.each(['not a url', 'ftp://example.com/x', 'https://user:secret@example.com/'])('refuses %s', async (bad) => {
    const shop = await server.company();
    const made = await shop.marketing('POST', '/webhook-endpoints', { url: bad });
    expect([made.status, made.body.details![0]!.field]).toEqual([400, 'url']);
  });
});

test('pauses double from five seconds up to four hours', () => {
  expect([1, 2, 3, 10, 12, 40].map(retryDelay)).toEqual([5_000, 10_000, 20_000, 2_560_000, 10_240_000, 14_400_000]);
});
