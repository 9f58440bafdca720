import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let customerId: number;
let orderId: number;

beforeAll(async () => {
  shop = await server.company();
  const product_id = (await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 9 })).body.data.id;
  customerId = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const order = { customer_id: customerId, items: [{ product_id, qty: 1 }], ...address };
  orderId = (await shop.commerce('POST', '/orders', order)).body.data.id;
});

describe('notes', () => {
  test('name who wrote them and when; a customer has those about their orders too', async () => {
    const person = await testPerson(server, { [shop.company_id]: 'fulfilment' });
    const path = `/${shop.company_id}/customers/${customerId}/notes`;
    const written = await person.ask('POST', path, { text: '  Rings twice.\nThen waits. ' });
    expect(written.status).toBe(201);
    expect(written.body.data).toMatchObject({
      customer_id: customerId,
      order_id: null,
      text: 'Rings twice.\nThen waits.',
      actor: `admin:${person.id}`,
      created_at: server.clock.now().toISOString(),
    });
    expect(written.body.data.actor_name).toMatch(/^Person/);
    const about = (await shop.commerce('POST', `/orders/${orderId}/notes`, { text: 'A gift' })).body.data;
    expect(about).toMatchObject({ customer_id: customerId, order_id: orderId, actor: 'key:test', actor_name: null });

    const ofCustomer = await shop.commerce('GET', `/customers/${customerId}/notes`);
    expect(ofCustomer.body.data).toEqual([about, written.body.data]);
    expect(ofCustomer.body.meta.pagination.total).toBe(2);
    expect((await shop.commerce('GET', `/orders/${orderId}/notes`)).body.data).toEqual([about]);
  });

  test('are deleted through their own record only', async () => {
    const { id } = (await shop.commerce('POST', `/orders/${orderId}/notes`, { text: 'Wrong' })).body.data;
    expect((await shop.commerce('DELETE', `/customer-notes/${id}`)).status).toBe(404);
    expect((await shop.commerce('DELETE', `/order-notes/${id}`)).body.data.text).toBe('Wrong');
    expect((await shop.commerce('DELETE', `/order-notes/${id}`)).status).toBe(404);
  });

  test('need a text, a customer and an order', async () => {
    const blank = await shop.commerce('POST', `/customers/${customerId}/notes`, { text: ' ' });
    expect([blank.status, blank.body.error.details.fields[0].field]).toEqual([422, 'text']);
    const long = await shop.commerce('POST', `/customers/${customerId}/notes`, { text: 'x'.repeat(5_001) });
    expect(long.status).toBe(422);
    for (const path of ['/customers/999999/notes', '/orders/999999/notes']) {
      expect((await shop.commerce('GET', path)).status).toBe(404);
      expect((await shop.commerce('POST', path, { text: 'Nobody' })).status).toBe(404);
    }
  });

  test('are part of the export, and erased with the customer; none is written afterwards', async () => {
    const { data } = (await shop.commerce('GET', `/customers/${customerId}/export`)).body;
    expect(data.notes.map((note: { text: string }) => note.text)).toEqual(['Rings twice.\nThen waits.', 'A gift']);
    await shop.commerce('DELETE', `/customers/${customerId}`);
    expect(await server.rows('select text from notes')).toEqual([]);
    expect((await shop.commerce('GET', `/orders/${orderId}/notes`)).body.data).toEqual([]);
    expect((await shop.commerce('POST', `/orders/${orderId}/notes`, { text: 'Late' })).status).toBe(404);
  });
});
