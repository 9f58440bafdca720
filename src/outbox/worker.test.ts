import { expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { MAX_PROPERTIES } from '../marketing/contacts/limits.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { takeOutbox } from './queries.ts';
import { createOutboxWorker } from './worker.ts';

const server = testServer();

const worker = () => server.app.workers.find((one) => one.name === 'outbox')!;
async function carryAll(): Promise<void> {
  while ((await worker().runOnce()) > 0);
}

const ERASE_CUSTOMERS =
  "update customers set email = null, first_name = '', last_name = '', erased_at = now() where company_id = $1";
let people = 0;
const customer = (shop: TestCompany) =>
  shop.commerce('POST', '/customers', { email: `outbox${++people}@example.com`, first_name: 'Ada' });
const eventsOf = (shop: TestCompany) =>
  server.rows<{ event_type: string }>('select event_type from events where company_id = $1 order by event_id', [
    shop.company_id,
  ]);
const waiting = async (shop: TestCompany) =>
  (await server.rows('select 1 from outbox where company_id = $1', [shop.company_id])).length;

async function placeOrder(shop: TestCompany): Promise<number> {
  const product = (await shop.commerce('POST', '/products', { name: 'Thing', price: 5, stock_qty: 9 })).body.data!.id;
  const order = await shop.commerce('POST', '/orders', {
    customer_id: (await customer(shop)).body.data!.id,
    items: [{ product_id: product, qty: 1 }],
    shipping_address: '1 Main St',
    shipping_city: 'X',
    shipping_zip: '1',
  });
  return Number(order.body.data!.id);
}

test('events of the shop arrive once and in order, cancellations too', async () => {
  const shop = await server.company();
  const [kept, cancelled] = [await placeOrder(shop), await placeOrder(shop)];
  await shop.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
  for (const status of ['shipped', 'delivered']) await shop.commerce('PATCH', `/orders/${kept}/status`, { status });
  await carryAll();
  await carryAll();
  expect((await eventsOf(shop)).map((event) => event.event_type)).toEqual([
    'customer_created',
    'order_placed',
    'customer_created',
    'order_placed',
    'order_cancelled',
    'order_shipped',
    'order_completed',
  ]);
  expect(await waiting(shop)).toBe(0);
});

test('a shipped order starts a flow', async () => {
  const shop = await server.company();
  const step = { step_id: 'tag', type: 'add_tag', config: { tag: 'shipped' } };
  const flow = { name: 'Shipped', trigger_type: 'order_shipped', status: 'active', steps: [step] };
  const made = await shop.marketing('POST', '/flows', { ...flow, connections: [{ from: 'trigger', to: 'tag' }] });
  expect(made.status).toBe(201);
  const id = await placeOrder(shop);
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'shipped', tracking_number: 'T-1' });
  await carryAll();
  const { runs } = (await shop.marketing('GET', `/flows/${made.body.flow_id}/runs`)).body;
  expect(runs).toHaveLength(1);
});

test('the oldest events are taken first, however many wait behind them', async () => {
  const shop = await server.company();
  for (let i = 0; i < 5; i++) await customer(shop);
  const all = await server.rows<{ id: number }>('select id::int from outbox where company_id = $1 order by id', [
    shop.company_id,
  ]);
  const take = async (limit: number) =>
    (await server.app.db.tx((tx) => takeOutbox(tx, shop.company_id, limit))).map(({ id }) => id);
  expect(await take(2)).toEqual(all.slice(0, 2).map(({ id }) => id));
  expect(await take(9)).toEqual(all.slice(2).map(({ id }) => id));
  expect(await waiting(shop)).toBe(0);
});

test('an event of a missing customer creates no contact from its address; an event without a customer does', async () => {
  const shop = await server.company();
  const insert = (payload: object) =>
    server.rows(`insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'order_placed', $2, now())`, [
      shop.company_id,
      { order_id: '1', total: 1, ...payload },
    ]);
  await insert({ customer_id: '999999999', email: 'gone@example.com' });
  await carryAll();
  expect([await eventsOf(shop), (await shop.marketing('GET', '/contacts')).body.contacts]).toEqual([[], []]);
  await insert({ email: 'guest@example.com' });
  await insert({ email: null });
  await carryAll();
  expect(await eventsOf(shop)).toHaveLength(1);
  expect((await shop.marketing('GET', '/contacts')).body.contacts).toMatchObject([{ email: 'guest@example.com' }]);
  expect(await server.rows('select 1 from outbox_refusals where company_id = $1', [shop.company_id])).toEqual([]);
});

