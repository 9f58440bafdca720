import { expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { outboxInvariants } from '../invariants.ts';
import { createOutboxWorker } from '../worker.ts';

/** Events that the marketing side refuses are listed, still reach outgoing webhooks, and can be replayed. */
const server = testServer();

const silent = () => server.app.log.child({}, { level: 'silent' });
type Store = typeof server.app.events.storeEvents;
const workerWith = (storeEvents: Store) =>
  createOutboxWorker({ ...server.app, log: silent(), events: { storeEvents }, onTransferred: () => {} });
const run = async (worker: { runOnce(): Promise<number> }): Promise<void> => {
  while ((await worker.runOnce()) > 0);
};
const carryAll = () => run(server.app.workers.find((one) => one.name === 'outbox')!);
/** Fails to store events of the given types, as if the program had a fault. */
const failing = (shop: TestCompany, ...types: string[]) =>
  workerWith((tx, companyId, events, now) => {
    if (companyId === shop.company_id && events.some((event) => types.includes(event.eventType))) {
      throw new RangeError('this cannot be stored');
    }
    return server.app.events.storeEvents(tx, companyId, events, now);
  });

async function shopWithEndpoint(): Promise<TestCompany> {
  const shop = await server.company();
  await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
  return shop;
}

let people = 0;
async function makeCustomer(shop: TestCompany): Promise<{ id: number; email: string }> {
  return (await shop.commerce('POST', '/customers', { email: `refused${++people}@example.com` })).body.data;
}

const listed = async (shop: TestCompany) => (await shop.marketing('GET', '/outbox/refusals')).body;
const deliveries = (shop: TestCompany) =>
  server.rows<{ event_type: string; message_id: string }>(
    'select event_type, message_id from webhook_deliveries where company_id = $1 order by id',
    [shop.company_id],
  );
const eventTypes = async (shop: TestCompany) =>
  (await shop.marketing('GET', '/events')).body.events.map((event: { event_type: string }) => event.event_type);

test('a refused event is listed with its reason, reaches endpoints once, and arrives once when it is replayed', async () => {
  const shop = await shopWithEndpoint();
  const { id, email } = await makeCustomer(shop);
  await run(failing(shop, 'customer_created'));
  const { refusals, pagination } = await listed(shop);
  expect(pagination.total).toBe(1);
  expect(refusals).toEqual([
    {
      refusal_id: expect.any(Number),
      event_type: 'customer_created',
      event_data: expect.objectContaining({ email, customer_id: String(id) }),
      occurred_at: '2026-03-15 12:00:00',
      reason: 'an internal error',
      refused_at: '2026-03-15 12:00:00',
      webhooks_queued: true,
      request_id: expect.any(String),
    },
  ]);
  const messageId = `msg_${shop.company_id}_${refusals[0].refusal_id}`;
  expect(await deliveries(shop)).toEqual([{ event_type: 'customer_created', message_id: messageId }]);
  expect(await eventTypes(shop)).toEqual([]);

  // If replayed before the cause is fixed, it is refused again, and webhooks are not sent a second time.
  const path = `/outbox/refusals/replay/${refusals[0].refusal_id}`;
  expect((await shop.marketing('POST', path)).body).toEqual({ refusal_id: refusals[0].refusal_id, replayed: true });
  await run(failing(shop, 'customer_created'));
  expect((await listed(shop)).refusals).toEqual(refusals);

  expect((await shop.marketing('POST', path)).status).toBe(200);
  expect((await shop.marketing('POST', path)).status).toBe(404);
  await carryAll();
  expect((await listed(shop)).refusals).toEqual([]);
  expect(await eventTypes(shop)).toEqual(['customer_created']);
  expect(await deliveries(shop)).toHaveLength(1);
});

test('all are replayed at once, by one of two that ask', async () => {
  const shop = await shopWithEndpoint();
  for (let i = 0; i < 5; i++) await makeCustomer(shop);
  await run(failing(shop, 'customer_created'));
  expect((await listed(shop)).pagination.total).toBe(5);
  const both = await Promise.all([1, 2].map(() => shop.marketing('POST', '/outbox/refusals/replay')));
  expect(both.map(({ body }) => body.replayed).sort()).toEqual([0, 5]);
  await carryAll();
  expect(await eventTypes(shop)).toHaveLength(5);
  expect(await deliveries(shop)).toHaveLength(5);
});

test('a late replay gives the contact the current values of the shop', async () => {
  const shop = await server.company();
  const { id } = await makeCustomer(shop);
  await run(failing(shop, 'customer_created'));
  await shop.commerce('PATCH', `/customers/${id}`, { email: 'moved.on@example.com', first_name: 'Later' });
  await carryAll();
  await shop.marketing('POST', '/outbox/refusals/replay');
  await carryAll();
  const { contacts } = (await shop.marketing('GET', '/contacts')).body;
  expect(contacts).toMatchObject([{ external_id: String(id), email: 'moved.on@example.com', first_name: 'Later' }]);
});

test('endpoints that cannot be told of it are told when it is replayed', async () => {
  const shop = await shopWithEndpoint();
  await makeCustomer(shop);
  const break_ =
    "alter table webhook_deliveries add constraint test_broken check (event_type <> 'customer_created') not valid";
  await server.rows(break_);
  await run(failing(shop, 'customer_created'));
  await server.rows('alter table webhook_deliveries drop constraint test_broken');
  expect((await listed(shop)).refusals).toMatchObject([{ webhooks_queued: false }]);
  expect(await deliveries(shop)).toEqual([]);
  await shop.marketing('POST', '/outbox/refusals/replay');
  await carryAll();
  expect(await deliveries(shop)).toHaveLength(1);
  expect(await eventTypes(shop)).toEqual(['customer_created']);
});

test('the doctor names the companies, how many and why, until they are replayed or given up', async () => {
  const shop = await server.company();
  await makeCustomer(shop);
  await makeCustomer(shop);
  await run(failing(shop, 'customer_created'));
  const check = async () => {
    const [finding] = await checkInvariants(server.app.db, outboxInvariants);
    return finding!.examples.filter((one) => one.company_id === shop.company_id);
  };
  expect(await check()).toEqual([
    { company_id: shop.company_id, subject: '2 refused events, the last for: an internal error' },
  ]);
  const [first, second] = (await listed(shop)).refusals;
  const given = await shop.marketing('DELETE', `/outbox/refusals/${first.refusal_id}`);
  expect(given.body).toEqual({ refusal_id: first.refusal_id, deleted: true });
  expect((await shop.marketing('DELETE', `/outbox/refusals/${first.refusal_id}`)).status).toBe(404);
  await shop.marketing('POST', `/outbox/refusals/replay/${second.refusal_id}`);
  expect(await check()).toEqual([]);
});

test('an erased contact leaves no refused event behind', async () => {
  const shop = await server.company();
  const { id, email } = await makeCustomer(shop);
  await carryAll();
  await shop.commerce('POST', `/customers/${id}/loyalty/adjust`, { points: 7, reason: 'Sorry' });
  await run(failing(shop, 'loyalty_adjusted'));
  const bystander = await makeCustomer(shop);
  await run(failing(shop, 'customer_created'));
  const { contacts } = (await shop.marketing('GET', `/contacts?search=${email}`)).body;
  await shop.marketing('DELETE', `/contacts/${contacts[0].contact_id}`);
  expect((await listed(shop)).refusals).toMatchObject([{ event_data: { email: bystander.email } }]);
});
