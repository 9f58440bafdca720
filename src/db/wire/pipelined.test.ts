import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { createDb } from '../create-db.ts';
import { type Db, sqlState } from '../pool.ts';
import { sql } from '../sql.ts';
import { CommitUnknown } from '../unavailable.ts';
import { PipelinedTurn } from './pipelined.ts';

const server = testServer();
/** One connection for all transactions, one for all single statements. */
let db: Db;

beforeAll(async () => {
  db = createDb({ connection: server.connection, connections: { points: 1, writes: 1 } });
  await server.rows(`create table things (n int primary key, named text);
    create table unique_later (n int, unique (n) deferrable initially deferred)`);
});

afterAll(async () => {
  await db.close();
});

const FIELD = { tableID: 0, columnID: 0, dataTypeSize: -1, dataTypeModifier: -1, format: 'text' };

const codes = (settled: PromiseSettledResult<unknown>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? 'ok' : sqlState(one.reason)));

describe('statements of one turn', () => {
  it('each have their own rows, also where they are the same statement or give none', async () => {
    const one = (n: number) => sql`select ${n}::int as n, ${`text ${n}`}::text as t`;
    for (let round = 0; round < 3; round++) {
      const responses = await db.tx((tx) =>
        Promise.all([
          tx.query(one(1)),
          tx.query(sql`insert into things values (${100 + round}, null)`),
          tx.query(one(2)),
          tx.query(sql`select n from things where n = ${100 + round}`),
          tx.query(sql`select from things where n < 0`),
        ]),
      );
      const [first, second] = [1, 2].map((n) => [{ n, t: `text ${n}` }]);
      expect(responses).toEqual([first, [], second, [{ n: 100 + round }], []]);
    }
  });

  it('those before the one that fails have their rows, it and those behind it its error', async () => {
    const work: Promise<unknown>[] = [];
    const failed = db.tx(async (tx) => {
      work.push(
        tx.query(sql`select 1 as a`),
        tx.query(sql`select 2 / ${0}::int as b`),
        tx.query(sql`select 3 as c`),
        tx.query(sql`insert into things values (1, 'never')`),
      );
      await Promise.allSettled(work);
    });
    await expect(failed).rejects.toThrow('rolled back at COMMIT');
    expect(codes(await Promise.allSettled(work))).toEqual(['ok', '22012', '22012', '22012']);
    expect(await db.query(sql`select 1 from things where n = 1`)).toEqual([]);
  });

  it('that were left out, or that the server refused to read, can be sent again on the same connection', async () => {
    const late = sql`select n from late_table`;
    const behind = sql`select 'behind' as b`;
    const both = () => db.tx((tx) => Promise.all([tx.query(late), tx.query(behind)]));
    await expect(both()).rejects.toMatchObject({ code: '42P01' });
    await expect(both()).rejects.toMatchObject({ code: '42P01' });
    await server.rows('create table late_table (n int); insert into late_table values (7)');
    expect(await both()).toEqual([[{ n: 7 }], [{ b: 'behind' }]]);
    expect(await both()).toEqual([[{ n: 7 }], [{ b: 'behind' }]]);
  });

  it('sent before the failure of an earlier turn was heard tell of that failure', async () => {
    const heard: PromiseSettledResult<unknown>[] = [];
    const failed = db.tx(async (tx) => {
      const first = tx.query(sql`select pg_sleep(0.05), 1 / ${0}::int`);
      first.catch(() => {});
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      heard.push(...(await Promise.allSettled([first, tx.query(sql`select 'another turn' as t`)])));
    });
    await expect(failed).rejects.toThrow('rolled back at COMMIT');
    expect(codes(heard)).toEqual(['22012', '22012']);
  });

  it('whose rows cannot be read fail alone', async () => {
    const connection = new pg.Client().connection;
    const turn = new PipelinedTurn();
    const responses = Promise.allSettled([turn.add(sql`select bad`), turn.add(sql`select good`)]);
    for (const text of ['{"a":', '{"a":1}']) {
      turn.handleRowDescription({ fields: [{ ...FIELD, name: 'j', dataTypeID: pg.types.builtins.JSON }] });
      turn.handleDataRow({ fields: [text] });
      turn.handleCommandComplete({ text: 'SELECT 1' }, connection);
    }
    turn.handleReadyForQuery();
    const [bad, good] = await responses;
    expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(SyntaxError) });
    expect(good).toMatchObject({ status: 'fulfilled', value: { rows: [{ j: { a: 1 } }] } });
  });

  it('are refused once the transaction is over, and with values that have no form; nothing is committed then', async () => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const write = sql`insert into things values (2, 'never')`;
    const bad = sql`insert into things values (3, ${endless})`;
    await expect(db.tx((tx) => tx.commitAfter([tx.query(write), tx.query(bad)]))).rejects.toThrow(/circular/i);
    await expect(db.query(bad)).rejects.toThrow(/circular/i);
    expect(await db.query(sql`select 1 from things where n in (2, 3)`)).toEqual([]);
    const late = db.tx(async (tx) => {
      await tx.commitAfter([]);
      await tx.query(write);
    });
    await expect(late).rejects.toThrow('The transaction is over');
    expect(await db.query(sql`select 1 from things where n = 2`)).toEqual([]);
  });

  it('of failed work are rolled back with it, also those that were not awaited', async () => {
    let work: Promise<PromiseSettledResult<unknown>[]> | undefined;
    const failed = db.tx(async (tx) => {
      work = Promise.allSettled([
        tx.query(sql`insert into things values (4, null)`),
        tx.query(sql`select 1 / ${0}::int`),
      ]);
      throw new TypeError('no');
    });
    await expect(failed).rejects.toThrow(TypeError);
    expect(codes((await work)!)).toEqual(['ok', '22012']);
    expect(await db.query(sql`select 1 from things where n = 4`)).toEqual([]);
  });
});

