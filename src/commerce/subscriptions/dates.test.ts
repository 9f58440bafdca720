import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { testServer } from '../../testing/harness.ts';
import { startOfDayIn } from './schedule.ts';

const server = testServer({ described: true });

const worker = () => server.app.workers.find((one) => one.name === 'renewals')!;
async function settle(): Promise<void> {
  while ((await worker().runOnce()) > 0);
}

beforeEach(() => server.clock.set('2026-01-31T12:00:00.000Z'));

async function setUp(fields: object = {}, timeZone?: string) {
  const shop = await server.company({ timeZone });
  const goods = { name: 'Coffee', price: 12.5, stock_qty: 1_000_000, subscription_enabled: true };
  const product = (await shop.commerce('POST', '/products', goods)).body.data!.id;
  const customer = (await shop.commerce('POST', '/customers', { email: 'ada@example.com' })).body.data!.id;
  const made = await shop.commerce('POST', '/subscriptions', {
    customer_id: customer,
    product_id: product,
    frequency_id: 1,
    shipping_address: '1 Main St',
    shipping_city: 'Springfield',
    shipping_zip: '12345',
    ...fields,
  });
  const path = `/subscriptions/${made.body.data?.id}`;
  const read = async () => (await shop.commerce('GET', path)).body.data!;
  const orders = async () => (await shop.commerce('GET', `${path}/orders`)).body.data!;
  return { shop, product, customer, made, path, read, orders };
}

describe('a date that is over', () => {
  test('is passed over when a nearer date makes the schedule come upon it again', async () => {
    const { shop, path, read } = await setUp({ start_date: '2026-02-21' });
    await shop.commerce('POST', `${path}/skip`);
    await shop.commerce('PATCH', path, { next_billing_date: '2026-02-14' });
    const upcoming = (await shop.commerce('GET', `${path}/upcoming`)).body.data!;
    expect(upcoming.following_dates).toEqual(['2026-02-28', '2026-03-07', '2026-03-14']);
    server.clock.set('2026-02-14T00:00:00.000Z');
    await settle();
    expect(await read()).toMatchObject({ status: 'active', next_billing_date: '2026-02-28' });
    expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  });

  test('is passed over by a skip and at the end of a pause too', async () => {
    const { shop, path } = await setUp({ start_date: '2026-02-14' });
    const post = async (action: string) => (await shop.commerce('POST', `${path}/${action}`)).body.data!;
    await post('skip');
    await post('skip');
    await shop.commerce('PATCH', path, { next_billing_date: '2026-02-07' });
    expect(await post('skip')).toMatchObject({ next_billing_date: '2026-02-28' });
    await shop.commerce('PATCH', path, { next_billing_date: '2026-01-31' });
    await post('pause');
    server.clock.set('2026-02-04T12:00:00.000Z');
    expect(await post('resume')).toMatchObject({ status: 'active', next_billing_date: '2026-02-28' });
  });
});

