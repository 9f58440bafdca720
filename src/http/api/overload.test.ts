import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type RunningApp } from '../../app.ts';
import { monotonicMs } from '../../clock.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type FreezableProxy, freezableProxy } from '../../testing/proxy.ts';

const server = testServer({ impatient: true, described: true });
let a: TestCompany;
let b: TestCompany;
let locker: pg.Client;

beforeAll(async () => {
  a = await server.company();
  b = await server.company();
  locker = new pg.Client(server.connection);
  await locker.connect();
});

afterAll(() => locker.end());

/** Any reader of the table waits until `work` is done. */
async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  await locker.query(`begin; lock table ${table} in access exclusive mode`);
  try {
    return await work();
  } finally {
    await locker.query('rollback');
  }
}

const took = async (work: Promise<unknown>): Promise<number> => {
  const began = monotonicMs();
  await work;
  return monotonicMs() - began;
};

describe('slow reads of one company', () => {
  it('hold up no other company, no point read and no health check, and are refused beyond what may wait', async () => {
    await Promise.all([a.commerce('GET', '/products'), b.commerce('GET', '/customers')]);
    const slow: ReturnType<TestCompany['commerce']>[] = [];
    await whileLocked('products', async () => {
      for (let i = 0; i < 30; i++) slow.push(a.commerce('GET', '/products'));
      await expect.poll(() => server.lockWaits()).toBe(2);
      const others = [
        b.commerce('GET', '/customers'),
        b.marketing('GET', '/contacts'),
        b.commerce('POST', '/customers', { email: 'new@example.com', first_name: 'New', last_name: 'One' }),
        a.commerce('GET', '/customers/1'),
        server.request('GET', '/health/ready'),
      ];
      // Far below the 5 s for which the slow requests hold their resources.
      expect(await took(Promise.all(others))).toBeLessThan(1_500);
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 201, 404, 200]);
      let refusals = 0;
      for (const one of slow) void one.then(({ status }) => (refusals += status === 429 ? 1 : 0));
      // Before any slow request has ended.
      await expect.poll(() => refusals, { timeout: 4_500 }).toBeGreaterThan(15);
    });
    const ends = await Promise.all(slow);
    const refused = ends.filter(({ status }) => status === 429);
    expect([...new Set(ends.map(({ status }) => status))].sort()).toEqual([200, 429]);
    expect(refused.length).toBeGreaterThan(15);
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.error).toMatchObject({ code: 429, details: { reason: 'overloaded' } });
    }
  });

  it('are refused in the form of the marketing API there', async () => {
    const slow = await whileLocked('contacts', async () => {
      const all = Array.from({ length: 30 }, () => a.marketing('GET', '/contacts'));
      await Promise.race(all);
      return all;
    });
    const refused = (await Promise.all(slow)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused[0]!.body).toMatchObject({ error: 'rate_limit_exceeded', code: 429 });
  });

  it('end after 5 s', async () => {
    await whileLocked('products', async () => {
      const began = monotonicMs();
      const { status, body } = await a.commerce('GET', '/products');
      expect([status, body.error.details.reason]).toEqual([500, 'timed_out']);
      expect(monotonicMs() - began).toBeLessThan(9_000);
    });
  });

  it('do not affect segment previews of other companies', async () => {
    const preview = { conditions: { operator: 'and', rules: [{ field: 'tags', comparison: 'equals', value: 'vip' }] } };
    expect((await b.marketing('POST', '/segments/preview', preview)).status).toBe(200);
    const slow = await whileLocked('products', async () => {
      const all = Array.from({ length: 50 }, () => a.commerce('GET', '/products'));
      const previews = await Promise.all(
        Array.from({ length: 5 }, () => b.marketing('POST', '/segments/preview', preview)),
      );
      expect(previews.map(({ status }) => status)).toEqual(Array(5).fill(200));
      return all;
    });
    await Promise.all(slow);
  });
});

describe('a hundred previews of segments of one company', () => {
  it('do not affect reads, orders and events of another company, and end with a count or a refusal', async () => {
    const preview = { conditions: { operator: 'and', rules: [{ field: 'tags', comparison: 'equals', value: 'vip' }] } };
    const product = await b.commerce('POST', '/products', { name: 'Tea', price: 5, stock_qty: 9 });
    const { id } = product.body.data;
    const person = await b.commerce('POST', '/customers', { email: 'b@example.com', first_name: 'B' });
    const address = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
    const order = { customer_id: person.body.data.id, items: [{ product_id: id, qty: 1 }], ...address };
    const event = {
      event_type: 'product_viewed',
      event_data: { email: 'b@example.com', product_id: '1', product_name: 'Tea' },
    };
    const previews = await whileLocked('message_activity', async () => {
      const all = Array.from({ length: 100 }, () =>
        a.marketing('POST', '/segments/preview', {
          conditions: {
            operator: 'and',
            rules: [{ field: 'messages.opened.count', comparison: 'greater_than_or_equal', value: 1 }],
          },
        }),
      );
      // As many of them as the company's share of the lane are waiting for the lock.
      await expect.poll(() => server.lockWaits()).toBe(2);
      const others = [
        b.commerce('GET', `/products/${id}`),
        b.commerce('POST', '/orders', order),
        b.marketing('POST', '/events', event),
        b.marketing('POST', '/segments/preview', preview),
      ];
      expect(await took(Promise.all(others))).toBeLessThan(1_500);
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 201, 201, 200]);
      return all;
    });
    const ends = await Promise.all(previews);
    expect(ends.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  });
});

