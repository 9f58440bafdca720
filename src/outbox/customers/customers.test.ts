import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

/** What becomes of a contact when its customer changes in the shop. */
const server = testServer();

const worker = () => server.app.workers.find((one) => one.name === 'outbox')!;
async function carryAll(): Promise<void> {
  while ((await worker().runOnce()) > 0);
}

const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };

interface Contact {
  contact_id: number;
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  last_name: string | null;
  status: string;
  tags: string[];
}

async function makeCustomer(shop: TestCompany, input: object): Promise<number> {
  const { status, body } = await shop.commerce('POST', '/customers', input);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.id;
}

const change = async (shop: TestCompany, id: number, patch: object): Promise<void> => {
  expect((await shop.commerce('PATCH', `/customers/${id}`, patch)).status).toBe(200);
};

async function makeProduct(shop: TestCompany): Promise<number> {
  return (await shop.commerce('POST', '/products', { name: 'Thing', price: 5, stock_qty: 9_999 })).body.data.id;
}

const order = (shop: TestCompany, customer_id: number, product_id: number) =>
  shop.commerce('POST', '/orders', { customer_id, items: [{ product_id, qty: 1 }], ...ADDRESS });

const contactsOf = async (shop: TestCompany): Promise<Contact[]> =>
  (await shop.marketing('GET', '/contacts?per_page=100')).body.contacts;
const contactOf = async (shop: TestCompany, customer: number): Promise<Contact | undefined> =>
  (await contactsOf(shop)).find((one) => one.external_id === String(customer));
const refusals = (shop: TestCompany) =>
  server.rows('select topic, reason from outbox_refusals where company_id = $1', [shop.company_id]);

/** Event types with the external ids of the contacts that they are kept with. */
const eventsOf = (shop: TestCompany) =>
  server.rows<{ event_type: string; external_id: string; customer_id: string }>(
    `select e.event_type, c.external_id, e.data ->> 'customer_id' as customer_id
     from events e join contacts c on c.company_id = e.company_id and c.id = e.contact_id
     where e.company_id = $1 order by e.event_id`,
    [shop.company_id],
  );

test('a changed e-mail address, name and phone reach the contact, and start nothing', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'ada@example.com', first_name: 'Ada', phone: '+12133734253' });
  await carryAll();
  await change(shop, id, {
    email: 'Ada.L@Example.com',
    first_name: 'Augusta',
    last_name: 'King',
    phone: '+12133734254',
  });
  await carryAll();
  expect(await contactsOf(shop)).toMatchObject([
    {
      external_id: String(id),
      email: 'ada.l@example.com',
      first_name: 'Augusta',
      last_name: 'King',
      phone: '+12133734254',
    },
  ]);
  await change(shop, id, { first_name: '', phone: null });
  await carryAll();
  expect(await contactsOf(shop)).toMatchObject([
    { email: 'ada.l@example.com', first_name: null, last_name: 'King', phone: null },
  ]);
  expect((await eventsOf(shop)).map((event) => event.event_type)).toEqual(['customer_created']);
  const flow = { name: 'On change', trigger_type: 'customer_updated', steps: [], connections: [] };
  expect((await shop.marketing('POST', '/flows', flow)).status).toBe(400);
});

test('a change of what marketing does not know tells it nothing', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'quiet@example.com', first_name: 'Q' });
  await carryAll();
  await change(shop, id, { metadata: { a: 1 }, shipping_city: 'Bonn', email: 'quiet@example.com', first_name: 'Q' });
  expect(await server.rows('select 1 from outbox where company_id = $1', [shop.company_id])).toEqual([]);
});

test('a new customer with an address that another has left is another contact', async () => {
  const shop = await server.company();
  const first = await makeCustomer(shop, { email: 'shared@example.com', first_name: 'First' });
  await carryAll();
  const old = (await contactOf(shop, first))!;
  await shop.marketing('PATCH', `/contacts/${old.contact_id}`, { tags: ['theirs'] });
  await change(shop, first, { email: 'first@example.com' });
  const second = await makeCustomer(shop, { email: 'shared@example.com', first_name: 'Second' });
  await carryAll();
  expect(await contactOf(shop, first)).toMatchObject({
    contact_id: old.contact_id,
    email: 'first@example.com',
    first_name: 'First',
    tags: ['theirs'],
  });
  expect(await contactOf(shop, second)).toMatchObject({ email: 'shared@example.com', first_name: 'Second', tags: [] });
});

