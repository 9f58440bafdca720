import { describe, expect, test } from 'vitest';
import { ROLES, type Role, scopeSetOf } from '../../access/roles.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import { allSlices } from '../../work/slices.ts';
import { pauseAboveLimits } from '../deliverability/pausing.ts';
import { choicesOf } from './kinds.ts';
import { mailNotices, purgeNotices } from './mailing.ts';
import { noticeOf } from './record.ts';

const server = testServer();
const MINUTE = 60_000;
let buyers = 0;

async function transfer(): Promise<void> {
  const worker = server.app.workers.find(({ name }) => name === 'outbox')!;
  while ((await worker.runOnce()) > 0);
}
const mail = () => mailNotices({ ...server.app, ...server.app.messaging, db: server.app.db.chores });

async function shopWith(role: Role): Promise<{ shop: TestCompany; person: TestPerson }> {
  const shop = await server.company({ name: 'Rowan & Thistle' });
  return { shop, person: await testPerson(server, { [shop.company_id]: role }) };
}

/** Places orders of one product, of which 10 are in stock and 8 are few. */
async function placeOrders(shop: TestCompany, n: number): Promise<number[]> {
  const thing = { name: 'Thing', price: 5, stock_qty: 10, low_stock_at: 8 };
  const product = (await shop.commerce('POST', '/products', thing)).body.data!.id;
  const buyer = { email: `buyer-${++buyers}@example.com`, first_name: 'Ada' };
  const customer = (await shop.commerce('POST', '/customers', buyer)).body.data!.id;
  const ids = [];
  for (let i = 0; i < n; i++) {
    const order = await shop.commerce('POST', '/orders', {
      customer_id: customer,
      items: [{ product_id: product, qty: 1 }],
      shipping_address: '1 Main St',
      shipping_city: 'X',
      shipping_zip: '1',
    });
    expect(order.status).toBe(201);
    ids.push(Number(order.body.data!.id));
  }
  await transfer();
  return ids;
}

const at = ({ company_id }: TestCompany, path = '') => `/${company_id}/staff-notices${path}`;
const listed = async (person: TestPerson, shop: TestCompany) =>
  (await person.ask('GET', at(shop))).body.notices as { id: number; kind: string; record: number; read: boolean }[];
const unread = async (person: TestPerson, shop: TestCompany) =>
  (await person.ask('GET', at(shop, '/unread'))).body.unread as number;
const choose = (person: TestPerson, shop: TestCompany, kind: string, app: boolean, byMail: boolean) =>
  person.ask('PUT', at(shop, '/choices'), { kind, app, mail: byMail });
const mailsOf = (shop: TestCompany) =>
  server.rows<{ recipient: string; data: { kind: string; count: number; more: number; lines: { text: string }[] } }>(
    `select recipient, data from messages where company_id = $1 order by id`,
    [shop.company_id],
  );

describe('notices', () => {
  test('tell of orders and low stock once, link to the record, and hold no data of customers', async () => {
    const { shop, person } = await shopWith('viewer');
    const [first, second] = await placeOrders(shop, 2);
    await transfer();
    const notices = await listed(person, shop);
    expect(notices.map(({ kind }) => kind).sort()).toEqual(['low_stock', 'new_order', 'new_order']);
    expect(notices.filter(({ kind }) => kind === 'new_order').map(({ record }) => record)).toEqual([second, first]);
    expect(await unread(person, shop)).toBe(3);
    const rows = await server.rows('select n::text as t from staff_notices n where company_id = $1', [shop.company_id]);
    expect(JSON.stringify(rows)).not.toMatch(/Ada|buyer|Main St/);
  });

  test('are marked as read one by one and up to one, for this person alone', async () => {
    const { shop, person } = await shopWith('viewer');
    const other = await testPerson(server, { [shop.company_id]: 'viewer' });
    await choose(person, shop, 'low_stock', false, false);
    await placeOrders(shop, 3);
    const [latest, middle] = await listed(person, shop);
    const read = (body: object) => person.ask('POST', at(shop, '/read'), body);
    expect((await read({ id: latest!.id })).body).toEqual({ unread: 2 });
    expect((await read({ id: latest!.id })).body).toEqual({ unread: 2 });
    expect((await read({ id: middle!.id, before: true })).body).toEqual({ unread: 0 });
    expect((await listed(person, shop)).every((one) => one.read)).toBe(true);
    expect(await unread(other, shop)).toBe(4);
  });

  test('of a kind that the person has not chosen, may not read, or that is older than their membership, are not shown', async () => {
    const { shop, person } = await shopWith('fulfilment');
    await placeOrders(shop, 2);
    await choose(person, shop, 'new_order', false, false);
    expect((await listed(person, shop)).map(({ kind }) => kind)).toEqual(['low_stock']);
    expect(await unread(person, shop)).toBe(1);
    const refused = await choose(person, shop, 'sending_paused', true, true);
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden_role']);
    server.clock.advance(1_000);
    const later = await testPerson(server, { [shop.company_id]: 'owner' });
    expect(await listed(later, shop)).toEqual([]);
    expect(await unread(later, shop)).toBe(0);
  });

  test('end with the membership, and with 30 days', async () => {
    const { shop, person } = await shopWith('viewer');
    await testPerson(server, { [shop.company_id]: 'owner' });
    await placeOrders(shop, 1);
    await choose(person, shop, 'new_order', true, true);
    await person.ask('POST', at(shop, '/read'), { id: 1 });
    await server.rows('delete from members where company_id = $1 and person_id = $2', [shop.company_id, person.id]);
    for (const table of ['staff_notice_choices', 'staff_notice_reads'])
      expect(await server.rows(`select 1 from ${table} where person_id = $1`, [person.id])).toEqual([]);
    const rows = () => server.rows('select 1 from staff_notices where company_id = $1', [shop.company_id]);
    await allSlices(purgeNotices(server.app.db.chores, server.clock));
    expect(await rows()).toHaveLength(1);
    server.clock.advance(30 * 24 * 60 * MINUTE + 1);
    await allSlices(purgeNotices(server.app.db.chores, server.clock));
    expect(await rows()).toEqual([]);
  });
});

