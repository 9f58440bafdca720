import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Overloaded } from '../../errors.ts';
import { testServer } from '../../testing/harness.ts';
import { createDb } from '../create-db.ts';
import type { Db } from '../pool.ts';
import { sql } from '../sql.ts';
import { applicationName, connectionBudget } from './lanes.ts';

const server = testServer();
const USER = `few_connections_${process.pid}`;
const MOST = 12;
let processes: Db[];

beforeAll(async () => {
  // Refused with the same code as by a server that has none left.
  await server.rows(`create role ${USER} login connection limit ${MOST}`);
  processes = Array.from({ length: 4 }, (_, i) => {
    const application_name = applicationName(i === 0 ? 'worker' : 'api', 100 + i);
    return createDb({ connection: { ...server.connection, user: USER, application_name } });
  });
});
afterAll(async () => {
  for (const db of processes) await db.close();
  await server.rows(`drop role ${USER}`);
});

/** Repeats work that is refused because it would wait too long, as clients do. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      await sleep(100);
    }
  }
}

test('processes that may open more connections than the server allows take turns, and what is refused succeeds when it is repeated', {
  timeout: 60_000,
}, async () => {
  const work = processes.flatMap((db, p) =>
    Array.from({ length: 60 }, (_, i) =>
      repeated(() => db.tenantTx(1 + ((p + i) % 7), (tx) => tx.query(sql`select pg_sleep(0.02)`))),
    ),
  );
  expect(await Promise.all(work)).toHaveLength(240);
  // Those that had none get theirs when the others are idle.
  for (const db of processes) {
    await expect
      .poll(() =>
        db
          .writes(1)
          .query(sql`select 1 as n`)
          .catch(() => null),
      )
      .toEqual([{ n: 1 }]);
  }
});

test('the connections of all processes are compared with the limit of the server', async () => {
  for (const db of processes) await db.writes(1).query(sql`select 1`);
  const [row] = await server.rows<{ allowed: number }>(`select current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`);
  // With the app of this test, and others on the same server.
  const { processes: found, most, allowed } = await connectionBudget(server.connection);
  expect(found).toBeGreaterThanOrEqual(5);
  expect(most).toBeGreaterThanOrEqual(31 + 26 + 3 * 25);
  expect(allowed).toBe(row!.allowed);
  const names = await server.rows<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity where usename = '${USER}' order by 1`,
  );
  expect(names.map(({ name }) => name)).toContain('tradeloom worker 100 writes');
});
