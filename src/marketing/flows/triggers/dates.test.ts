import { beforeEach, expect, test } from 'vitest';
import type { Db, Tx } from '../../../db/pool.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { allSlices } from '../../../work/slices.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, work } from '../testing/flows.ts';
import { lastDueDay, raiseDates } from './dates.ts';

/** The trigger `date_reached`: each contact once for each date, whatever happens to the processes. */
const server = testServer({ clock: createTestClock('2031-02-20T12:00:00Z') });
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2031-02-20T12:00:00Z');
  shop = await server.company({ timeZone: 'Europe/Berlin' });
});

const read = () => raiseDates({ db: server.app.db, clock: server.clock, wake: () => {} });

async function run(): Promise<void> {
  await allSlices(read());
  const outbox = server.app.workers.find(({ name }) => name === 'outbox')!;
  while ((await outbox.runOnce()) > 0);
}

async function at(moment: string): Promise<void> {
  server.clock.set(moment);
  await run();
}

const born = async (email: string, birthday: unknown): Promise<number> =>
  (await shop.marketing('POST', '/contacts', { email, properties: { birthday } })).body.contact_id;

const flowOn = (settings: object, more: object = {}) =>
  activeFlow(shop, [step('tag', 'add_tag', { tag: 'reached' })], {
    trigger_type: 'date_reached',
    trigger_settings: { date_field: 'contact.properties.birthday', ...settings },
    ...more,
  });

/** The events, as contact and date. */
async function reached(): Promise<{ contact_id: number; data: Record<string, unknown> }[]> {
  const rows = await server.rows<{ contact_id: number; data: Record<string, unknown> }>(
    "select contact_id, data from events where company_id = $1 and event_type = 'date_reached' order by event_id",
    [shop.company_id],
  );
  return rows.map(({ contact_id, data }) => ({ contact_id: Number(contact_id), data }));
}
const pairs = async () => (await reached()).map(({ contact_id, data }) => [contact_id, data.date]);

test('each contact gets it once, on the day and at the time of the trigger, and the flow starts', async () => {
  const today = await born('a@example.com', '1990-02-24');
  const written = await born('b@example.com', '2001-02-24T08:00:00Z');
  for (const value of ['2031-02-25', '2035-02-24', '24.02.1990', 19900224, null, { day: 24 }]) {
    await born(`${String(JSON.stringify(value)).length}${String(value).length}@example.com`, value);
  }
  const { flow_id } = await flowOn({ days: -3, time: '09:00', yearly: true });
  await run();
  // 09:00 in Berlin is 08:00 UTC.
  await at('2031-02-21T07:59:00Z');
  expect(await reached()).toEqual([]);
  for (const moment of ['2031-02-21T08:00:00Z', '2031-02-21T20:00:00Z']) await at(moment);
  const data = { flow_id, date_field: 'contact.properties.birthday', date: '2031-02-24', days: -3 };
  expect(await reached()).toEqual([
    { contact_id: today, data: { ...data, contact_id: today, years: 41 } },
    { contact_id: written, data: { ...data, contact_id: written, years: 30 } },
  ]);
  await work(server);
  expect((await shop.marketing('GET', `/contacts/${today}`)).body.tags).toEqual(['reached']);
});

test('a flow that begins after the time of its day starts with the next day', async () => {
  const late = await born('a@example.com', '1990-02-20');
  await born('b@example.com', '1990-02-19');
  await flowOn({ time: '11:00', yearly: true });
  await run();
  expect(await pairs()).toEqual([]);
  const next = await born('c@example.com', '1990-02-21');
  await at('2031-02-21T10:00:00Z');
  expect(await pairs()).toEqual([[next, '2031-02-21']]);
  await at('2032-02-20T10:00:00Z');
  expect(await pairs()).toContainEqual([late, '2032-02-20']);
});

test('what a standstill missed is made up for, three days at most', async () => {
  const ids = [];
  for (const day of ['22', '23', '24', '25']) ids.push(await born(`d${day}@example.com`, `1990-02-${day}`));
  await flowOn({ yearly: true });
  await run();
  await at('2031-02-25T12:00:00Z');
  expect(await pairs()).toEqual([
    [ids[1], '2031-02-23'],
    [ids[2], '2031-02-24'],
    [ids[3], '2031-02-25'],
  ]);
});