describe("the shop's day", () => {
  test('begins at its first moment, also where midnight does not exist', async () => {
    // On 2026-03-08 the clocks of New York change from 2:00 to 3:00; in Cairo they change from 0:00 to 1:00 on 2026-04-24.
    for (const [timeZone, date, moment] of [
      ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
      ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
      ['Asia/Tokyo', '2026-02-01', '2026-01-31T15:00:00.000Z'],
    ] as const) {
      server.clock.set('2026-01-31T12:00:00.000Z');
      const { orders } = await setUp({ start_date: date }, timeZone);
      server.clock.set(new Date(Date.parse(moment) - 1));
      await settle();
      expect(await orders()).toHaveLength(0);
      server.clock.set(moment);
      await settle();
      expect(await orders(), timeZone).toHaveLength(1);
    }
  });

  test('decides what today is, and so what has passed', async () => {
    server.clock.set('2026-01-31T15:30:00.000Z');
    const { shop, made, path } = await setUp({}, 'Asia/Tokyo');
    expect(made.body.data!.next_billing_date).toBe('2026-02-01');
    const again = async (start_date: string) =>
      (await shop.commerce('POST', '/subscriptions', { ...made.body.data!, start_date })).status;
    expect([await again('2026-01-31'), await again('2026-02-01')]).toEqual([422, 201]);
    const move = async (next_billing_date: string) =>
      (await shop.commerce('PATCH', path, { next_billing_date })).status;
    expect([await move('2026-01-31'), await move('2026-02-02'), await move('2026-02-01')]).toEqual([422, 200, 200]);
    const pause = async (resume_on: string) => (await shop.commerce('POST', `${path}/pause`, { resume_on })).status;
    expect([await pause('2026-02-01'), await pause('2026-02-02')]).toEqual([422, 200]);
  });

  test('is another one after a move to another time zone: renewals come at its first moment', async () => {
    const { shop, orders, read } = await setUp({ start_date: '2026-02-01' });
    expect((await shop.commerce('PATCH', '/settings', { time_zone: 'Asia/Tokyo' })).status).toBe(200);
    server.clock.set('2026-01-31T15:00:00.000Z');
    await settle();
    expect(await orders()).toHaveLength(1);
    expect((await read()).next_billing_date).toBe('2026-02-08');
  });

  test('begins after a move to another time zone at the very moment that schedule.ts says', async () => {
    // A midnight that occurs twice, one that does not occur, and ordinary ones.
    for (const [timeZone, date] of [
      ['America/Havana', '2026-11-01'],
      ['Atlantic/Azores', '2026-10-25'],
      ['Africa/Cairo', '2026-04-24'],
      ['America/New_York', '2026-03-08'],
      ['Asia/Kathmandu', '2026-03-08'],
    ] as const) {
      const { shop, made, path } = await setUp({ start_date: date });
      const paused = await shop.commerce('POST', '/subscriptions', {
        ...made.body.data!,
        frequency_id: 2,
        start_date: date,
      });
      await shop.commerce('POST', `/subscriptions/${paused.body.data!.id}/pause`, { resume_on: date });
      expect((await shop.commerce('PATCH', '/settings', { time_zone: timeZone })).status).toBe(200);
      const rows = await server.rows<{ due_at: Date }>('select due_at from subscriptions where company_id = $1', [
        shop.company_id,
      ]);
      const begins = startOfDayIn(timeZone, date);
      expect(rows, `${timeZone} ${path}`).toEqual([{ due_at: begins }, { due_at: begins }]);
    }
  });
});

test('after a downtime the upcoming dates are future dates, not the missed ones', async () => {
  const { shop, path, read } = await setUp({ start_date: '2026-02-01' });
  server.clock.set('2026-02-18T12:00:00.000Z');
  const upcoming = (await shop.commerce('GET', `${path}/upcoming`)).body.data!;
  expect(upcoming).toMatchObject({
    scheduled_date: '2026-02-01',
    following_dates: ['2026-02-22', '2026-03-01', '2026-03-08'],
  });
  await settle();
  expect((await read()).next_billing_date).toBe('2026-02-22');
});

describe('a skip', () => {
  const skip = async ({ shop, path }: Awaited<ReturnType<typeof setUp>>) =>
    (await shop.commerce('POST', `${path}/skip`)).body.data!;
  const skipped = (path: string) =>
    server.rows<{ date: string }>(
      'select cycle_date::text as date from subscription_cycles where subscription_id = $1 order by 1',
      [path.split('/').at(-1)],
    );

  test('during a pause leaves out the first date after it', async () => {
    const set = await setUp({ start_date: '2026-02-01' });
    await set.shop.commerce('POST', `${set.path}/pause`, { resume_on: '2026-02-20' });
    server.clock.set('2026-02-10T12:00:00.000Z');
    expect(await skip(set)).toMatchObject({ status: 'paused', next_billing_date: '2026-03-01' });
    expect(await skipped(set.path)).toEqual([{ date: '2026-02-22' }]);
    server.clock.set('2026-02-20T12:00:00.000Z');
    await settle();
    expect(await set.read()).toMatchObject({ status: 'active', next_billing_date: '2026-03-01' });
    expect(await set.orders()).toEqual([]);
  });

  test('of an overdue date does not order the dates that have passed since', async () => {
    const set = await setUp({ start_date: '2026-02-01' });
    server.clock.set('2026-02-18T12:00:00.000Z');
    expect(await skip(set)).toMatchObject({ status: 'active', next_billing_date: '2026-02-22' });
    expect(await skipped(set.path)).toEqual([{ date: '2026-02-01' }]);
    await settle();
    expect(await set.orders()).toEqual([]);
  });
});

