import { describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';

const server = testServer({ config: { testClock: true } });

const advance = (body: unknown, headers?: Record<string, string>) =>
  server.request('POST', '/admin/api/test-clock', { body, headers });

describe('POST /admin/api/test-clock', () => {
  test('moves time and everything due in between, each thing at its moment; two at once follow each other', async () => {
    server.clock.set('2026-01-30T12:00:00.000Z');
    const shop = await server.company({ timeZone: 'Asia/Tokyo' });
    const goods = { name: 'Tea', price: 9, stock_qty: 1_000, subscription_enabled: true };
    const product_id = (await shop.commerce('POST', '/products', goods)).body.data!.id;
    const customer_id = (await shop.commerce('POST', '/customers', { email: 'ada@example.com' })).body.data!.id;
    const { status } = await shop.commerce('POST', '/subscriptions', {
      customer_id,
      product_id,
      frequency_id: 3,
      start_date: '2026-01-31',
      shipping_address: '1 Main St',
      shipping_city: 'Tokyo',
      shipping_zip: '100',
    });
    expect(status).toBe(201);
    const moved = await Promise.all([advance({ advance: '30 days' }), advance({ advance: '31d' })]);
    expect(moved.map((one) => [one.status, one.body.now])).toEqual([
      [200, '2026-03-01T12:00:00.000Z'],
      [200, '2026-04-01T12:00:00.000Z'],
    ]);
    const { body } = await shop.commerce('GET', '/orders?is_subscription=true');
    // Midnight at the start of 31 January, 28 February and 31 March in Tokyo.
    expect(body.data!.map((order: { created_at: string }) => order.created_at).reverse()).toEqual([
      '2026-01-30T15:00:00.000Z',
      '2026-02-27T15:00:00.000Z',
      '2026-03-30T15:00:00.000Z',
    ]);
  });

  test.each([
    [{ advance: 'soon' }, 'advance'],
    [{ advance: '-3 days' }, 'advance'],
    [{ advance: '1 month' }, 'advance'],
    [{ advance: 3 }, 'advance'],
    [{ advance: '4000 days' }, 'advance'],
    [{}, 'advance'],
    [[], undefined],
  ])('refuses %j and leaves the time alone', async (body, field) => {
    const before = server.clock.now();
    const refused = await advance(body);
    expect([refused.status, refused.body.details[0]?.field]).toEqual([400, field]);
    expect(server.clock.now()).toEqual(before);
  });

  test('rejects an empty body and anything but JSON', async () => {
    for (const init of [{ raw: '{"advance"' }, { raw: '' }, { headers: { 'content-type': 'application/json' } }]) {
      expect((await server.request('POST', '/admin/api/test-clock', init)).status, JSON.stringify(init)).toBe(400);
    }
    expect((await server.request('POST', '/admin/api/test-clock')).status).toBe(404);
    expect((await advance({ advance: '1d' }, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(404);
  });
});
