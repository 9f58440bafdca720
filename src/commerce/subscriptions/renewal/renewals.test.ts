import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { createDb } from '../../../db/create-db.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import { checkInvariants } from '../../../invariants.ts';
import { connectionUrl } from '../../../testing/global-setup.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { travel } from '../../../work/time-travel.ts';
import * as queries from '../queries.ts';
import { unchanged } from '../record.ts';
import { dateAt } from '../schedule.ts';
import * as renewalQueries from './worker.ts';
import { createRenewalWorker } from './worker.ts';

const server = testServer();
const START = '2027-01-31T00:00:00.000Z';
const MAIN = fileURLToPath(new URL('../../../main.ts', import.meta.url));

beforeEach(() => server.clock.set(START));

async function shopWith(count: number, columns: { frequency: string; date?: string }): Promise<TestCompany> {
  const shop = await server.company();
  const made = await shop.commerce('POST', '/products', {
    name: 'Tea',
    price: 9.99,
    stock_qty: 10_000_000,
    subscription_enabled: true,
  });
  await server.rows(
    `with people as (
       insert into customers (company_id, email, search, created_at, updated_at)
       select $1, 'person' || n || '@example.com', '', $5, $5 from generate_series(1, least($2::int, 500)) n returning id
     ), numbered as (select id, row_number() over () as n from people)
     insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor,
       next_billing_date, due_at, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country, created_at, updated_at)
     select $1, p.id, $3, ${columns.frequency}, 1 + k % 3, 999, 'active', $4::date, $4::date, $4::date::timestamp at time zone 'UTC',
       '1 Main', 'X', '', '1', 'US', $5, $5
     from generate_series(1, $2::int) as k (k) join numbered p on p.n = 1 + k % least($2::int, 500)`,
    [shop.company_id, count, made.body.data!.id, columns.date ?? '2027-01-31', server.clock.now()],
  );
  return shop;
}

const healthy = async () => (await checkInvariants(server.app.db)).filter((finding) => !finding.ok);

test('a year of weekly, monthly and yearly subscriptions gives exactly the dates that the rule says, in under 30 s', {
  timeout: 60_000,
}, async () => {
  const shop = await shopWith(30, { frequency: '(array[1, 3, 7])[1 + k % 3]' });
  const workers = server.app.workers.filter((worker) => worker.name === 'renewals');
  const began = performance.now();
  await travel(server.clock, workers, new Date('2028-01-31T00:00:00.000Z'), async () => {});
  expect(performance.now() - began).toBeLessThan(30_000);
  const rows = await server.rows<{ frequency: number; dates: string[]; orders: number }>(
    `select s.frequency_id::int as frequency, array_agg(c.cycle_date::text order by c.cycle_date) as dates, count(o.id)::int as orders
     from subscriptions s join subscription_cycles c on c.subscription_id = s.id join orders o on o.id = c.order_id
     where s.company_id = $1 group by s.id, s.frequency_id`,
    [shop.company_id],
  );
  expect(rows).toHaveLength(30);
  const units = { 1: 'week', 3: 'month', 7: 'year' } as const;
  for (const row of rows) {
    const schedule = { anchor: '2027-01-31', unit: units[row.frequency as keyof typeof units], interval: 1 };
    const expected = Array.from({ length: 60 }, (_, n) => dateAt(schedule, n)).filter((date) => date <= '2028-01-31');
    expect(row.dates).toEqual(expected);
    expect(row.orders).toBe(expected.length);
  }
  expect(await healthy()).toEqual([]);
});

