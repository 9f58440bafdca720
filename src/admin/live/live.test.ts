import pino from 'pino';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createApp, type RunningApp } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { settle } from '../../erasure/markers.ts';
import { type TestCompany, type TestServer, testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';
import { createLiveService } from './service.ts';
import { fold, openStream, type TestStream } from './testing.ts';

const server = testServer();
let shop: TestCompany;
let other: TestCompany;
let owner: TestPerson;
let product: number;
let customer: number;
const opened: TestStream[] = [];

beforeAll(async () => {
  shop = await server.company();
  other = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 900 })).body.data.id;
  customer = (await shop.commerce('POST', '/customers', { email: 'ann@example.com' })).body.data.id;
  await fold(server);
});

afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

async function watch(person = owner, lastEventId?: string, at: TestServer = server): Promise<TestStream> {
  const stream = await openStream(at, person, shop.company_id, lastEventId);
  opened.push(stream);
  if (stream.status === 200) await expect.poll(() => stream.events[0]?.name).toBe('ready');
  return stream;
}

const kindsOf = (stream: TestStream): string[] => [...new Set(stream.events.flatMap(({ kinds }) => kinds))].sort();

async function placeOrder(): Promise<number> {
  const address = { shipping_address: 'Main St 1', shipping_city: 'Salem', shipping_zip: '97301' };
  const order = { customer_id: customer, items: [{ product_id: product, qty: 1 }], ...address };
  const { status, body } = await shop.commerce('POST', '/orders', order);
  expect(status).toBe(201);
  await fold(server);
  return body.data.id;
}

test('a placed or changed order is reported to pages of its company only', async () => {
  const elsewhere = await testPerson(server, { [other.company_id]: 'owner' });
  const foreign = await openStream(server, elsewhere, other.company_id);
  opened.push(foreign);
  const stream = await watch();
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  const id = await placeOrder();
  await expect.poll(() => kindsOf(stream)).toContain('orders');
  const before = stream.events.length;
  await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  await fold(server);
  await expect.poll(() => stream.events.slice(before).flatMap(({ kinds }) => kinds)).toContain('orders');
  expect(foreign.events.map(({ name }) => name)).toEqual(['ready']);
});

test('a change of the money of an order is reported', async () => {
  const method = await shop.commerce('POST', '/payment-methods', { name: 'Cash', kind: 'cash' });
  const id = await placeOrder();
  const stream = await watch();
  const record = (amount: number) =>
    shop.commerce('POST', `/orders/${id}/payments`, { method_id: method.body.data.id, amount });
  for (const change of [
    () => record(4),
    () => record(1),
    () => shop.commerce('POST', `/orders/${id}/refunds`, { amount: 1 }),
    () => server.rows("update payments set attention = 'uncertain' where order_id = $1", [id]),
  ]) {
    const before = stream.events.length;
    await change();
    await fold(server);
    await expect.poll(() => stream.events.slice(before).flatMap(({ kinds }) => kinds)).toContain('orders');
  }
});

test('changes of events, contacts, imports, campaigns, messages and runs are sent, and an idle company gets nothing', async () => {
  const stream = await watch();
  await shop.marketing('POST', '/flows', {
    name: 'Welcome',
    trigger_type: 'product_viewed',
    status: 'active',
    steps: [
      { step_id: 'mail', type: 'send_email', config: { subject: 'Hi', content: '<p>Hi</p>', transactional: true } },
    ],
    connections: [{ from: 'trigger', to: 'mail' }],
  });
  await shop.marketing('POST', '/events', {
    event_type: 'product_viewed',
    event_data: { email: 'x@example.com', product_id: '7', product_name: 'Mug' },
  });
  await shop.marketing('POST', '/contacts', { email: 'new@example.com' });
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await shop.marketing('POST', '/campaigns', { name: 'A', type: 'email', subject: 'A', content: '<p>A</p>', list_id });
  await shop.commerce('POST', '/imports', { format: 'mailchimp', file_name: 'a.csv' });
  await settle(server);
  await fold(server);
  const expected = ['campaigns', 'contacts', 'events', 'flows', 'imports', 'messages'];
  await expect.poll(() => kindsOf(stream)).toEqual(expect.arrayContaining(expected));
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const told = stream.events.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(stream.events).toHaveLength(told);
});