test('dates after the year 2999 are refused', async () => {
  const tooFar = await setUp({ start_date: '9999-12-31' });
  expect([tooFar.made.status, tooFar.made.body.error!.details!.fields[0].field]).toEqual([422, 'start_date']);
  const { shop, path } = await setUp({ start_date: '2999-12-31', frequency_id: 7 });
  const upcoming = (await shop.commerce('GET', `${path}/upcoming`)).body.data!;
  expect(upcoming.following_dates).toEqual(['3000-12-31', '3001-12-31', '3002-12-31']);
  expect((await shop.commerce('POST', `${path}/skip`)).status).toBe(422);
  expect((await shop.commerce('PATCH', path, { next_billing_date: '3000-01-01' })).status).toBe(422);
  expect((await shop.commerce('POST', `${path}/pause`, { resume_on: '3000-01-01' })).status).toBe(422);
});

test('a PATCH without fields, with the stored values or with unknown fields changes nothing', async () => {
  const { shop, path, read } = await setUp();
  const before = await read();
  server.clock.advance(60_000);
  const { quantity, frequency_id, next_billing_date } = before;
  for (const body of [{}, { quantity, frequency_id, next_billing_date }, { status: 'cancelled', price: 0 }]) {
    expect((await shop.commerce('PATCH', path, body)).body.data).toEqual(before);
  }
  expect((await shop.commerce('GET', `${path}/history`)).body.data!).toHaveLength(1);
  // The same holds for a date that waits for stock and has passed in the meantime.
  server.clock.set('2026-02-02T12:00:00.000Z');
  expect((await shop.commerce('PATCH', path, { quantity: 2, next_billing_date })).body.data).toMatchObject({
    quantity: 2,
    next_billing_date: '2026-01-31',
  });
});

test('an event of a change shows the subscription after it', async () => {
  const { shop, path } = await setUp({ start_date: '2026-02-01' });
  await shop.commerce('PATCH', path, { quantity: 2, frequency_id: 3, next_billing_date: '2026-02-07' });
  await shop.commerce('POST', `${path}/skip`);
  await shop.commerce('POST', `${path}/pause`, { resume_on: '2026-02-05' });
  server.clock.set('2026-02-05T12:00:00.000Z');
  await settle();
  await shop.commerce('POST', `${path}/resume`);
  await shop.commerce('POST', `${path}/pause`);
  await shop.commerce('POST', `${path}/resume`);
  await shop.commerce('POST', `${path}/cancel`, { reason: 'moved' });
  const events = await server.rows<{ topic: string; payload: object }>(
    "select topic, payload from outbox where company_id = $1 and topic like 'subscription_%' order by id",
    [shop.company_id],
  );
  const told: [string, object][] = [
    ['created', { quantity: 1, email: 'ada@example.com', plan: 'Weekly' }],
    ['scheduled', { next_billing_date: '2026-02-07', quantity: 2, plan: 'Monthly' }],
    ['scheduled', { next_billing_date: '2026-03-07' }],
    ['paused', { reason: 'until 2026-02-05' }],
    ['scheduled', { next_billing_date: '2026-03-07' }],
    ['paused', { reason: null }],
    ['scheduled', { next_billing_date: '2026-03-07' }],
    ['cancelled', { reason: 'moved' }],
  ];
  expect(events).toMatchObject(told.map(([kind, payload]) => ({ topic: `subscription_${kind}`, payload })));
});

test('a subscription whose content prevents the renewal is retried after an hour, and delays no other', async () => {
  const { shop, path, read, orders, made } = await setUp();
  const other = (await shop.commerce('POST', '/subscriptions', made.body.data!)).body.data!.id;
  // The date is over already, a state that no API call produces.
  await server.rows(
    `insert into subscription_cycles (company_id, subscription_id, cycle_date, outcome, created_at)
     values ($1, $2, '2026-01-31', 'skipped', now())`,
    [shop.company_id, path.split('/').at(-1)],
  );
  await settle();
  expect(await orders()).toEqual([]);
  expect((await shop.commerce('GET', `/subscriptions/${other}/orders`)).body.data!).toHaveLength(1);
  const { body } = await shop.commerce('GET', `${path}/history`);
  expect(body.data!.map((entry: { type: string }) => entry.type)).toEqual(['created', 'renewal_error']);
  await server.rows('delete from subscription_cycles where subscription_id = $1', [path.split('/').at(-1)]);
  server.clock.advance(3_599_999);
  await settle();
  expect(await orders()).toEqual([]);
  server.clock.advance(1);
  await settle();
  expect(await orders()).toHaveLength(1);
  expect(await read()).toMatchObject({ status: 'active', next_billing_date: '2026-02-07' });
});

