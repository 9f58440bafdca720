import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBody } from '../testing/harness.ts';
import { copyPreparedDatabase, type Program, startProgram, tradeloom } from '../testing/program.ts';
import { findEmbedded } from './embedded/embedded.ts';
import { mayMount, mountSmallDisk, scratchFolder } from './embedded/fixtures.ts';
import { stopServer } from './embedded/process.ts';
import { DatabaseUnavailable, refusesWrites } from './unavailable.ts';

/** Megabytes for the whole data folder; an empty shop takes about two thirds. */
const DISK_MB = 160;

describe('a full disk', () => {
  it('is told by its code, and no other want is taken for it', () => {
    const error = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code });
    expect(['53100', '53200', '53300', '23505'].filter((code) => refusesWrites(error(code)))).toEqual(['53100']);
    expect(refusesWrites(new DatabaseUnavailable('gone'))).toBe(false);
    // A server that accepts a new connection may have to write a file first.
    expect(refusesWrites(new DatabaseUnavailable('not reached', error('53100')))).toBe(true);
    expect(refusesWrites(new DatabaseUnavailable('not reached', error('53300')))).toBe(false);
  });

  if (!mayMount()) {
    process.stderr.write('SKIPPED: no disk can be mounted here, a full one is not tried on this machine\n');
    return;
  }

  describe('under the embedded database', () => {
    /** Disposed of from the last to the first, whatever fails: the disk is always unmounted. */
    const ends = new AsyncDisposableStack();
    const acknowledged: string[] = [];
    let dataDir: string;
    let program: Program;
    let keys: { unlimited: string; limited: string };
    let product: number;

    beforeAll(async () => {
      dataDir = ends.use(await scratchFolder()).path;
      ends.use(await mountSmallDisk(dataDir, DISK_MB));
      ends.defer(() => stopServer(join(dataDir, 'postgres')));
      copyPreparedDatabase(dataDir);
      program = await startProgram(['--empty', '--data-dir', dataDir]);
      ends.defer(async () => {
        await program.end('SIGTERM');
      });
      const company = String((await command('companies', 'create', '--name', 'Corner shop')).company_id);
      const key = async (...more: string[]): Promise<string> =>
        (await command('keys', 'create', '--company', company, '--name', 'till', '--scope', '*', ...more)).key;
      keys = { unlimited: await key('--requests-per-hour', '0'), limited: await key() };
      product = (await write('first')).body.data.id;
    });

    afterAll(() => ends.disposeAsync());

    async function command(...args: string[]): Promise<TestBody> {
      const { stdout } = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
      return JSON.parse(stdout);
    }

    async function call(method: string, path: string, body?: unknown, key = keys.unlimited) {
      const response = await fetch(program.origin + path, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: JSON.parse(text) as TestBody };
    }

    /** Writes one row of some kilobytes, to a table that has to grow for it. */
    async function write(name: string) {
      const description = Array.from({ length: 200 }, (_, i) => `${name} ${(i * 7_919) ** 3}`)
        .join(' ')
        .slice(0, 4_000);
      const made = await call('POST', '/commerce/v1/products', { name, price: 100, description });
      if (made.status === 201) acknowledged.push(name);
      return made;
    }

    const ready = async (): Promise<number> => (await fetch(`${program.origin}/health/ready`)).status;
    const live = async (): Promise<number> => (await fetch(`${program.origin}/health/live`)).status;

    /** Uses up all free space, to the last byte. */
    async function fillDisk(): Promise<() => Promise<void>> {
      const path = join(dataDir, 'filler');
      const file = await open(path, 'w');
      try {
        for (const size of [2 ** 20, 4_096]) {
          const block = Buffer.alloc(size);
          for (let full = false; !full; ) {
            full = await file.write(block).then(
              ({ bytesWritten }) => bytesWritten < size,
              (error: NodeJS.ErrnoException) => {
                if (error.code !== 'ENOSPC') throw error;
                return true;
              },
            );
          }
        }
      } finally {
        await file.close();
      }
      return () => rm(path);
    }

    /** Returns the first refusal of a write, which comes at the latest when the pages that were free are full. */
    async function refusal(prefix: string) {
      for (let i = 0; i < 2_000; i++) {
        const made = await write(`${prefix} ${i}`);
        if (made.status !== 201) return made;
      }
      throw new Error('All was written to a full disk');
    }

    function expectRefused({ status, headers, body }: Awaited<ReturnType<typeof call>>): void {
      expect({ status, retry: headers.get('retry-after'), error: body.error }).toMatchObject({
        status: 500,
        retry: '2',
        error: { details: { reason: 'database_unavailable' } },
      });
    }

    async function expectWhole(): Promise<void> {
      const names: string[] = [];
      for (let page = 1; ; page++) {
        const { body } = await call('GET', `/commerce/v1/products?per_page=100&page=${page}`);
        names.push(...body.data.map(({ name }: TestBody) => name));
        if (page >= body.meta.pagination.total_pages) break;
      }
      expect(acknowledged.filter((name) => !names.includes(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      expect(await command('doctor')).toMatchObject({ ok: true });
    }

    it('writes are refused, reads go on, the program is not ready, and all recovers when there is room', async () => {
      expect(await ready()).toBe(200);
      // Over existing connections: PostgreSQL may have to write a file before it accepts a new one.
      const reads = async (key: string) => [
        await call('GET', `/commerce/v1/products/${product}`, undefined, key),
        await call('GET', '/commerce/v1/products', undefined, key),
      ];
      for (const key of Object.values(keys)) await reads(key);
      const free = await fillDisk();
      try {
        expectRefused(await refusal('full'));
        expect([await live(), await ready()]).toEqual([200, 503]);
        for (const key of Object.values(keys)) {
          const [read, listed] = await reads(key);
          expect([read!.status, read!.body.data?.name, listed!.status]).toEqual([200, 'first', 200]);
        }
        expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain('PANIC');
      } finally {
        await free();
      }
      await expect.poll(ready, { timeout: 60_000 }).toBe(200);
      expect((await write('with room again')).status).toBe(201);
      await expectWhole();
    });

    it('where no log of transactions can be written the database panics, and comes back when there is room', async () => {
      // Connects while there is room: a new connection may have to write a file of its own first.
      const client = new pg.Client((await findEmbedded(dataDir))!);
      client.on('error', () => {});
      await client.connect();
      const free = await fillDisk();
      try {
        // A new WAL segment needs 16 MB that are not there. Segments kept for reuse are used up first, each with a
        // record of its own, because the server does not switch away from a segment without one.
        const SWITCH = "select pg_logical_emit_message(false, 'full', 'x'), pg_switch_wal()";
        const panic = async (): Promise<string> => {
          await client.query(SWITCH).catch(() => undefined);
          return readFile(join(dataDir, 'postgres.log'), 'utf8');
        };
        await expect.poll(panic).toMatch(/PANIC: .*No space left on device/);
        expectRefused(await refusal('panicked'));
        expect([await live(), await ready()]).toEqual([200, 503]);
        expect(program.process.exitCode).toBeNull();
      } finally {
        await free();
        await client.end();
      }
      await expect.poll(ready, { timeout: 60_000, interval: 250 }).toBe(200);
      // Each old connection turns out to be gone only when it is used: that request gets an error and is to be retried.
      const soon = (request: () => Promise<{ status: number }>, status: number) =>
        expect.poll(async () => (await request()).status).toBe(status);
      await soon(() => write('after the panic'), 201);
      await soon(() => call('GET', `/commerce/v1/products/${product}`, undefined, keys.limited), 200);
      await soon(() => call('GET', '/commerce/v1/products'), 200);
      await expectWhole();
      expect(program.process.exitCode).toBeNull();
    });
  });
});