describe('a database that takes no writes', () => {
  it('makes the server not ready, and writes say when to try again', async () => {
    const running = await secondServer(server.connection, `-c default_transaction_read_only=on`);
    try {
      expect((await fetch(`${running.origin}/health/ready`)).status).toBe(503);
      expect((await fetch(`${running.origin}/health/live`)).status).toBe(200);
      const made = await fetch(`${running.origin}/commerce/v1/customers`, {
        method: 'POST',
        headers: { 'x-api-key': a.key, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'other@example.com', first_name: 'A', last_name: 'B' }),
      });
      expect([made.status, made.headers.get('retry-after')]).toEqual([500, '2']);
      expect(await made.json()).toMatchObject({ error: { details: { reason: 'database_unavailable' } } });
      const limited = await server.company({ requestsPerHour: 3 });
      const read = async (key: string): Promise<number> =>
        (await fetch(`${running.origin}/commerce/v1/customers`, { headers: { 'x-api-key': key } })).status;
      expect(await read(a.key)).toBe(200);
      // Counts cannot be written: each process counts on its own, up to the limit.
      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) statuses.push(await read(limited.key));
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    } finally {
      await running.stop();
    }
  });
});

async function secondServer(connection: pg.ClientConfig, options?: string): Promise<RunningApp & { origin: string }> {
  const { config } = server.app;
  const running = await createApp({
    config,
    clock: server.clock,
    connection: { ...connection, options },
    logTo: server.logTo,
  });
  return { ...running, origin: await running.server.listen({ host: '127.0.0.1', port: 0 }) };
}

describe('a database that went silent', () => {
  let proxy: FreezableProxy;
  let running: RunningApp & { origin: string };

  beforeAll(async () => {
    proxy = await freezableProxy(server.connection);
    running = await secondServer(proxy.connection);
  });

  afterAll(async () => {
    proxy.thaw();
    await running.stop();
    await proxy.close();
  });

  const get = (path: string) =>
    fetch(`${running.origin}${path}`, {
      headers: { 'x-api-key': a.key, authorization: `Bearer ${a.key}`, 'x-company-id': String(a.company_id) },
      signal: AbortSignal.timeout(30_000),
    });
  const write = () =>
    fetch(`${running.origin}/commerce/v1/customers`, {
      method: 'POST',
      headers: { 'x-api-key': a.key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${monotonicMs()}@example.com`, first_name: 'A', last_name: 'B' }),
      signal: AbortSignal.timeout(30_000),
    });

  it('on its idle connections causes seconds of delay and no loss: new connections replace them', async () => {
    expect((await write()).status).toBe(201);
    expect((await get('/commerce/v1/customers')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    proxy.freeze();
    const began = monotonicMs();
    const [written, listed] = await Promise.all([write(), get('/commerce/v1/customers')]);
    // Requests in progress at that moment may fail; the next ones succeed.
    expect([201, 500]).toContain(written.status);
    expect([200, 500]).toContain(listed.status);
    await expect.poll(async () => (await write()).status, { timeout: 15_000 }).toBe(201);
    await expect.poll(async () => (await get('/commerce/v1/customers')).status, { timeout: 15_000 }).toBe(200);
    expect(monotonicMs() - began).toBeLessThan(15_000);
  });

  it('altogether: health says so within a second or so, and requests end with 500 and when to try again', async () => {
    proxy.freeze('all');
    const began = monotonicMs();
    expect((await get('/health/ready')).status).toBe(503);
    expect(monotonicMs() - began).toBeLessThan(2_500);
    expect((await get('/health/live')).status).toBe(200);
    const [commerce, marketing] = await Promise.all([get('/commerce/v1/customers'), get('/marketing/v1/contacts')]);
    expect(monotonicMs() - began).toBeLessThan(20_000);
    expect([commerce.status, commerce.headers.get('retry-after')]).toEqual([500, '2']);
    expect(await commerce.json()).toMatchObject({ error: { details: { reason: 'database_unavailable' } } });
    expect([marketing.status, marketing.headers.get('retry-after')]).toEqual([500, '2']);
    expect(await marketing.json()).toMatchObject({ error: 'internal_error', code: 500 });
    proxy.thaw();
    await expect.poll(async () => (await get('/health/ready')).status, { timeout: 15_000 }).toBe(200);
    await expect.poll(async () => (await get('/commerce/v1/customers')).status, { timeout: 15_000 }).toBe(200);
  });
});