test('a customer who takes over an address loses no order, whatever is carried first', async () => {
  const shop = await server.company();
  const product = await makeProduct(shop);
  const first = await makeCustomer(shop, { email: 'a@example.com' });
  const second = await makeCustomer(shop, { email: 'b@example.com' });
  await carryAll();
  await change(shop, first, { email: 'temporary@example.com' });
  await change(shop, second, { email: 'a@example.com' });
  await change(shop, first, { email: 'b@example.com' });
  // Puts the second customer's order before the changes, as happens when a change commits late.
  await order(shop, second, product);
  await server.rows(
    `with order_row as (delete from outbox where company_id = $1 and topic = 'order_placed' returning *)
     insert into outbox (company_id, id, topic, payload, occurred_at) overriding system value
     select company_id, 0, topic, payload, occurred_at from order_row`,
    [shop.company_id],
  );
  await carryAll();
  expect(await refusals(shop)).toEqual([]);
  expect(await contactOf(shop, first)).toMatchObject({ email: 'b@example.com' });
  expect(await contactOf(shop, second)).toMatchObject({ email: 'a@example.com' });
  expect((await eventsOf(shop)).at(-1)).toMatchObject({ event_type: 'order_placed', external_id: String(second) });
});

test('an order that was read before a change brings no former address or name back', async () => {
  const shop = await server.company();
  const product = await makeProduct(shop);
  const id = await makeCustomer(shop, { email: 'old@example.com', first_name: 'Old' });
  await order(shop, id, product);
  const [stale] = await server.rows<{ payload: object }>(
    "delete from outbox where company_id = $1 and topic = 'order_placed' returning payload",
    [shop.company_id],
  );
  await change(shop, id, { email: 'new@example.com', first_name: 'New' });
  await carryAll();
  await server.rows(
    "insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'order_placed', $2, $3)",
    [shop.company_id, stale!.payload, server.clock.now()],
  );
  await carryAll();
  expect(await contactsOf(shop)).toMatchObject([{ email: 'new@example.com', first_name: 'New' }]);
  expect((await eventsOf(shop)).map((event) => event.event_type)).toEqual(['customer_created', 'order_placed']);
});

test('a contact without a customer becomes the customer, even if another system has an id for it', async () => {
  const shop = await server.company();
  await shop.marketing('POST', '/contacts', { email: 'news@example.com', tags: ['newsletter'] });
  await shop.marketing('POST', '/contacts', { email: 'erp@example.com', external_id: 'erp-7', tags: ['erp'] });
  const subscriber = await makeCustomer(shop, { email: 'news@example.com' });
  const known = await makeCustomer(shop, { email: 'erp@example.com' });
  await carryAll();
  expect(await contactsOf(shop)).toHaveLength(2);
  expect(await contactOf(shop, subscriber)).toMatchObject({ email: 'news@example.com', tags: ['newsletter'] });
  expect(await contactOf(shop, known)).toMatchObject({ email: 'erp@example.com', tags: ['erp'] });
});

test('an address of a contact of another system moves to the customer with that address', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'one@example.com' });
  await carryAll();
  await shop.marketing('POST', '/contacts', { email: 'two@example.com', external_id: 'erp-8' });
  await change(shop, id, { email: 'two@example.com' });
  await carryAll();
  expect(await refusals(shop)).toEqual([]);
  expect(await contactOf(shop, id)).toMatchObject({ email: 'two@example.com' });
  expect((await contactsOf(shop)).find((one) => one.external_id === 'erp-8')).toMatchObject({ email: null });
});

