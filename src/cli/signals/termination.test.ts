import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import { findServer, stopServer } from '../../db/embedded/process.ts';
import { npmStart, type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const ORDER = { items: [{ product_id: 1, qty: 1 }], guest_email: 'guest@example.com' };

/** Waits until somebody waits for a lock in this database. */
async function waitsForLock(client: pg.Client): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(waiting)).rows.length).toBeGreaterThan(0);
}

/** An order that waits until the lock on the stock is released. */
async function blockedOrder(program: Program, key: string): Promise<{ order: Promise<number>; free(): Promise<void> }> {
  const blocker = new pg.Client(await findEmbedded(dataDir));
  blocker.on('error', () => {});
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select * from product_stock for update');
  const order = fetch(`${program.origin}/commerce/v1/orders`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...ADDRESS, ...ORDER }),
  }).then(
    (response) => response.status,
    () => 0,
  );
  await waitsForLock(blocker);
  const free = async () => {
    await blocker.query('rollback');
    await blocker.end();
  };
  return { order, free };
}

const ADDRESS = {
  customer_id: 1,
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_zip: '10117',
  shipping_country: 'DE',
};

/** Processes on this machine that serve the folder. */
function serversOn(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0-D\0${dataDir}/`);
      } catch {
        return false;
      }
    });
}

const dataDir = temporaryDataFolder({ prepared: true });
/** The demo shop's, which its first start prints. */
let key: string | undefined;

describe('Ctrl-C in the terminal of npm start', { timeout: 300_000 }, () => {
  test.each([1, 2])(
    'reaches all its processes at once, and is one signal: nothing is cut off or left (%i)',
    async () => {
      const program = await npmStart({ TRADELOOM_DATA_DIR: dataDir });
      key ??= /API key +(\S+)/.exec(program.stdout())![1]!;
      const { order, free } = await blockedOrder(program, key);
      const ended = program.endGroup('SIGINT');
      await sleep(100);
      await free();
      expect((await ended).code).toBe(0);
      expect(await order).toBe(201);
      // npm may end before the program that it started.
      await expect.poll(() => serversOn(dataDir), { timeout: 60_000 }).toEqual([]);
    },
  );
});

describe('a second signal', { timeout: 300_000 }, () => {
  test('more than 2 s after the first ends the program before its requests, but not before its database', async () => {
    const program = await startProgram(['--data-dir', dataDir]);
    const { order, free } = await blockedOrder(program, key!);
    const began = monotonicMs();
    const ended = program.end('SIGTERM');
    // It has taken the signal once it listens no more.
    await expect.poll(() => fetch(`${program.origin}/health/live`).catch(() => 'refused')).toBe('refused');
    // A machine that took so long cannot show what a signal soon after the first one does.
    if (monotonicMs() - began < 2_000) {
      program.process.kill('SIGTERM');
      await sleep(500);
      expect(program.process.exitCode).toBeNull();
    }
    await sleep(2_000);
    program.process.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/\nEnded by a second signal/) });
    expect(await order).not.toBe(201);
    expect(serversOn(dataDir)).toEqual([]);
    await free().catch(() => {});
  });
});

describe('a server that was left', { timeout: 300_000 }, () => {
  const [left, other] = [temporaryDataFolder({ prepared: true }), temporaryDataFolder({ prepared: true })];

  test('is named by the next start elsewhere and by doctor, and taken over by the next on its folder', async () => {
    const killed = await startProgram(['--data-dir', left, '--empty']);
    await killed.end('SIGKILL');
    const { pid } = (await findServer(`${left}/postgres`))!;
    const line = `A PostgreSQL server that no program uses still runs on ${left}: end it with kill -INT ${pid}.`;
    const program = await startProgram(['--data-dir', other, '--empty']);
    const { left_servers } = JSON.parse((await tradeloom(['doctor', '--json', '--data-dir', other])).stdout);
    expect(left_servers).toContainEqual({ pid, dataDir: left });
    expect((await program.end('SIGTERM')).left).toContain(`${line}\n`);
    const next = await startProgram(['--data-dir', left]);
    expect(next.stdout()).toContain('Took over');
    const ended = await next.end('SIGTERM');
    expect([ended.code, ended.left.includes(`${line}\n`)]).toEqual([0, false]);
    await stopServer(`${left}/postgres`);
  });
});
