import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { Overloaded } from '../../errors.ts';
import { testServer } from '../../testing/harness.ts';
import { createDb } from '../create-db.ts';
import type { Db } from '../pool.ts';
import { sql } from '../sql.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import type { Lanes } from './lanes.ts';

const server = testServer();
let db: Db;

beforeAll(() => {
  db = createDb({ connection: server.connection });
});

afterAll(() => db.close());

const slow = (way: Db, seconds: number) => way.query(sql`select pg_sleep(${seconds})`);
const quick = (way: Db) => way.query(sql`select 1`);
const ofCompany = (lane: 'points' | 'lists' | 'writes' | 'chores', company: number): Db =>
  lane === 'chores' ? db.choresOf(company) : db[lane](company);
const running = async (): Promise<number> =>
  (await server.rows("select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'")).length;

describe.each(['points', 'lists', 'writes', 'chores'] as const)('the lane for %s', (lane) => {
  it('leaves half of its connections to others, whatever one company asks', async () => {
    const { connections } = {
      points: { connections: 4 },
      lists: { connections: 4 },
      writes: { connections: 16 },
      chores: { connections: 6 },
    }[lane];
    const held = Array.from({ length: 20 }, () => slow(ofCompany(lane, 1), 0.6).catch((error: unknown) => error));
    await expect.poll(running).toBe(connections / 2);
    await sleep(200);
    expect(await running()).toBe(connections / 2);
    const began = monotonicMs();
    await Promise.all(Array.from({ length: 20 }, (_, i) => quick(ofCompany(lane, 2 + (i % 4)))));
    expect(monotonicMs() - began).toBeLessThan(1_000);
    for (const end of await Promise.all(held)) {
      if (end instanceof Error) expect(end).toBeInstanceOf(Overloaded);
    }
  });
});

it('leaves half of its connections to companies, whatever unknown clients send', async () => {
  const held = Array.from({ length: 20 }, () => slow(db.strangers, 0.6).catch((error: unknown) => error));
  await expect.poll(running).toBe(2);
  await sleep(200);
  expect(await running()).toBe(2);
  const began = monotonicMs();
  await Promise.all(Array.from({ length: 20 }, (_, i) => quick(db.points(2 + (i % 4)))));
  expect(monotonicMs() - began).toBeLessThan(1_000);
  await Promise.all(held);
});

it('serves companies in turn', async () => {
  const order: number[] = [];
  const done = (company: number) => (): void => void order.push(company);
  const many = Array.from({ length: 40 }, () => slow(db.lists(1), 0.02).then(done(1)));
  const others = [slow(db.lists(3), 0.05), slow(db.lists(4), 0.05)];
  const few = Array.from({ length: 4 }, () => slow(db.lists(2), 0.02).then(done(2)));
  await Promise.all([...many, ...few, ...others]);
  expect(order.lastIndexOf(2)).toBeLessThan(20);
});

it('refuses at once what would wait for longer than 2 s', async () => {
  const held = Array.from({ length: 4 }, (_, i) => slow(db.lists(1 + (i % 2)), 4));
  // Statements are sent only after those that may still be quick.
  await sleep(300);
  const waiting = Array.from({ length: 50 }, () => slow(db.lists(1), 0.01).catch((error: unknown) => error));
  await sleep(800);
  const began = monotonicMs();
  await expect(quick(db.lists(1))).rejects.toBeInstanceOf(Overloaded);
  expect(monotonicMs() - began).toBeLessThan(200);
  // Another company has nothing queued, and may hope for the next connection.
  const other = quick(db.lists(9)).catch((error: unknown) => error);
  for (const end of await Promise.all(waiting)) expect(end).toBeInstanceOf(Overloaded);
  expect(await other).toBeInstanceOf(Overloaded);
  await Promise.all(held);
  await quick(db.lists(1));
});

it('takes no connection for lost because this process stood still', async () => {
  const impatient = createDb({ connection: server.connection, statementTimeoutMs: 500 });
  await quick(impatient);
  const response = impatient.query<{ n: number }>(sql`select 1 as n from pg_sleep(0.1)`);
  await sleep(10);
  const until = monotonicMs() + 4_000;
  while (monotonicMs() < until);
  expect(await response).toEqual([{ n: 1 }]);
  await impatient.close();
});

it('lets a transaction take longer that says so, and only that one', async () => {
  const impatient = createDb({ connection: server.connection, statementTimeoutMs: 200 });
  const took = await impatient.tx(async (tx) => {
    await tx.limitStatements(10_000);
    return tx.query<{ n: number }>(sql`select 1 as n from pg_sleep(3)`);
  });
  expect(took).toEqual([{ n: 1 }]);
  await expect(impatient.tx((tx) => tx.query(sql`select pg_sleep(3)`))).rejects.toThrow('statement timeout');
  await impatient.close();
});

it('tells of a database that is not there at once, not after a queue', async () => {
  const nowhere = createDb({ connection: { host: '127.0.0.1', port: 1, user: 'x', database: 'x' } });
  const ends = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => quick(nowhere.lists(i + 1))));
  for (const end of ends) expect((end as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  const began = monotonicMs();
  await expect(quick(nowhere.lists(1))).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(monotonicMs() - began).toBeLessThan(1_000);
  await nowhere.close();
});

it('closes connections that were unused for a minute', async () => {
  const own = createDb({ connection: { ...server.connection, application_name: 'idle_lane' } });
  await Promise.all([quick(own.lists(1)), own.tenantTx(1, (tx) => tx.query(sql`select 1`))]);
  const open = () => server.rows("select 1 from pg_stat_activity where application_name like 'idle_lane %'");
  expect(await open()).toHaveLength(2);
  const { lanes } = own.shared as { lanes: Lanes };
  const { lists, writes } = lanes;
  for (const lane of [lists, writes]) lane.sweep(monotonicMs() + 61_000, false);
  await expect.poll(open).toEqual([]);
  await quick(own.lists(1));
  await own.close();
});
