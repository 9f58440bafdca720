import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../../access/api-key-service.ts';
import { settle } from '../../../erasure/markers.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let customerId: number;

beforeAll(async () => {
  shop = await server.company();
  const mug = { name: 'Mug', price: 10, stock_qty: 100, subscription_enabled: true };
  const product_id = (await shop.commerce('POST', '/products', mug)).body.data.id;
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const input = { email: 'Ann@Example.com', first_name: 'Ann', password: 'a long password', accepts_marketing: true };
  customerId = (await shop.commerce('POST', '/customers', input)).body.data.id;
  for (let n = 0; n < 60; n++) {
    await shop.commerce('POST', '/orders', { customer_id: customerId, items: [{ product_id, qty: 1 }], ...address });
  }
  const subscribed = { customer_id: customerId, product_id, frequency_id: 3, ...address };
  await shop.commerce('POST', '/subscriptions', subscribed);
  await shop.commerce('POST', `/customers/${customerId}/loyalty/adjust`, { points: 5, reason: 'sorry' });
  const other = { email: 'other@example.com', first_name: 'Other' };
  const { id } = (await shop.commerce('POST', '/customers', other)).body.data;
  await shop.commerce('POST', '/orders', { customer_id: id, items: [{ product_id, qty: 1 }], ...address });
  await settle(server);
});

describe('GET /customers/{id}/export', () => {
  test('returns all data of both sides, and none of other people', async () => {
    const { status, headers, body } = await shop.commerce('GET', `/customers/${customerId}/export`);
    expect(status).toBe(200);
    expect(headers.get('transfer-encoding')).toBe('chunked');
    const { data } = body;
    expect(data.customer).toEqual((await shop.commerce('GET', `/customers/${customerId}`)).body.data);
    // The subscription's first order was placed at once.
    expect(data.orders).toHaveLength(61);
    const { history, ...first } = data.orders[0];
    expect(first).toEqual((await shop.commerce('GET', `/orders/${first.id}`)).body.data);
    expect(history).toMatchObject([{ type: 'created', to: 'pending' }]);
    expect(data.subscriptions).toMatchObject([
      { shipping_city: 'Salem', history: [{ type: 'created' }, { type: 'renewed' }] },
    ]);
    expect(data.loyalty_ledger.find((entry: { type: string }) => entry.type === 'adjust')).toMatchObject({
      type: 'adjust',
      points: 5,
      reason: 'sorry',
    });
    expect(data.contact).toMatchObject({ external_id: String(customerId), first_name: 'Ann' });
    expect(data.consents).toMatchObject([
      { channel: 'email', state: 'subscribed', source: 'shop' },
      { channel: 'sms' },
    ]);
    const types = new Set(data.events.map((event: { event_type: string }) => event.event_type));
    expect(types).toEqual(new Set(['customer_created', 'order_placed', 'subscription_created', ...types]));
    expect(JSON.stringify(body)).not.toMatch(/other|argon|password/i);
  });

  test('of a customer without a contact has no contact', async () => {
    const { id } = (await shop.commerce('POST', '/customers', { email: 'new@example.com' })).body.data;
    const { data } = (await shop.commerce('GET', `/customers/${id}/export`)).body;
    expect(data).toMatchObject({ contact: null, orders: [], events: [], mails: [] });
  });

  test('shows each section only to keys with its scope, and names the missing sections', async () => {
    const read = async (scopes: string[]) => {
      const { key } = await createKey(server.app.db, {
        companyId: shop.company_id,
        name: 'reader',
        scopes,
        requestsPerHour: 0,
        expiresAt: null,
        actor: 'test',
        now: server.clock.now(),
      });
      const headers = { 'x-api-key': key };
      return (await server.request('GET', `/commerce/v1/customers/${customerId}/export`, { headers })).body.data;
    };
    const alone = await read(['customers:read']);
    const { customer, omitted, contact, ...sections } = alone;
    expect([customer.id, contact]).toEqual([customerId, null]);
    expect(new Set(Object.values(sections).map((rows) => (rows as unknown[]).length))).toEqual(new Set([0]));
    const scopes = [
      'orders:read',
      'payments:read',
      'subscriptions:read',
      'carts:read',
      'loyalty:read',
      'marketing:read',
    ];
    expect(omitted).toEqual(scopes);
    const more = await read(['customers:read', 'orders:read', 'loyalty:read']);
    expect([more.orders.length, more.contact, more.omitted]).toEqual([
      61,
      null,
      ['payments:read', 'subscriptions:read', 'carts:read', 'marketing:read'],
    ]);
    await shop.commerce('POST', '/carts', { customer_id: customerId, note: 'For the weekend' });
    const till = (await shop.commerce('POST', '/payment-methods', { kind: 'cash', name: 'Till' })).body.data.id;
    const order = more.orders[0].id;
    await shop.commerce('POST', `/orders/${order}/payments`, { method_id: till, amount: 9, reference: 'By Ann' });
    await shop.commerce('POST', `/orders/${order}/refunds`, { amount: 2, reason: 'Ann was late' });
    const all = (await shop.commerce('GET', `/customers/${customerId}/export`)).body.data;
    expect([
      all.order_ledger.map(({ kind }: { kind: string }) => kind),
      all.order_ledger[1],
      all.refunds,
    ]).toMatchObject([
      ['order', 'manual', 'credit', 'refund'],
      { order_id: order, amount: 900, reference: 'By Ann' },
      [{ order_id: order, amount: 200, reason: 'Ann was late' }],
    ]);
    expect([all.omitted, all.contact.external_id]).toEqual([[], String(customerId)]);
    expect(all.carts).toMatchObject([{ customer_id: customerId, note: 'For the weekend', lines: [] }]);
    expect(all.carts[0]).not.toHaveProperty('token_hash');
  });

  test('of one who was erased is not found', async () => {
    const { id } = (await shop.commerce('POST', '/customers', { email: 'gone@example.com' })).body.data;
    await shop.commerce('DELETE', `/customers/${id}`);
    expect((await shop.commerce('GET', `/customers/${id}/export`)).status).toBe(404);
  });
});
