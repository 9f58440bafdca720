import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { messagingInvariants } from '../../../messaging/invariants.ts';
import { removeOld } from '../../../retention/testing.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});
afterEach(async () => {
  const broken = (await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok);
  expect(broken).toEqual([]);
});

const DAY = 24 * 3_600_000;
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const write = () => worker('campaigns').runOnce();
const MAIL = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };

/** Creates a list of `size` new contacts. */
async function listOf(size: number): Promise<number> {
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'Everybody' })).body;
  await server.rows(
    `with made as (
       insert into contacts (company_id, email, external_id, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', 'x' || n, '', $3, $3 from generate_series(1, $4::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made`,
    [shop.company_id, list_id, server.clock.now(), size],
  );
  return list_id;
}
async function draft(fields: object): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/campaigns', { ...MAIL, ...fields });
  expect([status, body.message]).toEqual([201, undefined]);
  return body.campaign_id;
}
const read = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/campaigns/${id}`)).body;
const report = async (id: number): Promise<TestBody> =>
  (await shop.marketing('GET', `/campaigns/${id}/report`)).body.hold_out;
const heldOut = async (id: number): Promise<number[]> =>
  (
    await server.rows<{ id: number }>(
      'select contact_id::int as id from campaign_hold_outs where campaign_id = $1 order by 1',
      [id],
    )
  ).map((row) => row.id);
const messaged = async (id: number): Promise<number[]> =>
  (
    await server.rows<{ id: number }>('select contact_id::int as id from messages where campaign_id = $1 order by 1', [
      id,
    ])
  ).map((row) => row.id);
async function order(contact: number, total: number, at: Date = server.clock.now()): Promise<void> {
  const [row] = await server.rows<{ external_id: string; email: string }>(
    'select external_id, email from contacts where id = $1',
    [contact],
  );
  const { status, body } = await shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    event_data: { ...row, order_id: `${Math.random()}`, total },
    occurred_at: at.toISOString(),
  });
  expect([status, body.message]).toEqual([201, undefined]);
}
const merge = async (from: number, into: number): Promise<void> => {
  const [row] = await server.rows<{ email: string }>('select email from contacts where id = $1', [from]);
  await server.rows('update contacts set external_id = null where id = $1', [from]);
  const [kept] = await server.rows<{ external_id: string }>('select external_id from contacts where id = $1', [into]);
  await server.rows("update contacts set email = null, phone = '+49301' || id where id = $1", [into]);
  const { body } = await shop.marketing('POST', '/contacts', { ...row, ...kept });
  expect(body.contact_id).toBe(into);
};

// Stands before the test with 25,000 recipients, because the removal covers every company of the database.
test('erasure and retention remove held-out contacts; the numbers stay', async () => {
  const id = await draft({ list_id: await listOf(200), holdout_percent: 50 });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  const held = await heldOut(id);
  await order(held[0]!, 10);
  while ((await write()) + (await worker('sender').runOnce()) > 0);
  await shop.marketing('DELETE', `/contacts/${held[0]}`);
  while ((await worker('erasures').runOnce()) > 0);
  expect(await heldOut(id)).toEqual(held.slice(1));
  const before = await report(id);
  expect(before.held_out).toMatchObject({ recipients: held.length, orders: 1, revenue: 10 });
  server.clock.advance(300 * DAY);
  await removeOld(server);
  expect(await heldOut(id)).toHaveLength(held.length - 1);
  server.clock.advance(200 * DAY);
  await removeOld(server);
  expect(await heldOut(id)).toEqual([]);
  expect(await report(id)).toEqual(before);
});

test('a hold-out group gets no message, and is the same after a crash and with several workers', async () => {
  const id = await draft({ list_id: await listOf(25_000), holdout_percent: 10 });
  expect(await read(id)).toMatchObject({ holdout_percent: 10, held_out: null });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  const first = { held: await heldOut(id), messages: await messaged(id) };
  expect(first.held.length + first.messages.length).toBe(10_000);
  expect(await report(id)).toBeNull();
  // The state after a crash that lost the cursor and a part of the chunk's hold-out group.
  await server.rows('delete from campaign_hold_outs where campaign_id = $1 and contact_id = any($2)', [
    id,
    first.held.slice(0, 50),
  ]);
  await server.rows('update campaigns set audience_cursor = 0 where id = $1', [id]);
  await Promise.all([write(), write()]);
  while ((await write()) > 0);
  const [held, sent] = [await heldOut(id), await messaged(id)];
  expect([held.slice(0, first.held.length), sent.slice(0, first.messages.length)]).toEqual([
    first.held,
    first.messages,
  ]);
  expect(held.length + sent.length).toBe(25_000);
  expect(new Set([...held, ...sent]).size).toBe(25_000);
  expect(Math.abs(held.length - 2_500)).toBeLessThan(250);
  expect(await read(id)).toMatchObject({ recipients: sent.length, held_out: held.length });
  const patched = await shop.marketing('PATCH', `/campaigns/${id}`, { holdout_percent: 20 });
  expect(patched.status).toBe(400);
});

test('the report compares the orders of both groups within the window, whether or not anything was opened', async () => {
  const id = await draft({ list_id: await listOf(2_000), holdout_percent: 50 });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  const [held, sent] = [await heldOut(id), await messaged(id)];
  const start = server.clock.now();
  await Promise.all(held.slice(0, 10).map((one) => order(one, 20)));
  expect(await report(id)).toMatchObject({ verdict: 'too_small', orders_lift: -100, messaged: { orders: 0 } });
  server.clock.advance(2 * DAY);
  await Promise.all(sent.slice(0, 40).map((one) => order(one, 25)));
  // Orders before the window, after it, and by a contact in neither group.
  await order(sent[0]!, 99, new Date(start.getTime() - 60_000));
  await shop.marketing('POST', '/contacts', { external_id: 'other', email: 'other@example.com' });
  const [other] = await server.rows<{ id: number }>("select id::int from contacts where external_id = 'other'");
  await order(other!.id, 99);
  server.clock.advance(3 * DAY);
  await order(sent[1]!, 99);
  const compared = await report(id);
  expect(compared).toMatchObject({
    percent: 50,
    window_ends_at: formatTimestamp(new Date(start.getTime() + 5 * DAY)),
    verdict: 'more_orders',
    messaged: { recipients: sent.length, orders: 40, revenue: 1_000 },
    held_out: { recipients: held.length, orders: 10, revenue: 200 },
  });
  expect(compared.orders_lift).toBeCloseTo((40 / sent.length / (10 / held.length) - 1) * 100, 0);
  expect(compared.held_out.revenue_per_recipient).toBeCloseTo(200 / held.length, 3);
});

test('a merged contact stays in one group: a contact with a message was not held out', async () => {
  const id = await draft({ list_id: await listOf(60), holdout_percent: 50 });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  const [held, sent] = [await heldOut(id), await messaged(id)];
  await merge(held[0]!, sent[0]!);
  await merge(sent[1]!, held[1]!);
  await merge(held[2]!, held[3]!);
  const { body } = await shop.marketing('POST', '/contacts', { external_id: 'new', phone: '+4930555' });
  await merge(held[4]!, body.contact_id);
  const left = await heldOut(id);
  expect(left).toEqual([...held.slice(3).filter((one) => one !== held[4]), body.contact_id].sort((a, b) => a - b));
  expect(await messaged(id)).toContain(held[1]);
});

test('a contact merged while the audience is written is in one group, and no held-out contact gets a message', async () => {
  const id = await draft({ list_id: await listOf(25_000), holdout_percent: 50 });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  const written = await heldOut(id);
  const [last] = await server.rows<{ id: number }>(
    "select max(id)::int as id from contacts where company_id = $1 and external_id like 'x%'",
    [shop.company_id],
  );
  for (let n = 0; n < 6; n++) await merge(written[n]!, last!.id - n);
  const { body } = await shop.marketing('POST', '/contacts', { external_id: 'new', phone: '+4930555' });
  await merge(written[10]!, body.contact_id);
  while ((await write()) > 0);
  const [held, sent] = [await heldOut(id), await messaged(id)];
  expect(held.length + sent.length).toBe(25_000 - 6);
  expect(new Set([...held, ...sent]).size).toBe(25_000 - 6);
  expect([sent.includes(body.contact_id), held.includes(body.contact_id)]).toEqual([false, true]);
  expect((await read(id)).held_out).toBe(held.length);
});

test.each([-1, 51, 2.5])('%d percent are refused', async (holdout_percent) => {
  const refused = await shop.marketing('POST', '/campaigns', { ...MAIL, holdout_percent });
  expect([refused.status, refused.body.details[0].field]).toEqual([400, 'holdout_percent']);
});

test('the export of a contact lists the campaigns that they were held out of, deleted ones too', async () => {
  const list_id = await listOf(40);
  const ids = [
    await draft({ list_id, name: 'First', holdout_percent: 50 }),
    await draft({ list_id, holdout_percent: 50 }),
  ];
  for (const id of ids) {
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await write();
  }
  const [first, second] = ids as [number, number];
  const [before, after] = [await heldOut(first), await heldOut(second)];
  const both = before.filter((contact) => after.includes(contact));
  const exported = async (contact: number): Promise<TestBody> =>
    (await shop.marketing('GET', `/contacts/${contact}/export`)).body.hold_outs;
  const started_at = formatTimestamp(server.clock.now());
  expect(await exported(both[0]!)).toEqual([
    { campaign_id: second, name: 'C', started_at },
    { campaign_id: first, name: 'First', started_at },
  ]);
  const [messagedByBoth] = (await messaged(first)).filter((contact) => !after.includes(contact));
  expect(await exported(messagedByBoth!)).toEqual([]);
  await server.rows('delete from messages where campaign_id = $1', [first]);
  await server.rows('delete from campaigns where id = $1', [first]);
  expect((await exported(both[0]!))[1]).toEqual({ campaign_id: first, name: null, started_at: null });
});
