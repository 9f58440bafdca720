import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { signUp, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let store: TestStore;
let tea: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const view = (product_id: number, headers?: Record<string, string>) =>
  store.send('POST', '/events', { event_type: 'product_viewed', product_id }, headers);
const cartOf = async (fields: object): Promise<{ 'x-cart-token': string }> => {
  const { body } = await store.ask('POST', '/cart', fields);
  return { 'x-cart-token': body.data.token };
};
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function eventsOf(email: string): Promise<{ data: Record<string, unknown>; contact: number }[]> {
  await worker('outbox').runOnce();
  return server.rows(
    `select e.data, c.id::int as contact from events e join contacts c on c.company_id = e.company_id and c.id = e.contact_id
     where e.event_type = 'product_viewed' and c.email = $1 order by e.event_id`,
    [email],
  );
}

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id);
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 5 })).id;
});

beforeEach(() => server.clock.advance(61_000));

test('what a customer views is an event of their contact, once for an Idempotency-Key', async () => {
  const { id, headers } = await signUp(server, shop, store, 'member@example.com');
  const once = { ...headers, 'idempotency-key': 'view' };
  for (let i = 0; i < 2; i++) expect((await view(tea, once)).body.data).toEqual({ recorded: true });
  const events = await eventsOf('member@example.com');
  expect(events).toMatchObject([
    { data: { customer_id: String(id), product_id: String(tea), product_name: 'Tea', price: 10, currency: 'USD' } },
  ]);
});

test("what a guest views is an event of the cart's address, whose contact has agreed to nothing", async () => {
  const headers = await cartOf({ email: 'guest@example.com', first_name: 'Gil' });
  expect((await view(tea, headers)).body.data).toEqual({ recorded: true });
  const [event, ...more] = await eventsOf('guest@example.com');
  expect(more).toEqual([]);
  const { consent } = (await shop.marketing('GET', `/contacts/${event!.contact}`)).body;
  expect(consent.email).toMatchObject({ state: 'never', source: 'event' });
  expect(event!.data).toMatchObject({ email: 'guest@example.com', product_id: String(tea) });
  expect(event!.data).not.toHaveProperty('customer_id');
});

test('of a visitor without an address nothing is noted', async () => {
  const waiting = () => server.rows("select 1 from outbox where topic = 'product_viewed'");
  for (const headers of [undefined, await cartOf({})]) {
    expect((await view(tea, headers)).body.data).toEqual({ recorded: false });
  }
  expect(await waiting()).toEqual([]);
});

test('only products that visitors see are viewed, by a valid token', async () => {
  const headers = await cartOf({ email: 'guest@example.com' });
  const gone = (await made('/products', { name: 'Gone', price: 5 })).id;
  await shop.commerce('PATCH', `/products/${gone}`, { archived: true });
  for (const product of [gone, 999_999_999]) expect((await view(product, headers)).status).toBe(404);
  expect((await view(tea, { 'x-cart-token': 'tl_cart_x' })).status).toBe(404);
  expect((await view(tea, { authorization: 'Bearer tl_cust_x' })).status).toBe(401);
  expect((await store.send('POST', '/events', { event_type: 'order_placed', product_id: tea })).status).toBe(422);
});

test('of a visitor who is being erased nothing is noted, and a merge or an erasure waits for what is', async () => {
  const { id, headers } = await signUp(server, shop, store, 'leaving@example.com');
  const guest = await cartOf({ email: 'going@example.com' });
  let views: ReturnType<typeof view>[] = [];
  await server.app.db.tx(async (tx) => {
    const companyId = shop.company_id;
    await tx.query(sql`select from customers where company_id = ${companyId} and id = ${id} for update`);
    await tx.query(sql`update carts set email = null, status = 'cancelled'
      where company_id = ${companyId} and email = 'going@example.com'`);
    views = [view(tea, headers), view(tea, guest)];
    await expect.poll(() => server.lockWaits()).toBe(2);
    await tx.query(
      sql`update customers set email = null, erased_at = now() where company_id = ${companyId} and id = ${id}`,
    );
  });
  expect((await Promise.all(views)).map(({ body }) => body.data)).toEqual([{ recorded: false }, { recorded: false }]);
});