it('a single statement fails by what only its commit finds', async () => {
  const failed = db.query(sql`insert into unique_later values (1), (1)`);
  await expect(failed).rejects.toMatchObject({ code: '23505', constraint: 'unique_later_n_key' });
  expect(await db.query(sql`select n from unique_later`)).toEqual([]);
});

it('a text without a statement takes no result of another', async () => {
  const responses = await db.tx((tx) =>
    Promise.all([tx.query(sql`select 1 as a`), tx.query(sql``), tx.query(sql`select 2 as a`)]),
  );
  expect(responses).toEqual([[{ a: 1 }], [], [{ a: 2 }]]);
});

it("the driver's own time limit ends no connection that has responded", async () => {
  const limited = createDb({
    connection: { ...server.connection, query_timeout: 150 },
    connections: { points: 1, writes: 1 },
  });
  const backend = sql`select pg_backend_pid() as pid`;
  const both = () => Promise.all([limited.query(backend), limited.tx((tx) => tx.query(backend))]);
  const before = await both();
  await sleep(300);
  expect(await both()).toEqual(before);
  await expect(limited.query(sql`select pg_sleep(30)`)).rejects.toThrow('timeout');
  await limited.close();
});

describe('a connection that is lost', () => {
  const losingAt = (word: string) => through(word, (near) => near.destroy());

  /** Forwards everything to the server until it sees `word`; what comes then is up to `end`. */
  async function through(
    word: string,
    end: (near: Socket) => void,
    onError?: (error: Error) => void,
  ): Promise<{ lossy: Db; close: () => Promise<void> }> {
    const { host, port, user, password, database } = new pg.Client(server.connection);
    const proxy = createServer((near) => {
      const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
      far.on('error', () => near.destroy()).on('data', (data) => near.write(data));
      near.on('error', () => {}).on('close', () => far.destroy());
      near.on('data', (data) => (data.includes(word) ? end(near) : far.write(data)));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const near = { host: '127.0.0.1', port: (proxy.address() as AddressInfo).port };
    const lossy = createDb({ connection: { ...near, user, password, database }, connections: { writes: 1 }, onError });
    const close = async () => {
      await lossy.close();
      proxy.close();
    };
    return { lossy, close };
  }

  it.each(['at once', 'late'])('with BEGIN on its way fails the transaction alone, heard of %s', async (heard) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { lossy, close } = await losingAt('begin');
    const failed = lossy.tx(async (tx) => {
      const asked = Promise.allSettled([tx.query(sql`select 1`)]);
      if (heard === 'late') await sleep(50);
      const [response] = await asked;
      if (response!.status === 'rejected') throw response!.reason;
    });
    await expect(failed).rejects.toThrow('terminated');
    await sleep(20);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    await close();
  });

  it('is told of, but not once it is being closed', async () => {
    const ending = 'SFATAL\0C57P01\0Mterminating connection\0\0';
    const length = Buffer.alloc(4);
    length.writeInt32BE(ending.length + 4);
    const fatal = Buffer.concat([Buffer.from('E'), length, Buffer.from(ending)]);
    const GOODBYE = 'X\0\0\0\x04';
    const told: string[] = [];
    const note = (error: Error): void => void told.push(error.message);
    const closing = await through(GOODBYE, (near) => near.end(fatal), note);
    expect(await closing.lossy.tx((tx) => tx.query(sql`select 1 as n`))).toEqual([{ n: 1 }]);
    expect(await closing.lossy.query(sql`select 1 as n`)).toEqual([{ n: 1 }]);
    await closing.close();
    await sleep(50);
    expect(told).toEqual([]);
    const idle = await through('select 2', (near) => near.end(fatal), note);
    await idle.lossy.query(sql`select 2`).catch(() => {});
    await sleep(50);
    expect(told).toEqual(['Connection terminated unexpectedly']);
    await idle.close();
  });

  it('with COMMIT on its way leaves it unknown', async () => {
    const { lossy, close } = await losingAt('commit');
    await expect(lossy.tx((tx) => tx.query(sql`select 1`))).rejects.toThrow(CommitUnknown);
    await close();
  });
});

it('a savepoint whose transaction is over sends nothing any more', async () => {
  let late: Promise<unknown> | undefined;
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const failed = db.tx(async (tx) => {
    late = tx.savepoint(async () => {
      await gone;
      throw new TypeError('late');
    });
    late.catch(() => {});
    await tx.query(sql`select 1`);
    throw new TypeError('first');
  });
  await expect(failed).rejects.toThrow('first');
  await db.tx(async (tx) => {
    await tx.savepoint(async () => {
      await tx.query(sql`insert into things values (5, 'stays')`);
      go();
      await expect(late).rejects.toThrow('late');
    });
  });
  expect(await db.query(sql`select named from things where n = 5`)).toEqual([{ named: 'stays' }]);
});
