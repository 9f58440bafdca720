import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { type EmbeddedOptions, findEmbedded, startEmbedded } from './embedded.ts';
import { makeReadOnly, mayMakeReadOnly, mayMount, mountSmallDisk, scratchFolder, startProgram } from './fixtures.ts';
import { findServer, stopServer } from './process.ts';

const start = (dataDir: string, more: Partial<EmbeddedOptions> = {}) =>
  startEmbedded({ dataDir, log: () => undefined, extraSettings: { fsync: 'off' }, ...more });

async function query(connection: pg.ClientConfig, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A data folder that was started before, for the tests that need no new one. */
let folder: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  folder = await scratchFolder();
  await (await start(folder.path)).stop();
});
afterEach(() => stopServer(join(folder.path, 'postgres')));
afterAll(() => folder[Symbol.asyncDispose]());

const serverPid = async (dataDir: string) => (await findServer(join(dataDir, 'postgres')))?.pid;

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = monotonicMs() + 10_000;
  while (!(await holds())) {
    if (monotonicMs() > deadline) throw new Error('It did not come true within 10 s.');
    await sleep(20);
  }
}

describe('a start', () => {
  it('creates a durable, private database in a new folder; the next start finds the saved data', async () => {
    await using folder = await scratchFolder('data folder with spaces');
    const first = await start(folder.path, { extraSettings: {} });
    expect(first).toMatchObject({ firstStart: true, adopted: false });
    const [settings] = await query(
      first.connection,
      `SELECT current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes')
                || current_setting('data_checksums') AS durable,
              current_setting('listen_addresses') AS network, current_setting('timezone') AS zone,
              lower('ÄÉŽ') AS lower, encode(convert_to('ä', 'UTF8'), 'hex') AS utf8`,
    );
    expect(settings).toEqual({ durable: 'onononon', network: '', zone: 'UTC', lower: 'äéž', utf8: 'c3a4' });
    expect((await stat(first.connection.host)).mode & 0o777).toBe(0o700);
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS value');
    await first.stop();

    const second = await start(folder.path, { extraSettings: {} });
    expect(second).toMatchObject({ firstStart: false, adopted: false, connection: first.connection });
    expect(await query(second.connection, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await second.stop();
  });

  it('lets given settings win', async () => {
    const server = await start(folder.path, { extraSettings: { fsync: 'off', max_connections: '20' } });
    const settings = "SELECT current_setting('fsync') AS fsync, current_setting('max_connections') AS connections";
    expect(await query(server.connection, settings)).toEqual([{ fsync: 'off', connections: '20' }]);
    await server.stop();
  });

  it('is the same whatever the PG… variables of the shell say of other servers', async () => {
    vi.stubEnv('PGSSLMODE', 'require').stubEnv('PGSSLNEGOTIATION', 'direct');
    vi.stubEnv('PGOPTIONS', '-c default_transaction_read_only=on -c statement_timeout=7ms');
    const server = await start(folder.path);
    const settings = `SELECT current_setting('statement_timeout') AS "limit", current_setting('transaction_read_only') AS "readOnly"`;
    expect(await query(server.connection, settings).finally(() => vi.unstubAllEnvs())).toEqual([
      { limit: '0', readOnly: 'off' },
    ]);
    await server.stop();
  });

  it('on a folder with a long path has a socket all the same', async () => {
    await using folder = await scratchFolder(join('ä,"'.repeat(30), 'b'.repeat(200)));
    const server = await start(folder.path);
    expect(Buffer.byteLength(`${server.connection.host}/.s.PGSQL.5432`)).toBeLessThanOrEqual(100);
    expect(await query(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
    await rm(server.connection.host, { recursive: true });
  });

  it('after an initdb that was cut off by kill -9 begins anew', async () => {
    await using folder = await scratchFolder();
    const program = startProgram(folder.path);
    await until(async () => (await readdir(folder.path)).some((name) => name.startsWith('postgres.new-')));
    await sleep(150);
    await program.kill();
    expect(await program.report).toEqual({});
    const server = await start(folder.path);
    expect(server.firstStart).toBe(true);
    await server.stop();
  });

  it('empties a log of more than 10 MB, and keeps a shorter one', async () => {
    const log = join(folder.path, 'postgres.log');
    await writeFile(log, 'x'.repeat(11 * 2 ** 20));
    await (await start(folder.path)).stop();
    const { size } = await stat(log);
    expect(size).toBeLessThan(2 ** 20);
    await (await start(folder.path)).stop();
    expect((await stat(log)).size).toBeGreaterThan(size);
  });
});

describe('a stop', () => {
  it('ends the server with its clients, may be called twice, and frees the folder', async () => {
    const server = await start(folder.path);
    const client = new pg.Client(server.connection);
    const lost = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    expect(await findEmbedded(folder.path)).toEqual(server.connection);
    await Promise.all([server.stop(), server.stop(), lost]);
    expect(await findEmbedded(folder.path)).toBeUndefined();
    await (await start(folder.path)).stop();
  });
});

describe('a second program', () => {
  it('on the same folder is refused in one sentence with the fix, until the first is gone', async () => {
    const server = await start(folder.path);
    const refusal =
      `Another Tradeloom program already uses the data folder ${folder.path}: stop it first, ` +
      'or give this one a folder of its own with --data-dir.';
    await expect(start(folder.path)).rejects.toThrow(refusal);
    const other = startProgram(folder.path);
    expect(await other.report).toEqual({ error: refusal });
    await other.kill();
    await server.stop();
  });

  it('at the same moment on a new folder: one of them gets it', async () => {
    await using folder = await scratchFolder();
    const programs = [startProgram(folder.path), startProgram(folder.path)];
    const reports = await Promise.all(programs.map(({ report }) => report));
    expect(reports.filter(({ firstStart }) => firstStart)).toHaveLength(1);
    expect(reports.filter(({ error }) => error?.startsWith('Another Tradeloom program'))).toHaveLength(1);
    await Promise.all(programs.map(({ kill }) => kill()));
  });
});

describe('after kill -9', () => {
  it('of the program, the server is taken over with all that was committed', async () => {
    const program = startProgram(folder.path);
    await program.report;
    const connection = (await findEmbedded(folder.path))!;
    await query(connection, 'CREATE TABLE kept_by_the_server AS SELECT 42 AS value');
    const pid = await serverPid(folder.path);
    await program.kill();

    const server = await start(folder.path);
    expect(server).toMatchObject({ adopted: true, firstStart: false, connection });
    expect(await serverPid(folder.path)).toBe(pid);
    expect(await query(server.connection, 'SELECT value FROM kept_by_the_server')).toEqual([{ value: 42 }]);
    await server.stop();
    expect(await serverPid(folder.path)).toBeUndefined();
  });

  it.each([
    ['runs with other settings', async () => ({ max_connections: '30' })],
    [
      'has lost its socket',
      async (host: string) => {
        await rm(join(host, '.s.PGSQL.5432'));
        return {};
      },
    ],
    [
      'is about to stop, but waits for a client',
      async (_host: string, pid: number) => {
        process.kill(pid, 'SIGTERM');
        return {};
      },
    ],
  ])('of the program, a server that %s is replaced', async (_case, disturb) => {
    const program = startProgram(folder.path);
    await program.report;
    const { host } = (await findEmbedded(folder.path))!;
    const client = new pg.Client({ host, user: 'tradeloom' });
    client.on('error', () => undefined);
    await client.connect();
    await program.kill();
    const pid = (await serverPid(folder.path))!;
    const settings = await disturb(host, pid);

    const server = await start(folder.path, { extraSettings: { fsync: 'off', ...settings } });
    expect(server.adopted).toBe(false);
    expect(await serverPid(folder.path)).not.toBe(pid);
    expect(await query(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('of both, the stale lock files do not hinder, not even when their number is now another process', async () => {
    const program = startProgram(folder.path);
    await program.report;
    const { host } = (await findEmbedded(folder.path))!;
    await program.kill();
    process.kill((await serverPid(folder.path))!, 'SIGKILL');
    await until(async () => (await serverPid(folder.path)) === undefined);
    for (const file of [join(folder.path, 'postgres', 'postmaster.pid'), join(host, '.s.PGSQL.5432.lock')]) {
      const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
      await writeFile(file, [process.pid, ...rest].join('\n'));
    }
    const server = await start(folder.path);
    expect(server).toMatchObject({ adopted: false, firstStart: false });
    await server.stop();
  });

  it('of the server alone, it is back by itself, soon', async () => {
    const lines: string[] = [];
    const server = await start(folder.path, { log: (line) => lines.push(line) });
    await query(server.connection, 'CREATE TABLE kept AS SELECT 42 AS value');
    const killedAt = monotonicMs();
    process.kill((await serverPid(folder.path))!, 'SIGKILL');
    const valueKept = () => query(server.connection, 'SELECT value FROM kept').catch(() => []);
    await until(async () => lines.length === 2 && (await valueKept()).length === 1);
    expect(monotonicMs() - killedAt).toBeLessThan(30_000);
    expect(lines).toEqual(['PostgreSQL ended unexpectedly and is started again.', 'PostgreSQL runs again.']);
    await server.stop();
  });
});

it('Ctrl-C in the terminal does not reach the server', async () => {
  const program = startProgram(folder.path);
  await program.report;
  const pid = await serverPid(folder.path);
  // The terminal sends it to the whole process group, which the program leads.
  process.kill(-program.child.pid!, 'SIGINT');
  await program.kill();
  await sleep(200);
  expect(await serverPid(folder.path)).toBe(pid);
});

describe('an error with the fix', () => {
  it('tells of a file in the place of the data folder', async () => {
    await using folder = await scratchFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    await expect(start(file)).rejects.toThrow(/a file is in the way/);
  });

  it('tells of the data of another major version, and leaves it alone', async () => {
    await (await start(folder.path)).stop();
    await writeFile(join(folder.path, 'postgres', 'PG_VERSION'), '17\n');
    await expect(start(folder.path)).rejects.toThrow(/was made by PostgreSQL 17, and this Tradeloom brings 18: /);
    await writeFile(join(folder.path, 'postgres', 'PG_VERSION'), '18\n');
    await (await start(folder.path)).stop();
  });

  it("tells of files that are not PostgreSQL's, and leaves them alone", async () => {
    await using folder = await scratchFolder('data/postgres');
    await writeFile(join(folder.path, 'diary.txt'), 'mine');
    await expect(start(join(folder.path, '..'))).rejects.toThrow(/holds files, but no PostgreSQL data: move them/);
    expect(await readFile(join(folder.path, 'diary.txt'), 'utf8')).toBe('mine');
  });

  it("gives the server's last words when it refuses to start, and frees the folder", async () => {
    const wrong = start(folder.path, { extraSettings: { shared_buffers: 'plenty' } });
    await expect(wrong).rejects.toThrow(/did not start \(exit code 1\).*\n.*shared_buffers.*plenty/);
    await (await start(folder.path)).stop();
  });

  if (!mayMakeReadOnly()) return;

  it('tells of a data folder that cannot be written', async () => {
    await using folder = await scratchFolder();
    await using _ = await makeReadOnly(folder.path);
    await expect(start(folder.path)).rejects.toThrow(/data folder .*(is read-only|may not write).*--data-dir/);
    await expect(start(join(folder.path, 'new'))).rejects.toThrow(/cannot be made|may not write/);
  });

  if (!mayMount()) return;

  it('tells of a full disk at the first start, and leaves nothing behind', async () => {
    await using folder = await scratchFolder();
    await using _ = await mountSmallDisk(folder.path, 30);
    await expect(start(folder.path)).rejects.toThrow(/The disk that holds the data folder .* is full: free some space/);
    expect(await readdir(folder.path)).toEqual(['postgres.lock']);
  });

  it('tells of a full disk at a later start, and nothing is lost', async () => {
    await using folder = await scratchFolder();
    await using _ = await mountSmallDisk(folder.path, 100);
    const first = await start(folder.path);
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS value');
    await first.stop();
    const filler = join(folder.path, 'filler');
    await expect(writeFile(filler, Buffer.alloc(100 * 2 ** 20))).rejects.toThrow('ENOSPC');
    await expect(start(folder.path)).rejects.toThrow(/The disk that holds the data folder .* is full/);
    await rm(filler);
    const second = await start(folder.path);
    expect(await query(second.connection, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await second.stop();
  });
});