test('a thousand previews are the orders that then come', { timeout: 60_000 }, async () => {
  const shop = await shopWith(1_000, { frequency: '1 + k % 7' });
  await shop.commerce('POST', '/tax-rules', {
    name: 'Sales tax',
    country: 'US',
    rate: 0.0825,
    applies_to_shipping: true,
  });
  const ids = await server.rows<{ id: number }>('select id::int from subscriptions where company_id = $1', [
    shop.company_id,
  ]);
  const previews = new Map<number, Record<string, unknown>>();
  for (let i = 0; i < ids.length; i += 50) {
    const set = ids.slice(i, i + 50).map(({ id }) => shop.commerce('GET', `/subscriptions/${id}/upcoming`));
    for (const { body } of await Promise.all(set)) previews.set(Number(body.data!.subscription_id), body.data!);
  }
  const worker = server.app.workers.find((one) => one.name === 'renewals')!;
  while ((await worker.runOnce()) > 0);
  let compared = 0;
  for (let page = 1; page <= 10; page++) {
    const { body } = await shop.commerce('GET', `/orders?per_page=100&page=${page}&is_subscription=true`);
    for (const order of body.data as unknown as Record<string, unknown>[]) {
      const preview = previews.get(Number(order.subscription_id))!;
      const same = [
        'customer_id',
        'subtotal',
        'discount',
        'tax',
        'shipping',
        'total',
        'shipping_address',
        'shipping_country',
      ];
      expect(same.map((field) => order[field])).toEqual(same.map((field) => preview[field]));
      expect(Number(order.tax)).toBeGreaterThan(0);
      compared++;
    }
  }
  expect(compared).toBe(1_000);
});

test('two workers at once make each order once', async () => {
  const shop = await shopWith(450, { frequency: '1' });
  const second = createRenewalWorker({ ...server.app, payUrl: () => '', onPlaced: () => {} });
  const workers = [server.app.workers.find((one) => one.name === 'renewals')!, second];
  const done = await Promise.all([...workers, ...workers].map((one) => one.runOnce()));
  expect(done.reduce((sum, n) => sum + n)).toBe(450);
  const [row] = await server.rows(
    'select count(*)::int as orders, count(distinct subscription_id)::int as subscriptions from orders where company_id = $1',
    [shop.company_id],
  );
  expect(row).toEqual({ orders: 450, subscriptions: 450 });
});

test('a connection that is lost while orders are being written is one failure, and ends no process', async () => {
  await shopWith(2, { frequency: '1' });
  const { db } = server.app;
  const failing = (ms: number) => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('lost')), ms));
  const query = (tx: Tx, statement: Statement) => {
    if (statement.text.includes('asked.id, c.cycle_date')) return failing(40);
    return /^\s*(insert|update|with)/.test(statement.text) ? failing(10) : tx.query(statement);
  };
  const losing: Db = {
    ...db,
    tenantTx: (companyId, work) =>
      db.tenantTx(companyId, (tx) => {
        const broken: Tx = Object.assign(Object.create(tx), { query: (one: Statement) => query(tx, one) });
        return work(broken);
      }),
  };
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.prependListener('unhandledRejection', hear);
  try {
    await expect(
      createRenewalWorker({ ...server.app, db: losing, payUrl: () => '', onPlaced: () => {} }).runOnce(),
    ).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 60));
  } finally {
    process.off('unhandledRejection', hear);
  }
  expect(unheard).toEqual([]);
});

test('a shop with very many due renewals holds up no other', async () => {
  const big = await shopWith(2_500, { frequency: '7' });
  const small = await shopWith(1, { frequency: '7' });
  const worker = server.app.workers.find((one) => one.name === 'renewals')!;
  const renewed = async ({ company_id }: TestCompany): Promise<number> => {
    const [row] = await server.rows<{ n: number }>('select count(*)::int as n from orders where company_id = $1', [
      company_id,
    ]);
    return row!.n;
  };
  await worker.runOnce();
  expect([await renewed(big), await renewed(small)]).toEqual([200, 1]);
  while ((await worker.runOnce()) > 0);
  expect(await renewed(big)).toBe(2_500);
});

