import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { createDb } from './create-db.ts';
import { constraintOf, type Db, sqlState } from './pool.ts';
import { sql } from './sql.ts';
import { CommitUnknown } from './unavailable.ts';

const server = testServer();

beforeAll(async () => {
  await server.rows(`create table accounts (id bigint primary key, amount bigint not null check (amount >= 0));
    create table unique_later (n int, unique (n) deferrable initially deferred)`);
  await server.rows('insert into accounts values (1, 100), (2, 100)');
  await server.rows(`create function die() returns trigger language plpgsql as
    'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
    create table deadly (n int); create constraint trigger die after insert on deadly
    deferrable initially deferred for each row execute function die()`);
});

/** The same over both wires: `plain` can replace `pipelined` at any time. */
describe.each(['pipelined', 'plain'] as const)('over the %s wire,', (wire) => {
  let db: Db;
  const lost: Error[] = [];

  beforeAll(() => {
    const { connection } = server;
    db = createDb({ connection, wire, connections: { writes: 4 }, onError: (error) => lost.push(error) });
  });

  afterAll(async () => {
    await db.close();
  });

  const amountOf = async (id: number): Promise<number> => {
    const [row] = await db.query<{ amount: number }>(sql`select amount from accounts where id = ${id}`);
    return row!.amount;
  };
  const add = (id: number, n: number) =>
    sql`update accounts set amount = amount + ${n} where id = ${id} returning amount`;

  describe('transactions', () => {
    it('undoes everything when the work throws', async () => {
      const before = await amountOf(1);
      const failed = db.tx(async (tx) => {
        await tx.query(add(1, 5));
        throw new TypeError('no');
      });
      await expect(failed).rejects.toThrow(TypeError);
      expect(await amountOf(1)).toBe(before);
    });

    it('tells of the statement that failed, not of those sent behind it', async () => {
      const heardLate = (work: Promise<unknown>) => work.finally(() => sleep(50));
      const failed = db.tx((tx) => Promise.all([heardLate(tx.query(add(1, -1_000_000))), tx.query(add(2, 1))]));
      await expect(failed).rejects.toMatchObject({ code: '23514' });
      const later = db.tx(async (tx) => {
        await tx.savepoint(() => tx.query(add(1, -1_000_000))).catch(() => {});
        await tx.query(sql`select 1 / 0`);
      });
      await expect(later).rejects.toMatchObject({ code: '22012' });
    });

    it('runs a deadlock again, so that both transactions happen once', async () => {
      const [one, two] = [await amountOf(1), await amountOf(2)];
      let tries = 0;
      // Both lock their first row before either requests its second.
      let arrived = 0;
      let meet = (): void => {};
      const met = new Promise<void>((resolve) => {
        meet = resolve;
      });
      const move = (from: number, to: number) =>
        db.tx(async (tx) => {
          tries++;
          await tx.query(add(from, -1));
          if (++arrived === 2) meet();
          await met;
          await tx.query(add(to, 1));
        });
      await Promise.all([move(1, 2), move(2, 1)]);
      expect(tries).toBeGreaterThanOrEqual(3);
      expect([await amountOf(1), await amountOf(2)]).toEqual([one, two]);
    });

    it('gives up on a serialisation failure that does not end', async () => {
      let tries = 0;
      const failed = db.tx(async (tx) => {
        tries++;
        await tx.query(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
      });
      await expect(failed).rejects.toMatchObject({ code: '40001' });
      expect(tries).toBe(5);
    });

    it('undoes a savepoint alone', async () => {
      const before = await amountOf(1);
      await db.tx(async (tx) => {
        await tx.query(add(1, 1));
        const refused = tx.savepoint(() => tx.query(add(1, -1_000_000)));
        await expect(refused).rejects.toMatchObject({ constraint: 'accounts_amount_check' });
        await tx.savepoint(() => tx.savepoint(() => tx.query(add(1, 1))));
      });
      expect(await amountOf(1)).toBe(before + 2);
    });

    it('tells of a constraint that only COMMIT finds broken', async () => {
      const failed = db.tx(async (tx) => {
        await tx.query(sql`insert into unique_later values (1), (1)`);
      });
      const error = await failed.catch((reason: unknown) => reason);
      expect(sqlState(error)).toBe('23505');
      expect(constraintOf(error)).toBe('unique_later_n_key');
      expect(await db.query(sql`select 1 from unique_later`)).toEqual([]);
    });

    it('makes a swallowed failure an error: COMMIT of a failed transaction is none', async () => {
      const before = await amountOf(1);
      const failed = db.tx(async (tx) => {
        await tx.query(add(1, 7));
        await tx.query(add(1, -1_000_000)).catch(() => {});
        return 'done';
      });
      await expect(failed).rejects.toThrow('rolled back at COMMIT');
      expect(await amountOf(1)).toBe(before);
    });
  });

  describe('the last statements sent together with COMMIT', () => {
    it('are done once it resolves', async () => {
      const before = await amountOf(1);
      const rows = await db.tx(async (tx) => {
        const raised = tx.query<{ amount: number }>(add(1, 3));
        await tx.commitAfter([raised, tx.query(add(2, 0))]);
        return raised;
      });
      expect(rows).toEqual([{ amount: before + 3 }]);
      expect(await amountOf(1)).toBe(before + 3);
    });

    it('fail with the first error, and nothing of the transaction stays', async () => {
      const before = await amountOf(1);
      const failed = db.tx(async (tx) => {
        await tx.query(add(1, 3));
        await tx.commitAfter([tx.query(add(1, 3)), tx.query(add(2, -1_000_000)), tx.query(add(1, 3))]);
      });
      await expect(failed).rejects.toMatchObject({ constraint: 'accounts_amount_check' });
      expect(await amountOf(1)).toBe(before);
    });

    it('leave the connection clean for the next transaction', async () => {
      const turns = Array.from({ length: 12 }, (_, i) =>
        db.tx((tx) => tx.commitAfter([tx.query(add(1, i % 2 === 0 ? 0 : -1_000_000))])),
      );
      const ends = await Promise.allSettled(turns);
      expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(6);
      const open = await server.rows(
        "select 1 from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()",
      );
      expect(open).toEqual([]);
    });
  });

  describe('connections that break', () => {
    const breakAll = () =>
      server.rows(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );

    it('are replaced for single statements', async () => {
      await Promise.all(Array.from({ length: 20 }, () => amountOf(1)));
      await breakAll();
      await expect.poll(() => amountOf(1).catch(() => null)).toBeTypeOf('number');
      const responses = await Promise.allSettled(Array.from({ length: 40 }, () => amountOf(1)));
      expect(responses.filter((response) => response.status === 'rejected')).toEqual([]);
      expect(lost.length).toBeGreaterThan(0);
    });

    it('fail the statements on their way, and only those', async () => {
      const waiting = Array.from({ length: 8 }, () => db.query(sql`select pg_sleep(30)`));
      const settled = Promise.allSettled(waiting);
      await expect
        .poll(() =>
          server.rows("select 1 from pg_stat_activity where query = 'select pg_sleep(30)' and state = 'active'"),
        )
        .not.toEqual([]);
      await breakAll();
      for (const response of await settled) expect(response.status).toBe('rejected');
      await expect.poll(() => amountOf(1).catch(() => null)).toBeTypeOf('number');
    });

    it('end a transaction with an error and leave no half of it', async () => {
      const before = await amountOf(1);
      const failed = db.tx(async (tx) => {
        await tx.query(add(1, 9));
        await breakAll();
        await tx.query(add(1, 9));
      });
      await expect(failed).rejects.toThrow();
      expect(await db.tx(async (tx) => (await tx.query<{ amount: number }>(add(1, 0)))[0]!.amount)).toBe(before);
    });

    it('during COMMIT leave the outcome unknown, and the work is not run again', async () => {
      let tries = 0;
      const failed = db.tx(async (tx) => {
        tries++;
        await tx.query(sql`insert into deadly values (1)`);
      });
      await expect(failed).rejects.toThrow(CommitUnknown);
      const together = db.tx((tx) => {
        tries++;
        return tx.commitAfter([tx.query(sql`insert into deadly values (1)`)]);
      });
      await expect(together).rejects.toThrow(CommitUnknown);
      expect(tries).toBe(2);
    });
  });

  describe('values', () => {
    it('come back as the types of the program', async () => {
      const [row] = await db.query(sql`select ${9_007_199_254_740_991}::bigint as n, ${new Date(5)}::timestamptz as at,
      ${{ a: [1] }}::jsonb as j, ${['x', null]}::text[] as t`);
      expect(row).toEqual({ n: 9_007_199_254_740_991, at: new Date(5), j: { a: [1] }, t: ['x', null] });
    });

    it('many statements of one turn keep their own responses', async () => {
      const rows = await Promise.all(
        Array.from({ length: 500 }, (_, i) => db.query<{ n: number }>(sql`select ${i}::int as n`)),
      );
      expect(rows.map(([row]) => row!.n)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    });
  });
});