describe('e-mails of notices', () => {
  test('are gathered: one of a kind in 15 minutes, to those who chose them, and after a repetition too', async () => {
    const { shop, person } = await shopWith('viewer');
    await testPerson(server, { [shop.company_id]: 'owner' });
    await choose(person, shop, 'new_order', true, true);
    await placeOrders(shop, 2);
    expect(await Promise.all([mail(), mail()])).toEqual(expect.arrayContaining([1, 0]));
    expect(await mailsOf(shop)).toMatchObject([
      { recipient: person.email, data: { kind: 'new_order', count: 2, more: 0 } },
    ]);
    await placeOrders(shop, 1);
    await placeOrders(shop, 10);
    expect(await mail()).toBe(0);
    server.clock.advance(15 * MINUTE);
    expect(await mail()).toBe(1);
    const [, second] = await mailsOf(shop);
    expect(second).toMatchObject({ data: { count: 11, more: 1 } });
    expect(second!.data.lines).toHaveLength(10);
    server.clock.advance(15 * MINUTE);
    expect(await mail()).toBe(0);
  });

  test('of a pause go to those who chose them, by default as before', async () => {
    const { shop, person } = await shopWith('owner');
    const marketer = await testPerson(server, { [shop.company_id]: 'marketer' });
    await testPerson(server, { [shop.company_id]: 'viewer' });
    await choose(person, shop, 'sending_paused', true, false);
    const day = server.clock.now().toISOString().slice(0, 10);
    for (const [key, n] of [
      ['sent', 2_000],
      ['complained', 7],
    ])
      await server.rows(
        `insert into counter_deltas (company_id, counter, day, key, n) values ($1, 'marketing-days', $2, $3, $4)`,
        [shop.company_id, day, `${key}:email`, n],
      );
    const { app } = server;
    await pauseAboveLimits({ ...app, ...app.messaging, db: app.db.chores, limits: app.config.sendingLimits });
    expect((await mailsOf(shop)).map(({ recipient }) => recipient)).toEqual([marketer.email]);
    expect((await listed(person, shop)).map(({ kind }) => kind)).toEqual(['sending_paused']);
  });
});

test('disputes and failed renewals are told of, imported orders are not', () => {
  const payload = { order_id: '7', subscription_id: '8', amount: 5, total: 9, currency: 'EUR', email: 'a@example.com' };
  expect(noticeOf({ topic: 'payment_disputed', payload })).toEqual({
    kind: 'dispute',
    record: 7,
    details: { amount: 5, currency: 'EUR' },
  });
  expect(noticeOf({ topic: 'subscription_payment_failed', payload })).toMatchObject({
    kind: 'renewal_failed',
    record: 8,
  });
  expect(noticeOf({ topic: 'order_placed', payload: { ...payload, origin: null } })).toBeNull();
  expect(noticeOf({ topic: 'order_shipped', payload })).toBeNull();
});

test('everyone is told in the app of what they may read; owners and managers by mail of disputes', () => {
  const byMail = ROLES.map((role) => [
    role,
    [...choicesOf(role, scopeSetOf(role), [])].filter(([, choice]) => choice.mail).map(([kind]) => kind),
  ]);
  expect(Object.fromEntries(byMail)).toEqual({
    owner: ['dispute', 'sending_paused'],
    manager: ['dispute', 'sending_paused'],
    marketer: ['sending_paused'],
    fulfilment: [],
    viewer: [],
  });
  for (const role of ROLES)
    expect([...choicesOf(role, scopeSetOf(role), []).values()].every(({ app }) => app)).toBe(true);
});