const pointsOf = async (shop: TestCompany, email: string): Promise<unknown> => {
  const { contacts } = (await shop.marketing('GET', `/contacts?search=${email}`)).body;
  return contacts[0].properties.loyalty_points;
};

test('loyalty points reach the contact: with an adjustment, and with the end of an order', async () => {
  const shop = await server.company();
  const made = await customer(shop);
  const { id, email } = made.body.data!;
  await carryAll();
  expect(await pointsOf(shop, email)).toBe(0);
  const product = (await shop.commerce('POST', '/products', { name: 'Thing', price: 50, stock_qty: 9 })).body.data!.id;
  const address = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
  const items = [{ product_id: product, qty: 2 }];
  const order = (await shop.commerce('POST', '/orders', { customer_id: id, items, ...address })).body.data!.id;
  await carryAll();
  expect(await pointsOf(shop, email)).toBe(0);
  await shop.commerce('POST', `/customers/${id}/loyalty/adjust`, { points: 7, reason: 'Sorry' });
  await carryAll();
  expect(await pointsOf(shop, email)).toBe(107);
  await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'cancelled' });
  await carryAll();
  expect(await pointsOf(shop, email)).toBe(7);
  const next = (await shop.commerce('POST', '/orders', { customer_id: id, items, ...address })).body.data!.id;
  for (const status of ['shipped', 'delivered']) await shop.commerce('PATCH', `/orders/${next}/status`, { status });
  await carryAll();
  expect(await pointsOf(shop, email)).toBe(107);
  const { events } = (await shop.marketing('GET', '/events?event_type=loyalty_adjusted')).body;
  expect(events).toMatchObject([{ event_data: { points: 7, balance: 107, reason: 'Sorry' }, source: 'shop' }]);
});

test('a contact without room for its points, or a shop without a loyalty program, loses no event for it', async () => {
  const shop = await server.company();
  const properties = Object.fromEntries(Array.from({ length: MAX_PROPERTIES }, (_, n) => [`p${n}`, n]));
  const { email } = (await customer(shop)).body.data!;
  await shop.marketing('POST', '/contacts', { email, properties });
  await carryAll();
  expect(await pointsOf(shop, email)).toBeUndefined();
  expect(await eventsOf(shop)).toHaveLength(1);
  const plain = await server.company();
  await plain.commerce('PATCH', '/loyalty/settings', { enabled: false });
  const other = (await customer(plain)).body.data!;
  await carryAll();
  expect(await pointsOf(plain, other.email)).toBeUndefined();
  expect(await eventsOf(plain)).toHaveLength(1);
});

test('a customer who returns within a day after an erasure is a new one', async () => {
  const shop = await server.company();
  const person = { email: 'again@example.com', first_name: 'Ada', last_name: 'Two' };
  for (const repetition of [0, 1]) {
    const made = await shop.commerce('POST', '/customers', person);
    expect(made.status).toBe(201);
    await carryAll();
    const { events } = (await shop.marketing('GET', '/events?event_type=customer_created')).body;
    expect(events).toHaveLength(repetition + 1);
    expect(events[0]).toMatchObject({ event_data: { email: person.email }, source: 'shop' });
    await server.rows(ERASE_CUSTOMERS, [shop.company_id]);
    const { contacts } = (await shop.marketing('GET', '/contacts?search=again@example.com')).body;
    for (const { contact_id } of contacts) await shop.marketing('DELETE', `/contacts/${contact_id}`);
  }
});

test('two workers at once carry each event once', async () => {
  const shop = await server.company();
  for (let i = 0; i < 20; i++) await customer(shop);
  const second = createOutboxWorker({ ...server.app, onTransferred: () => {} });
  await Promise.all([worker().runOnce(), second.runOnce(), worker().runOnce(), second.runOnce()]);
  await carryAll();
  expect(await eventsOf(shop)).toHaveLength(20);
});

test('a worker that fails half way has carried nothing, and the next one carries all', async () => {
  const shop = await server.company();
  await customer(shop);
  const failing = createOutboxWorker({
    ...server.app,
    events: {
      storeEvents: async (...args) => {
        await server.app.events.storeEvents(...args);
        throw new Error('the connection is gone');
      },
    },
    onTransferred: () => {},
  });
  await expect(failing.runOnce()).rejects.toThrow('gone');
  expect([await waiting(shop), await eventsOf(shop)]).toEqual([1, []]);
  await carryAll();
  expect(await eventsOf(shop)).toHaveLength(1);
});

