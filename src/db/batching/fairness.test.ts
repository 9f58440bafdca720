import { expect, it, test } from 'vitest';
import type { Call, Endpoint } from '../../http/api/endpoint.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { sql } from '../sql.ts';

const server = testServer();

let serial = 0;
/** Each with another name, so that it changes its contact. */
const tracked = (shop: TestCompany, email: string) =>
  shop.marketing('POST', '/events', {
    event_type: 'customer_created',
    event_id: `made-${++serial}`,
    event_data: { email, first_name: `Ada ${serial}`, last_name: 'L' },
  });
const upserted = (shop: TestCompany, email: string) =>
  shop.marketing('POST', '/contacts', { email, first_name: 'Ada' });

test.each([
  ['events', tracked],
  ['contacts', upserted],
])("%s of a company whose contact is locked for long hold up no other company's", async (_what, send) => {
  const [stuck, free] = [await server.company(), await server.company()];
  for (const shop of [stuck, free]) expect((await send(shop, 'ada@example.com')).status).toBeLessThan(300);
  const waiting: Promise<TestResponse>[] = [];
  let settled = 0;
  await server.app.db.tx(async (tx) => {
    await tx.query(sql`select 1 from contacts where company_id = ${stuck.company_id} for update`);
    for (let i = 0; i < 4; i++) {
      // One batch after the other, until the company has as many in flight as it may.
      waiting.push(send(stuck, 'ada@example.com'));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    for (const one of waiting) void one.then(() => settled++);
    expect(await server.lockWaits()).toBeGreaterThan(0);
    expect((await send(free, 'ada@example.com')).status).toBeLessThan(300);
    expect(settled).toBe(0);
  });
  for (const one of await Promise.all(waiting)) expect(one.status).toBeLessThan(300);
});

/** Of three requests in one turn of the event loop, the second exceeds a company's half of 64 MiB. */
const BYTES = 20 * 2 ** 20;

it.each([
  ['commerce', '/orders', { customer_id: 1, items: [{ product_id: 1, quantity: 1 }] }],
  [
    'marketing',
    '/events',
    { event_type: 'customer_created', event_data: { email: 'ada@example.com', first_name: 'Ada', last_name: 'L' } },
  ],
  ['marketing', '/contacts', { email: 'ada@example.com' }],
] as const)('what waits of %s%s is bounded by the bytes of the requests', async (side, path, body) => {
  const shop = await server.company();
  // Reads the company's cached data first, so that all three requests queue at once.
  await shop[side]('POST', path, body);
  const { handle } = server.app.routes[side].find(
    ({ endpoint }) => endpoint.method === 'POST' && endpoint.path === path,
  )!;
  const send = (bodyBytes: number) => {
    const caller = { companyId: shop.company_id, actor: 'test', requestId: 'test', bodyBytes };
    const call = { caller: { ...caller, now: server.clock.now(), idempotency: null }, params: {}, query: {}, body };
    return handle(call as unknown as Call<Endpoint>);
  };
  const isOverloaded = (end: PromiseSettledResult<unknown>): boolean =>
    end.status === 'rejected' && end.reason.name === 'Overloaded';
  const large = await Promise.allSettled([send(BYTES), send(BYTES), send(BYTES)]);
  expect(large.map(isOverloaded)).toEqual([false, true, true]);
  const small = await Promise.allSettled([send(200), send(200), send(200)]);
  expect(small.map(isOverloaded)).toEqual([false, false, false]);
});