test('a role hears only of kinds that it may read', async () => {
  const clerk = await testPerson(server, { [shop.company_id]: 'fulfilment' });
  const stream = await watch(clerk);
  await shop.marketing('POST', '/contacts', { email: `c${Math.random()}@example.com` });
  await placeOrder();
  await expect.poll(() => kindsOf(stream)).toContain('orders');
  expect(kindsOf(stream)).not.toContain('contacts');
});

test('a stream continues where an earlier one ended, also in another process', async () => {
  const first = await watch();
  first.close();
  const last = first.events.at(-1)!.id;
  await placeOrder();
  const config = { ...readConfig({ port: 0, dataDir: server.app.config.dataDir }, {}), logLevel: 'silent' };
  let second: RunningApp | undefined;
  try {
    second = await createApp({ config, clock: server.clock, connection: server.connection, logTo: server.logTo });
    const origin = await second.server.listen({ host: '127.0.0.1', port: 0 });
    const resumed = await watch(owner, last, { ...server, origin });
    await expect.poll(() => kindsOf(resumed)).toContain('orders');
    const ended = performance.now();
    await second.stop();
    expect(performance.now() - ended).toBeLessThan(5_000);
    await expect.poll(() => resumed.hasEnded()).toBe(true);
    second = undefined;
  } finally {
    await second?.stop();
  }
  const nonsense = await watch(owner, 'x'.repeat(5_000));
  expect(nonsense.events.map(({ name }) => name)).toEqual(['ready']);
});

test('requires a session of a member of the company', async () => {
  expect((await openStream(server, stranger(server), shop.company_id)).status).toBe(401);
  const elsewhere = await testPerson(server, { [other.company_id]: 'owner' });
  expect((await openStream(server, elsewhere, shop.company_id)).status).toBe(404);
});

test.each([
  ['the session ends', async (person: TestPerson) => void (await person.ask('DELETE', '/session'))],
  ['it was idle for too long, which watching does not change', async () => void server.clock.advance(13 * 3_600_000)],
  [
    'the member is removed',
    async (person: TestPerson) => void (await server.rows('delete from members where person_id = $1', [person.id])),
  ],
  [
    'the role is another one',
    async (person: TestPerson) =>
      void (await server.rows("update members set role = 'viewer' where person_id = $1", [person.id])),
  ],
])('a stream ends when %s', async (_name, act) => {
  const person = await testPerson(server, { [shop.company_id]: 'manager' });
  const stream = await watch(person);
  expect(stream.hasEnded()).toBe(false);
  await act(person);
  await expect.poll(() => stream.hasEnded()).toBe(true);
});

test('a further stream of a person ends their oldest; a company has no more than its share', async () => {
  const live = createLiveService({
    db: server.app.db,
    sessions: server.app.sessions,
    clock: server.clock,
    log: pino({ level: 'silent' }),
    limits: { perPerson: 2, share: 3, capacity: 4 },
  });
  const ended: string[] = [];
  const open = async (name: string, companyId: number): Promise<void> => {
    const person =
      people.get(name) ?? (await testPerson(server, { [shop.company_id]: 'owner', [other.company_id]: 'owner' }));
    people.set(name, person);
    const session = (await server.app.sessions.find(person.cookie.split('=')[1]!))!;
    const stream = live.open(companyId, { session, lastEventId: null });
    stream.on('end', () => ended.push(name)).resume();
  };
  const people = new Map<string, TestPerson>();
  await open('ann', shop.company_id);
  await open('ann', shop.company_id);
  await open('ann', shop.company_id);
  await expect.poll(() => ended).toEqual(['ann']);
  await open('ben', shop.company_id);
  await expect(open('cleo', shop.company_id)).rejects.toMatchObject({ code: 'rate_limited' });
  await open('cleo', other.company_id);
  await expect(open('dan', other.company_id)).rejects.toMatchObject({ code: 'rate_limited' });
  live.close();
  await expect.poll(() => ended).toHaveLength(5);
});