test('customers who share a phone stay two contacts; the number follows the one who keeps it', async () => {
  const shop = await server.company();
  const phone = '+12133734255';
  const first = await makeCustomer(shop, { email: 'p1@example.com', phone });
  const second = await makeCustomer(shop, { email: 'p2@example.com', phone });
  await carryAll();
  expect(await refusals(shop)).toEqual([]);
  expect(await contactOf(shop, first)).toMatchObject({ email: 'p1@example.com', phone });
  expect(await contactOf(shop, second)).toMatchObject({ email: 'p2@example.com', phone: null });
  await change(shop, first, { phone: '' });
  await change(shop, second, { first_name: 'Still' });
  await carryAll();
  expect(await contactOf(shop, first)).toMatchObject({ phone: null });
  expect(await contactOf(shop, second)).toMatchObject({ phone });
});

test('a bounce stays with the address: who gives it up and gets another is written to again', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'full@example.com', accepts_marketing: true });
  await carryAll();
  const { contact_id } = (await contactOf(shop, id))!;
  await server.rows('update contacts set email_bounced = true where company_id = $1 and id = $2', [
    shop.company_id,
    contact_id,
  ]);
  await change(shop, id, { email: 'empty@example.com' });
  const [waiting] = await server.rows<{ payload: object }>(
    'delete from outbox where company_id = $1 returning payload',
    [shop.company_id],
  );
  await makeCustomer(shop, { email: 'full@example.com' });
  await carryAll();
  expect(await contactOf(shop, id)).toMatchObject({ email: null });
  await server.rows(
    "insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'customer_updated', $2, $3)",
    [shop.company_id, waiting!.payload, server.clock.now()],
  );
  await carryAll();
  expect(await contactOf(shop, id)).toMatchObject({ email: 'empty@example.com', status: 'subscribed' });
});

test('who takes their consent back while their contact is being made has taken it back', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'meanwhile@example.com', accepts_marketing: true });
  await carryAll();
  expect(await contactOf(shop, id)).toMatchObject({ status: 'subscribed' });
  // As happens when PATCH finds no contact yet, and the worker that creates it has read the customer before.
  await server.rows('update customers set accepts_marketing = false where company_id = $1', [shop.company_id]);
  await server.rows(
    "insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'customer_updated', $2, $3)",
    [shop.company_id, { customer_id: String(id), changed: ['accepts_marketing'] }, server.clock.now()],
  );
  await carryAll();
  expect(await contactOf(shop, id)).toMatchObject({ status: 'unsubscribed', consent: { email: { state: 'never' } } });
});

test('a customer erased before their events are delivered does not become a contact', async () => {
  const shop = await server.company();
  const id = await makeCustomer(shop, { email: 'gone@example.com' });
  await change(shop, id, { first_name: 'Gone' });
  await server.rows("update customers set email = null, first_name = '', erased_at = now() where company_id = $1", [
    shop.company_id,
  ]);
  await carryAll();
  expect(await contactsOf(shop)).toEqual([]);
  expect(await refusals(shop)).toEqual([]);
});

test('endpoints are told of a change, with what changed', async () => {
  const shop = await server.company();
  await shop.marketing('POST', '/webhook-endpoints', {
    url: 'https://example.com/hook',
    event_types: ['customer_updated'],
  });
  const id = await makeCustomer(shop, { email: 'hook@example.com' });
  await change(shop, id, { email: 'hook2@example.com', accepts_marketing: true });
  await carryAll();
  const [delivery, ...more] = await server.rows<{ event_type: string; entity: string; body: string }>(
    'select event_type, entity, body from webhook_deliveries where company_id = $1',
    [shop.company_id],
  );
  expect(more).toEqual([]);
  expect(delivery).toMatchObject({ event_type: 'customer_updated', entity: `customer:${id}` });
  expect(JSON.parse(delivery!.body).event_data).toEqual({
    customer_id: String(id),
    email: 'hook2@example.com',
    first_name: '',
    last_name: '',
    phone: null,
    accepts_marketing: true,
    changed: ['email', 'accepts_marketing'],
  });
});
