import { beforeAll, expect, test } from 'vitest';
import { settle } from '../../erasure/markers.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;
let customerId: number;
let orderId: number;

const ask = (path: string, person = owner) => person.ask('GET', `/${shop.company_id}${path}`);

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  await shop.marketing('POST', '/flows', {
    name: 'Thanks for the order',
    trigger_type: 'order_placed',
    status: 'active',
    reentry: { mode: 'always', concurrent: true },
    steps: [
      { step_id: 'mail', type: 'send_email', config: { subject: 'Thanks', content: '<p>Hi</p>', transactional: true } },
    ],
    connections: [{ from: 'trigger', to: 'mail' }],
  });
  const product_id = (await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 9 })).body.data.id;
  customerId = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const order = { customer_id: customerId, items: [{ product_id, qty: 1 }], ...address };
  orderId = (await shop.commerce('POST', '/orders', order)).body.data.id;
  await shop.commerce('POST', '/orders', order);
  await settle(server);
});

test('the timeline of an order has its history, points, notes and the messages that it caused, the latest first', async () => {
  server.clock.advance(60_000);
  const path = `/${shop.company_id}/orders/${orderId}`;
  await owner.ask('POST', `${path}/notes`, { text: 'Wants it wrapped' });
  server.clock.advance(60_000);
  await owner.ask('PATCH', `${path}/status`, { status: 'cancelled' });
  const { status, body } = await ask(`/orders/${orderId}/timeline`);
  expect(status).toBe(200);
  const timeline = body.timeline as { kind: string; type: string; at: string; to: string | null; text: string }[];
  expect(timeline.map(({ kind, type }) => `${kind} ${type}`).sort()).toEqual([
    ...['history created', 'history status', 'message email', 'note note', 'points earn', 'points reverse_earn'],
  ]);
  expect(timeline.map(({ at }) => at)).toEqual(
    timeline
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
  expect(timeline.find(({ kind }) => kind === 'message')).toMatchObject({ to: 'sent', text: 'Thanks for the order' });
  const changed = timeline.find(({ type }) => type === 'status');
  expect(changed).toMatchObject({ from: 'pending', to: 'cancelled', actor: `admin:${owner.id}` });
  expect((changed as unknown as { actor_name: string }).actor_name).toMatch(/^Person/);
});

test('the timeline of an order names its cart, with what happened to it before', async () => {
  const made = async (path: string, body?: object) => (await shop.commerce('POST', path, body)).body.data;
  const product_id = (await made('/products', { name: 'Cup', price: 10, stock_qty: 5 })).id;
  const method_id = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const { id } = await made('/carts', { lines: [{ product_id, qty: 1 }], ...address });
  server.clock.advance(60_000);
  await shop.commerce('PATCH', `/carts/${id}`, { email: 'carl@example.com' });
  server.clock.advance(60_000);
  await made(`/carts/${id}/pay`, { method_id });
  server.clock.advance(60_000);
  const order = await made(`/carts/${id}/place`);
  const { timeline } = (await ask(`/orders/${order.id}/timeline`)).body;
  const steps = timeline.map(({ kind, type, text }: { kind: string; type: string; text: string | null }) => {
    return [kind, type, text];
  });
  expect(steps.filter(([kind]: string[]) => kind !== 'points')).toEqual([
    ['history', 'created', null],
    ['cart', 'paying', 'Transfer'],
    ['cart', 'checkout_started', null],
    ['cart', 'created', null],
  ]);
  expect(timeline.at(-1)).toMatchObject({ id, actor: null });
});

test('a role without marketing sees no messages', async () => {
  const clerk = await testPerson(server, { [shop.company_id]: 'fulfilment' });
  const { body } = await ask(`/orders/${orderId}/timeline`, clerk);
  expect(body.timeline.filter(({ kind }: { kind: string }) => kind === 'message')).toEqual([]);
  expect(body.timeline.length).toBeGreaterThan(3);
  expect((await ask(`/customers/${customerId}/messages`, clerk)).status).toBe(403);
});

test('a customer has the id of the contact, and the messages with the flow or campaign that sent them', async () => {
  const { contact_id } = (await ask(`/customers/${customerId}/contact`)).body;
  expect((await ask(`/contacts/${contact_id}`)).body.email).toBe('ann@example.com');
  const { messages, pagination } = (await ask(`/customers/${customerId}/messages?per_page=1`)).body;
  expect(pagination).toMatchObject({ total: 2, total_pages: 2 });
  expect(messages).toMatchObject([{ channel: 'email', origin: 'flow', title: 'Thanks for the order', status: 'sent' }]);
});

test('a contact has the id of its customer', async () => {
  const customerOf = async (contactId: number) => (await ask(`/contacts/${contactId}/customer`)).body.customer_id;
  const { contact_id } = (await ask(`/customers/${customerId}/contact`)).body;
  expect(await customerOf(contact_id)).toBe(customerId);
  // Known to both sides by the e-mail address alone.
  const { body } = await shop.commerce('POST', '/customers', { email: 'Bob@example.com' });
  const bob = await shop.marketing('POST', '/contacts', { email: 'bob@example.com' });
  expect(await customerOf(bob.body.contact_id)).toBe(body.data.id);
  await settle(server);
  const others = [{ email: 'nobody@example.com' }, { external_id: '99999' }, { external_id: 'CRM-7' }];
  for (const fields of [...others, { external_id: '9'.repeat(40) }]) {
    const made = await shop.marketing('POST', '/contacts', fields);
    expect([fields, await customerOf(made.body.contact_id)]).toEqual([fields, null]);
  }
  // Another external id with the address of a customer is another person's.
  const other = await shop.marketing('POST', '/contacts', { external_id: 'CRM-8', email: 'eve@example.com' });
  await shop.commerce('POST', '/customers', { email: 'eve@example.com' });
  expect(await customerOf(other.body.contact_id)).toBeNull();
  expect((await ask('/contacts/99999/customer')).status).toBe(404);
});

test('names of customers are returned by id, except for erased customers', async () => {
  const person = { email: 'cleo@example.com', first_name: 'Cleo', last_name: 'Reed' };
  const { id } = (await shop.commerce('POST', '/customers', person)).body.data;
  const { body: gone } = await shop.commerce('POST', '/customers', { email: 'gone@example.com' });
  await shop.commerce('DELETE', `/customers/${gone.data.id}`);
  const ids = [id, gone.data.id, customerId, 99_999, id].join(',');
  expect((await ask(`/customer-names?ids=${ids}`)).body.customers).toEqual([
    { id: customerId, name: '', email: 'ann@example.com' },
    { id, name: 'Cleo Reed', email: 'cleo@example.com' },
  ]);
  for (const wrong of ['', 'x', '1,', '1.5', '1'.repeat(20), Array.from({ length: 101 }, () => 1).join(',')]) {
    expect([wrong, (await ask(`/customer-names?ids=${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test('a customer without a contact has no messages; an unknown customer is not found', async () => {
  const { id } = (await shop.commerce('POST', '/customers', { email: 'new@example.com' })).body.data;
  expect((await ask(`/customers/${id}/contact`)).body).toEqual({ contact_id: null });
  expect((await ask(`/customers/${id}/messages`)).body.messages).toEqual([]);
  for (const path of ['/customers/99999/contact', '/customers/99999/messages', '/orders/99999/timeline']) {
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  }
});

test('prices, movements of stock and the history of a subscription name the person, and no key', async () => {
  const path = `/${shop.company_id}/products`;
  const made = await owner.ask('POST', path, { name: 'Tea', price: 10, stock_qty: 5, subscription_enabled: true });
  const product_id = made.body.data.id;
  await shop.commerce('PATCH', `/products/${product_id}`, { price: 11 });
  const { body: frequencies } = await shop.commerce('GET', '/subscription-frequencies');
  const subscription = await shop.commerce('POST', '/subscriptions', {
    customer_id: customerId,
    product_id,
    frequency_id: frequencies.data[0].id,
    quantity: 1,
    shipping_address: 'Main St 1',
    shipping_city: 'Salem',
    shipping_zip: '97301',
  });
  const { id } = subscription.body.data;
  await owner.ask('POST', `/${shop.company_id}/subscriptions/${id}/skip`);
  const [{ name }] = (await server.rows('select name from persons where id = $1', [owner.id])) as [{ name: string }];
  const namesOf = async (list: string) =>
    (await ask(list)).body.data.map((entry: { actor_name: string | null }) => entry.actor_name);
  expect(await namesOf(`/products/${product_id}/price-history`)).toEqual([null, name]);
  expect(await namesOf(`/products/${product_id}/stock-movements`)).toEqual([name]);
  expect(await namesOf(`/subscriptions/${id}/history`)).toEqual([null, name]);
});