test('an address that does not suffice any more pauses with the reason, and has no upcoming order', async () => {
  const { shop, path, read, orders } = await setUp({ start_date: '2026-02-01' });
  const upcoming = async () => (await shop.commerce('GET', `${path}/upcoming`)).status;
  expect(await upcoming()).toBe(200);
  await shop.commerce('POST', '/tax-rules', { name: 'Illinois', country: 'US', state: 'IL', rate: 0.0625 });
  expect(await upcoming()).toBe(404);
  server.clock.set('2026-02-01T00:00:00.000Z');
  await settle();
  expect(await read()).toMatchObject({ status: 'paused', pause_reason: 'shipping_state_required' });
  expect(await orders()).toEqual([]);
  const { body } = await shop.commerce('GET', `${path}/history`);
  expect(body.data![1]).toMatchObject({ type: 'paused', actor: 'worker:renewals', message: 'shipping_state_required' });
  const events = await server.rows<{ payload: object }>(
    "select payload from outbox where company_id = $1 and topic = 'subscription_paused'",
    [shop.company_id],
  );
  expect(events).toMatchObject([{ payload: { reason: 'shipping_state_required', cycle_date: '2026-02-01' } }]);
});

test('a renewal of an erased customer is told to endpoints as well', async () => {
  const { shop, customer } = await setUp();
  await server.rows('update customers set erased_at = now(), email = null where id = $1', [customer]);
  await settle();
  const events = await server.rows<{ payload: object }>(
    "select payload from outbox where company_id = $1 and topic = 'subscription_paused'",
    [shop.company_id],
  );
  expect(events[0]!.payload).toMatchObject({ reason: 'customer_erased', customer_id: String(customer), email: null });
});

test('whatever people do to their subscriptions: no date twice, none forgotten, previews come true', {
  timeout: 120_000,
}, async () => {
  const days = fc.integer({ min: 0, max: 40 });
  const action = fc.oneof(
    fc.record({ kind: fc.constant('skip' as const) }),
    fc.record({ kind: fc.constant('pause' as const), days: fc.option(fc.integer({ min: 1, max: 40 })) }),
    fc.record({ kind: fc.constant('resume' as const) }),
    fc.record({ kind: fc.constant('move' as const), days }),
    fc.record({ kind: fc.constant('frequency' as const), id: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('wait' as const), days }),
  );
  const dateIn = (n: number): string =>
    new Date(server.clock.now().getTime() + n * 86_400_000).toISOString().slice(0, 10);

  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
      server.clock.set('2026-01-31T12:00:00.000Z');
      const { shop, path, read } = await setUp();
      await settle();
      for (const one of actions) {
        if (one.kind === 'wait') {
          const promised = (await shop.commerce('GET', `${path}/upcoming`)).body.data;
          // Advances day by day, as in a running shop.
          for (let day = 0; day < one.days; day++) {
            server.clock.advance(86_400_000);
            await settle();
            const next = (await read()).next_billing_date;
            if (promised !== undefined && next !== promised.scheduled_date && day < 7) {
              expect(promised.following_dates).toContain(next);
            }
          }
        } else if (one.kind === 'move') {
          const response = await shop.commerce('PATCH', path, { next_billing_date: dateIn(one.days) });
          expect([200, 422]).toContain(response.status);
        } else if (one.kind === 'frequency') {
          expect((await shop.commerce('PATCH', path, { frequency_id: one.id })).status).toBe(200);
        } else {
          const body = one.kind === 'pause' && one.days !== null ? { resume_on: dateIn(one.days) } : {};
          expect((await shop.commerce('POST', `${path}/${one.kind}`, body)).status).toBe(200);
        }
        await settle();
      }
      const { id, status, next_billing_date: next } = await read();
      expect(next >= dateIn(0) || status === 'paused').toBe(true);
      const history = (await shop.commerce('GET', `${path}/history`)).body.data!;
      expect(history.filter((entry: { type: string }) => entry.type === 'renewal_error')).toEqual([]);
      const [row] = await server.rows<{ orders: number; dates: number }>(
        `select (select count(*)::int from orders where subscription_id = $1) as orders,
           (select count(*)::int from subscription_cycles where subscription_id = $1 and outcome = 'ordered') as dates`,
        [id],
      );
      expect(row!.orders).toBe(row!.dates);
    }),
    { numRuns: 25 },
  );
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});