test('changes that wait for each other are all made, whatever the first one changes', async () => {
  const shop = await shopWith(1, { frequency: '3', date: '2027-03-01' });
  const [{ id }] = (await server.rows('select id::int from subscriptions where company_id = $1', [
    shop.company_id,
  ])) as [{ id: number }];
  const path = `/subscriptions/${id}`;
  let waiting: Promise<number>[] = [];
  await server.app.db.tx(async (tx) => {
    const row = (await queries.lockSubscription(tx, shop.company_id, id))!;
    waiting = (['pause', 'skip', 'resume'] as const).map(
      async (action) => (await shop.commerce('POST', `${path}/${action}`)).status,
    );
    await expect.poll(() => server.lockWaits(), { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    await queries.updateSubscriptions(tx, shop.company_id, [{ ...unchanged(row), frequencyId: 1 }], row.updated_at);
  });
  expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
});

test('a product that is held for long holds up neither the other renewals of its shop nor other shops', async () => {
  const [shop, other] = [
    await shopWith(20, { frequency: '1', date: '2027-01-31' }),
    await shopWith(5, { frequency: '1', date: '2027-01-31' }),
  ];
  const body = { name: 'Mint', price: 5, stock_qty: 100, subscription_enabled: true };
  const mint = Number((await shop.commerce('POST', '/products', body)).body.data!.id);
  await server.rows('update subscriptions set product_id = $2 where company_id = $1 and quantity = 1', [
    shop.company_id,
    mint,
  ]);
  const orders = async (company: TestCompany) =>
    (await server.rows('select 1 from orders where company_id = $1', [company.company_id])).length;
  const worker = server.app.workers.find((one) => one.name === 'renewals')!;
  const [{ n: held }] = (await server.rows<{ n: number }>(
    'select count(*)::int as n from subscriptions where company_id = $1 and product_id = $2',
    [shop.company_id, mint],
  )) as [{ n: number }];
  expect(held).toBeGreaterThan(3);
  await server.app.db.tx(async (tx) => {
    await tx.query(sql`select 1 from product_stock where product_id = ${mint} for update`);
    await worker.runOnce();
    expect([await orders(shop), await orders(other)]).toEqual([20 - held, 5]);
  });
  await worker.runOnce();
  expect(await orders(shop)).toBe(20);
  expect(await healthy()).toEqual([]);
});

test('changes during renewals: each change is made, and each date is either ordered or left out', async () => {
  const shop = await shopWith(120, { frequency: '1' });
  const ids = await server.rows<{ id: number }>('select id::int from subscriptions where company_id = $1 order by id', [
    shop.company_id,
  ]);
  const actions = [
    ['POST', '/pause', undefined],
    ['POST', '/cancel', undefined],
    ['POST', '/skip', undefined],
    ['PATCH', '', { next_billing_date: '2027-02-03', frequency_id: 3 }],
  ] as const;
  const worker = server.app.workers.find((one) => one.name === 'renewals')!;
  const second = createRenewalWorker({ ...server.app, payUrl: () => '', onPlaced: () => {} });
  const [responses] = await Promise.all([
    Promise.all(
      ids.map(async ({ id }, i) => {
        const [method, action, body] = actions[i % 4]!;
        return (await shop.commerce(method, `/subscriptions/${id}${action}`, body)).status;
      }),
    ),
    ...[worker, second].map((one) => one.runOnce()),
  ]);
  expect(new Set(responses)).toEqual(new Set([200]));
  for (const one of [worker, second]) while ((await one.runOnce()) > 0);
  const rows = await server.rows<{ action: number; status: string; next: string | null; dates: string[] }>(
    `select (row_number() over (order by s.id) - 1)::int % 4 as action, s.status, s.next_billing_date::text as next,
       array(select c.outcome || ' ' || c.cycle_date from subscription_cycles c
             where c.company_id = s.company_id and c.subscription_id = s.id order by c.cycle_date) as dates
     from subscriptions s where s.company_id = $1`,
    [shop.company_id],
  );
  // The due date was either ordered before the action or not.
  const ordered = 'ordered 2027-01-31';
  const possible = [
    [
      { status: 'paused', next: '2027-01-31', dates: [] },
      { status: 'paused', next: '2027-02-07', dates: [ordered] },
    ],
    [
      { status: 'cancelled', next: null, dates: [] },
      { status: 'cancelled', next: null, dates: [ordered] },
    ],
    [
      { status: 'active', next: '2027-02-07', dates: ['skipped 2027-01-31'] },
      { status: 'active', next: '2027-02-14', dates: [ordered, 'skipped 2027-02-07'] },
    ],
    [
      { status: 'active', next: '2027-02-03', dates: [] },
      { status: 'active', next: '2027-02-03', dates: [ordered] },
    ],
  ];
  for (const { action, ...row } of rows) expect(possible[action]).toContainEqual(row);
  expect(await healthy()).toEqual([]);
});

test('a worker that freezes loses its claims, and changes nothing when it wakes', async () => {
  const shop = await shopWith(20, { frequency: '3' });
  const now = server.clock.now();
  const frozen = createDb({
    connection: server.connection,
    connections: { points: 1, writes: 1, chores: 1 },
    idleInTransactionMs: 300,
  });
  let seen: unknown;
  const worker = server.app.workers.find((one) => one.name === 'renewals')!;
  const woken = frozen.tx(async (tx) => {
    const held = await renewalQueries.takeDue(tx, shop.company_id, now, 20);
    const passedOver = await worker.runOnce();
    // The database ends the idle session after 300 ms, which releases its rows.
    let renewed = 0;
    for (let i = 0; i < 200 && renewed === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      renewed = await worker.runOnce();
    }
    seen = { held: held.length, passedOver, renewed };
    await queries.updateSubscriptions(
      tx,
      shop.company_id,
      held.map((one) => ({ ...unchanged(one), quantity: 9 })),
      now,
    );
  });
  await expect(woken).rejects.toThrow(/idle-in-transaction|terminated|not queryable/);
  await frozen.close();
  expect(seen).toEqual({ held: 20, passedOver: 0, renewed: 20 });
  const [row] = await server.rows(
    `select count(*)::int as renewed, count(*) filter (where quantity = 9)::int as stale
     from subscriptions where company_id = $1 and next_billing_date > '2027-01-31'`,
    [shop.company_id],
  );
  expect(row).toEqual({ renewed: 20, stale: 0 });
});

/** Higher values of RENEWALS and RENEWAL_KILLS test the same at length. */
const DUE = Number(process.env.RENEWALS ?? 2_000);
const KILLS = Number(process.env.RENEWAL_KILLS ?? 2);

test(`${DUE} due subscriptions, two workers, ${KILLS} kills with -9: exactly ${DUE} orders`, {
  timeout: 240_000 + KILLS * 10_000,
}, async () => {
  // Due long ago by any clock: the tested workers use the machine's clock.
  const shop = await shopWith(DUE, { frequency: '7', date: '2026-01-31' });
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: connectionUrl(server.connection),
    TRADELOOM_DATA_DIR: server.app.config.dataDir,
  };
  const start = (): ChildProcess =>
    spawn(process.execPath, [MAIN, 'start', '--role', 'worker', '--empty'], { env, stdio: 'ignore' });
  const orders = async () =>
    Number(
      (
        await server.rows<{ n: string }>('select count(*) as n from orders where company_id = $1', [shop.company_id])
      )[0]!.n,
    );
  const workers = [start(), start()];
  let midway = 0;
  let seen = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // Killed after some progress since the last kill: in the middle of the work, however slow the machine is.
    const givesUp = performance.now() + 60_000;
    while ((await orders()) === seen && performance.now() < givesUp)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const victim = workers[kill % 2]!;
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    seen = await orders();
    if (seen > 0 && seen < DUE) midway++;
    workers[kill % 2] = start();
  }
  const deadline = performance.now() + 120_000;
  while ((await orders()) < DUE && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 200));
  // Lets the workers look for work once more; there must be none.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  const [row] = await server.rows(
    `select count(*)::int as orders, count(distinct subscription_id)::int as subscriptions from orders where company_id = $1`,
    [shop.company_id],
  );
  expect(row).toEqual({ orders: DUE, subscriptions: DUE });
  expect(midway, 'kills that came in the middle of the work').toBeGreaterThan(0);
  expect(await healthy()).toEqual([]);
});