test('an order placed before its customer changed the e-mail address is an event of their contact', async () => {
  const shop = await server.company();
  const order = await placeOrder(shop);
  const { customer_id } = (await shop.commerce('GET', `/orders/${order}`)).body.data!;
  await shop.commerce('PATCH', `/customers/${customer_id}`, { email: 'moved@example.com' });
  await carryAll();
  const { contacts } = (await shop.marketing('GET', '/contacts')).body;
  expect(contacts).toMatchObject([{ email: 'moved@example.com' }]);
  const { events } = (await shop.marketing('GET', '/events?event_type=order_placed')).body;
  expect(events).toMatchObject([{ contact_id: contacts[0].contact_id }]);
});

test('an event that the store refuses is kept with the reason', async () => {
  const shop = await server.company();
  await placeOrder(shop);
  const refusing = createOutboxWorker({
    ...server.app,
    log: server.app.log.child({}, { level: 'silent' }),
    events: {
      storeEvents: async (tx, companyId, events, now) => {
        const outcomes = await server.app.events.storeEvents(tx, companyId, events, now);
        return outcomes.map((outcome, i) =>
          events[i]!.eventType === 'order_placed'
            ? { ok: false as const, error: new AppError('bad_request', 'no') }
            : outcome,
        );
      },
    },
    onTransferred: () => {},
  });
  while ((await refusing.runOnce()) > 0);
  const kept = await server.rows('select topic, reason from outbox_refusals where company_id = $1', [shop.company_id]);
  expect(kept).toEqual([{ topic: 'order_placed', reason: 'no' }]);
});

test('an event that nothing can be done with is kept apart; those behind it and those of others come through', async () => {
  const [first, second] = [await server.company(), await server.company()];
  for (const shop of [first, second]) {
    await customer(shop);
    await customer(shop);
    await customer(shop);
  }
  const [poison] = await server.rows<{ id: number }>(
    'select id::int from outbox where company_id = $1 order by id offset 1 limit 1',
    [first.company_id],
  );
  const choking = createOutboxWorker({
    ...server.app,
    log: server.app.log.child({}, { level: 'silent' }),
    events: {
      storeEvents: async (tx, companyId, events, now) => {
        const told = await server.rows<{ email: string }>(
          "select payload->>'email' as email from outbox where id = $1",
          [poison!.id],
        );
        if (companyId === first.company_id && events.some((event) => event.data.email === told[0]?.email)) {
          throw new RangeError('this cannot be stored');
        }
        return server.app.events.storeEvents(tx, companyId, events, now);
      },
    },
    onTransferred: () => {},
  });
  while ((await choking.runOnce()) > 0);
  expect([await waiting(first), await waiting(second)]).toEqual([0, 0]);
  expect(await eventsOf(first)).toHaveLength(2);
  expect(await eventsOf(second)).toHaveLength(3);
  const kept = await server.rows('select id::int, reason from outbox_refusals where company_id = $1', [
    first.company_id,
  ]);
  expect(kept).toEqual([{ id: poison!.id, reason: 'an internal error' }]);
});

test('a company whose events cannot be carried holds no other up', async () => {
  const [first, second] = [await server.company(), await server.company()];
  await customer(first);
  await customer(second);
  const worried = createOutboxWorker({
    ...server.app,
    events: {
      storeEvents: (tx, companyId, events, now) =>
        companyId === first.company_id
          ? Promise.reject(new Error('not now'))
          : server.app.events.storeEvents(tx, companyId, events, now),
    },
    onTransferred: () => {},
  });
  await expect(worried.runOnce()).rejects.toThrow('not now');
  expect([await waiting(first), await waiting(second)]).toEqual([1, 0]);
  await carryAll();
  expect(await waiting(first)).toBe(0);
});

test('what happens to an erased customer is told to endpoints, and makes no contact of them', async () => {
  const shop = await server.company();
  const id = await placeOrder(shop);
  await carryAll();
  await server.rows(ERASE_CUSTOMERS, [shop.company_id]);
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  await carryAll();
  expect((await eventsOf(shop)).map((event) => event.event_type)).toEqual(['customer_created', 'order_placed']);
  expect(await waiting(shop)).toBe(0);
});
