import { expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';

const server = testServer();

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
    return handle(call as never);
  };
  const isOverloaded = (end: PromiseSettledResult<unknown>): boolean =>
    end.status === 'rejected' && end.reason.name === 'Overloaded';
  const large = await Promise.allSettled([send(BYTES), send(BYTES), send(BYTES)]);
  expect(large.map(isOverloaded)).toEqual([false, true, true]);
  const small = await Promise.allSettled([send(200), send(200), send(200)]);
  expect(small.map(isOverloaded)).toEqual([false, false, false]);
});
