import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { type FreezableProxy, freezableProxy } from '../../testing/proxy.ts';
import { createDb } from '../create-db.ts';
import type { Db } from '../pool.ts';
import { sql } from '../sql.ts';
import { isUnavailable } from '../unavailable.ts';

const server = testServer();
let proxy: FreezableProxy;
let db: Db;
const lost: Error[] = [];

beforeAll(async () => {
  proxy = await freezableProxy(server.connection);
  db = createDb({ connection: proxy.connection, onError: (error) => lost.push(error) });
});
afterAll(async () => {
  await db.close();
  await proxy.close();
});

const one = (lane = db.writes(1)): Promise<unknown> => lane.query(sql`select 1 as n`);
const outcome = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const connections = (): number => db.figures().writes!.connections;
/** Opens several connections of the lane. */
const openSome = (): Promise<unknown> =>
  Promise.all(Array.from({ length: 5 }, (_, i) => db.writes(i + 1).tx((tx) => tx.query(sql`select pg_sleep(0.1)`))));

describe('connections that have gone silent', () => {
  test('under a statement are found by a fresh one, long before its time limit, and discarded with the idle ones', async () => {
    await openSome();
    expect(connections()).toBe(5);
    const waiting = outcome(db.writes(1).tx((tx) => tx.query(sql`select pg_sleep(0.3)`)));
    await sleep(100);
    proxy.freeze();
    const error = await waiting;
    expect(isUnavailable(error)).toBe(true);
    expect(lost.map(({ message }) => message)).toContain('The connection to the database went silent');
    expect(await one()).toEqual([{ n: 1 }]);
    await expect.poll(connections).toBe(1);
  });

  test('while idle are all discarded with the first that does not respond', async () => {
    await openSome();
    await sleep(1_100);
    proxy.freeze();
    expect(await one()).toEqual([{ n: 1 }]);
    await expect.poll(connections).toBe(1);
  });

  test('are given up when no fresh one can be opened', async () => {
    const waiting = outcome(db.writes(1).tx((tx) => tx.query(sql`select pg_sleep(0.3)`)));
    await sleep(100);
    proxy.freeze('all');
    expect(isUnavailable(await waiting)).toBe(true);
    proxy.thaw();
    await expect.poll(() => outcome(one())).toEqual([{ n: 1 }]);
  });

  test('are not those of statements that take long', async () => {
    lost.length = 0;
    const [row] = await db.writes(1).tx((tx) => tx.query<{ n: number }>(sql`select 1 as n from pg_sleep(5)`));
    expect(row).toEqual({ n: 1 });
    expect(lost).toEqual([]);
  });
});