test('the 29th of February is the 28th in other years, and a date that is not yearly comes once', async () => {
  const leap = await born('leap@example.com', '2004-02-29');
  const day = await born('day@example.com', '2003-02-28');
  await flowOn({ yearly: true });
  const once = await born('once@example.com', '2031-03-05');
  const { flow_id } = await flowOn({ days: 2 });
  await run();
  await at('2031-02-28T12:00:00Z');
  expect(await pairs()).toEqual([
    [leap, '2031-02-28'],
    [day, '2031-02-28'],
  ]);
  await at('2031-03-07T12:00:00Z');
  expect(await pairs()).toContainEqual([once, '2031-03-05']);
  for (const moment of ['2032-02-28T12:00:00Z', '2032-02-29T12:00:00Z', '2032-03-07T12:00:00Z']) await at(moment);
  const february = (await pairs()).filter(([, date]) => String(date).startsWith('2032-02'));
  expect(february).toEqual([
    [day, '2032-02-28'],
    [leap, '2032-02-29'],
  ]);
  expect((await reached()).filter(({ data }) => data.flow_id === flow_id)).toHaveLength(1);
});

test('two processes and a trigger that is moved write no second event, and each flow has its own', async () => {
  const id = await born('a@example.com', '1990-02-26');
  const flow = await flowOn({ days: -5, yearly: true });
  const other = await flowOn({ days: -3, yearly: true });
  await run();
  server.clock.set('2031-02-21T12:00:00Z');
  await Promise.all([allSlices(read()), allSlices(read()), allSlices(read())]);
  await run();
  const edit = { trigger_settings: { ...flow.trigger_settings, days: -3 } };
  expect((await shop.marketing('PATCH', `/flows/${flow.flow_id}`, edit)).status).toBe(200);
  await at('2031-02-23T12:00:00Z');
  expect((await reached()).map(({ contact_id, data }) => [contact_id, data.flow_id])).toEqual([
    [id, flow.flow_id],
    [id, other.flow_id],
  ]);
});

test('a transaction that is rolled back, as by a crash, loses and repeats nothing', async () => {
  const id = await born('a@example.com', '1990-02-21');
  await flowOn({ yearly: true });
  await run();
  server.clock.set('2031-02-21T12:00:00Z');
  const { db } = server.app;
  const crashing = {
    ...db,
    query: db.query.bind(db),
    tenantTx: (companyId: number, work: (tx: Tx) => Promise<unknown>) =>
      db.tenantTx(companyId, async (tx) => {
        await work(tx);
        throw new Error('killed');
      }),
  } as unknown as Db;
  await expect(raiseDates({ db: crashing, clock: server.clock, wake: () => {} })(null)).rejects.toThrow('killed');
  expect(await server.rows("select 1 from outbox where topic = 'date_reached'")).toEqual([]);
  await run();
  await run();
  expect(await pairs()).toEqual([[id, '2031-02-21']]);
});

test('dates of custom fields and of the first day of the contact count too; a paused flow notes what it misses', async () => {
  const field = { on: 'customer', key: 'renewal', name: 'Renewal', type: 'date' };
  expect((await shop.commerce('POST', '/custom-fields', field)).status).toBe(201);
  const customer = { email: 'c@example.com', first_name: 'C', last_name: 'D', custom: { renewal: '2031-02-23' } };
  expect((await shop.commerce('POST', '/customers', customer)).status).toBe(201);
  await run();
  const id = (await shop.marketing('GET', '/contacts?search=c@example.com')).body.contacts[0].contact_id;
  await flowOn({ date_field: 'contact.custom.renewal', days: -1 });
  const paused = await flowOn({ date_field: 'contact.created_at', days: 2 });
  expect((await shop.marketing('POST', `/flows/pause/${paused.flow_id}`)).status).toBe(200);
  await run();
  await at('2031-02-22T12:00:00Z');
  expect((await reached()).map(({ contact_id, data }) => [contact_id, data.date_field, data.date])).toEqual([
    [id, 'contact.custom.renewal', '2031-02-23'],
    [id, 'contact.created_at', '2031-02-20'],
  ]);
  const { body } = await shop.marketing('GET', `/flows/${paused.flow_id}/stats`);
  expect(body.totals.missed).toBe(1);
});

test('a trigger without a date, or with a field that has none, is refused', async () => {
  const flow = { name: 'No date', trigger_type: 'date_reached' };
  const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
  const refused = await shop.marketing('POST', `/flows/activate/${flow_id}`);
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'trigger_settings.date_field' }] } });
  for (const date_field of ['birthday', 'contact.email', 'contact.updated_at', 'contact.purchases.last_at']) {
    const { status, body } = await shop.marketing('PATCH', `/flows/${flow_id}`, { trigger_settings: { date_field } });
    expect({ status, field: body.details[0].field }).toEqual({ status: 400, field: 'trigger_settings.date_field' });
  }
});

test('clocks that jump over the time of the trigger do not jump over the day', () => {
  const due = (moment: string) => lastDueDay({ time: '02:30' }, 'Europe/Berlin', new Date(moment));
  expect(['2031-03-30T00:59:00Z', '2031-03-30T01:29:00Z', '2031-03-30T01:30:00Z'].map(due)).toEqual([
    '2031-03-29',
    '2031-03-29',
    '2031-03-30',
  ]);
});
