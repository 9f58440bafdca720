import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { findEmbedded, startEmbedded } from '../../db/embedded/embedded.ts';
import type { TestBody } from '../../testing/harness.ts';
import { startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const CALLERS = 8;

const original = temporaryDataFolder({ prepared: true });
const backups = temporaryDataFolder();
const archive = join(backups, "the shop's 100 % archive");
const WAL = { TRADELOOM_WAL_ARCHIVE: archive };

/** What the shop had acknowledged at different times. */
let beforeBackup: number[];
let beforeMoment: number[];
let all: number[];
let moment: Date;
let file: string;

async function json(dataDir: string, args: string[], env: Record<string, string> = {}) {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir, ...env });
  expect(outcome.stderr).toBe('');
  expect(outcome.code).toBe(0);
  return JSON.parse(outcome.stdout) as Record<string, never>;
}

/** A data folder with what a restore needs in addition to the backup. */
async function folderWithKey(): Promise<string> {
  const folder = temporaryDataFolder();
  await cp(join(original, 'master.key'), join(folder, 'master.key'));
  return folder;
}

/** Runs the database server of the folder for the commands and queries that share it. */
async function withServer(dataDir: string, work: () => Promise<void>): Promise<void> {
  const server = await startEmbedded({ dataDir, log: () => {}, extraSettings: { fsync: 'off' } });
  try {
    await work();
  } finally {
    await server.stop();
  }
}

async function query<Row extends object>(dataDir: string, text: string): Promise<Row[]> {
  const client = new pg.Client(await findEmbedded(dataDir));
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function ordersIn(dataDir: string): Promise<Set<number>> {
  const rows = await query<{ id: string }>(dataDir, 'select id from orders');
  return new Set(rows.map(({ id }) => Number(id)));
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(reached: () => boolean): Promise<void> {
  for (let tries = 0; !reached(); tries++) {
    if (tries > 600) throw new Error('The load did not get so far in 30 s');
    await sleep(50);
  }
}

/** A shop that receives orders all the time, with a backup in the middle, and later an erasure and a mistake that is to be undone. */
beforeAll(async () => {
  const program = await startProgram(['--empty', '--data-dir', original], WAL);
  const { company_id: company } = await json(original, ['companies', 'create', '--name', 'Shop']);
  const words = ['--company', String(company), '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(original, ['keys', 'create', ...words]);
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': String(key) };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(`${program.origin}/commerce/v1${path}`, init);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as TestBody;
  };
  const product = (await call('POST', '/products', { name: 'Before', price: 3, stock_qty: 1_000_000 })).data.id;
  const customer = (await call('POST', '/customers', { email: 'load@example.com' })).data.id;
  const erased = (await call('POST', '/customers', { email: 'erased@example.com' })).data.id;

  const acknowledged: number[] = [];
  let running = true;
  const caller = async () => {
    while (running) {
      const address = { shipping_address: '1', shipping_city: 'X', shipping_zip: '1' };
      const items = [{ product_id: product, qty: 1 }];
      acknowledged.push((await call('POST', '/orders', { customer_id: customer, items, ...address })).data.id);
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  await until(() => acknowledged.length > 100);

  beforeBackup = [...acknowledged];
  const written = await json(original, ['backup', backups]);
  file = String(written.file);
  expect(acknowledged.length).toBeGreaterThan(beforeBackup.length);

  const more = acknowledged.length + 100;
  await until(() => acknowledged.length > more);
  beforeMoment = [...acknowledged];
  moment = new Date();
  await sleep(100);
  await call('PATCH', `/products/${product}`, { name: 'A mistake' });
  await call('DELETE', `/customers/${erased}`);
  await sleep(200);
  running = false;
  await Promise.all(callers);
  all = [...acknowledged];
  expect((await program.end('SIGTERM')).code).toBe(0);
}, 300_000);

describe('a backup that was taken under load', { timeout: 300_000 }, () => {
  it('has every order that was acknowledged before it began, and no broken promise', async () => {
    const folder = await folderWithKey();
    // It takes the key that is in place already.
    const restored = await json(folder, ['restore', file, '--master-key', join(original, 'master.key')]);
    expect(restored).toMatchObject({ sending_held: true, erasures_replayed: 0, closed_secrets: 0 });

    // Queried before anything was started on it.
    await withServer(folder, async () => {
      expect(await json(folder, ['sending', 'status'])).toMatchObject({ because: 'restored' });
      expect(await json(folder, ['doctor'])).toMatchObject({ ok: true });
      const there = await ordersIn(folder);
      expect(beforeBackup.filter((id) => !there.has(id))).toEqual([]);
      expect(there.size).toBeLessThan(all.length);
    });

    const program = await startProgram(['--data-dir', folder]);
    expect(program.stdout()).toContain('Sending is held: this database was restored');
    expect((await program.end('SIGTERM')).code).toBe(0);
  });

  it('goes back to its own data folder, where the journal repeats later erasures', async () => {
    const refused = await tradeloom(['restore', file], { TRADELOOM_DATA_DIR: original });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/holds a database already: stop the program and move that away/);

    const copy = temporaryDataFolder();
    for (const name of ['master.key', 'erasures.log']) await cp(join(original, name), join(copy, name));
    expect(await json(copy, ['restore', file])).toMatchObject({ erasures_replayed: 1 });
    await withServer(copy, async () => {
      expect(await query(copy, "select 1 from customers where email = 'erased@example.com'")).toEqual([]);
      expect(await json(copy, ['doctor'])).toMatchObject({ ok: true });
    });
  });

  it('is recovered from the archive up to a moment, and not further', async () => {
    const folder = await folderWithKey();
    await json(folder, ['restore', file, '--wal', archive, '--until', moment.toISOString()]);
    await withServer(folder, async () => {
      expect(await json(folder, ['sending', 'status'])).toMatchObject({ because: 'restored' });
      const there = await ordersIn(folder);
      expect(beforeMoment.filter((id) => !there.has(id))).toEqual([]);
      expect(there.size).toBeLessThan(all.length);
      expect(await query(folder, 'select name from products')).toEqual([{ name: 'Before' }]);
      expect(await json(folder, ['doctor'])).toMatchObject({ ok: true });
    });
  });

  it('is recovered from the archive to its end when no moment is given, and archives on a timeline of its own', async () => {
    const folder = await folderWithKey();
    await json(folder, ['restore', file], WAL);
    await withServer(folder, async () => {
      expect((await ordersIn(folder)).size).toBe(all.length);
      expect(await query(folder, 'select name from products')).toEqual([{ name: 'A mistake' }]);
    });
    // Into the same archive: no file of the original is in its way.
    const program = await startProgram(['--data-dir', folder], WAL);
    expect((await program.end('SIGTERM')).code).toBe(0);
    expect((await readdir(archive)).filter((name) => name.startsWith('00000002'))).not.toEqual([]);
    expect(await json(folder, ['doctor'], WAL)).toMatchObject({ ok: true });
  });

  it('is refused with a moment that the archive does not reach', async () => {
    const folder = await folderWithKey();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const outcome = await tradeloom(['restore', file, '--wal', archive, '--until', later], {
      TRADELOOM_DATA_DIR: folder,
    });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/^The archive ends before .*: restore an earlier moment, or leave --until out\.\n$/);
    expect((await readdir(folder)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
    expect(await readdir(folder)).not.toContain('postgres');
  });
});

describe('a restore', () => {
  const key = join(original, 'master.key');

  it('that was killed is repeated by the same command, which removes the leftovers', async () => {
    const draftsIn = async (folder: string) =>
      (await readdir(folder)).filter((name) => name.startsWith('postgres.new-'));
    const argsFor = (folder: string) => ['restore', file, '--data-dir', folder, '--master-key', key];
    /** Returns the folder of a restore that was killed while it had a draft; undefined if it ended before. */
    const killedIn = async (folder: string): Promise<string | undefined> => {
      const restore = spawn(process.execPath, ['src/main.ts', ...argsFor(folder)], { stdio: 'ignore' });
      const ended = once(restore, 'close');
      while (restore.exitCode === null && (await draftsIn(folder)).length === 0) await sleep(5);
      restore.kill('SIGKILL');
      await ended;
      return (await draftsIn(folder)).length === 1 ? folder : undefined;
    };
    let found: string | undefined;
    // A restore takes a second, which this process may not get.
    for (let tries = 0; tries < 5 && found === undefined; tries++) found = await killedIn(temporaryDataFolder());
    expect(found).toBeDefined();
    const folder = found!;
    const args = argsFor(folder);
    expect(await readdir(folder)).not.toContain('master.key');

    expect(await tradeloom(args)).toMatchObject({ code: 0, stderr: '' });
    expect(await draftsIn(folder)).toEqual([]);
    expect(await readFile(join(folder, 'master.key'), 'utf8')).toBe(await readFile(key, 'utf8'));
    expect((await stat(join(folder, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await json(folder, ['doctor'])).toMatchObject({ ok: true });
  });

  it('accepts only the key that is already in place', async () => {
    const folder = await folderWithKey();
    const other = join(backups, 'other.key');
    await writeFile(other, `${randomBytes(32).toString('base64')}\n`);
    const outcome = await tradeloom(['restore', file, '--data-dir', folder, '--master-key', other]);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/already exists and differs from the key in/),
    });
    expect(await readdir(folder)).toEqual(['master.key']);
  });

  it.each([
    ['a missing key', 'none.key', archive, /^The master key .* none\.key: the file does not exist\.\n$/],
    ['a key that is none', 'package.json', archive, /^The master key in package\.json must be 32 random bytes.*\.\n$/],
    [
      'a missing archive',
      key,
      '/none',
      /^The archive .* \/none \(--wal, .*\) cannot be read: the folder does not exist\.\n$/,
    ],
    ['a file for an archive', key, 'package.json', /^The archive .* cannot be read: it is no folder\.\n$/],
  ])('with %s is refused in one sentence, before anything is made', async (_, masterKey, wal, sentence) => {
    const folder = join(backups, 'refused');
    const outcome = await tradeloom(['restore', file, '--data-dir', folder, '--master-key', masterKey, '--wal', wal]);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('backup and restore refuse', () => {
  it('to write over a file', async () => {
    const outcome = await tradeloom(['backup', file], { TRADELOOM_DATA_DIR: original });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(/already exists/) });
  });

  it('to write where there is no folder, or onto a full disk, and leave nothing', async () => {
    const full = join(backups, 'full.tar.zst');
    const nowhere = join(backups, 'none', 'x.tar.zst');
    const cases = [
      { target: nowhere, sentence: `The backup ${nowhere} cannot be written: its folder does not exist.\n` },
      { target: full, sentence: `The backup ${full} cannot be written: the disk is full.\n` },
    ];
    await symlink('/dev/full', `${full}.partial`);
    for (const { target, sentence } of cases) {
      const outcome = await tradeloom(['backup', target], { TRADELOOM_DATA_DIR: original });
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: sentence, left: [] });
    }
    expect((await readdir(backups)).filter((name) => /full|partial|none/.test(name))).toEqual([]);
  });

  it('to go on where standard output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [
      ['backup', '-'],
      ['admins', 'list'],
    ]) {
      const words = ['src/main.ts', ...args, '--data-dir', original];
      const { status, stderr } = spawnSync(process.execPath, words, {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect(stderr).toBe('Standard output cannot be written: ENOSPC: no space left on device, write.\n');
      expect(status).toBe(1);
    }
    closeSync(full);
  });

  it('a folder without a database', async () => {
    const outcome = await tradeloom(['backup'], { TRADELOOM_DATA_DIR: join(backups, 'nowhere') });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no database in .*\n$/) });
  });

  it('to restore without the master key, and begin nothing', async () => {
    const folder = join(backups, 'empty');
    await mkdir(folder);
    const outcome = await tradeloom(['restore', file], { TRADELOOM_DATA_DIR: folder });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(/backup does not contain the master key/) });
    expect(await readdir(folder)).toEqual([]);
  });

  it('a journal of erasures that does not exist or is none, before anything is restored', async () => {
    const folder = await folderWithKey();
    const cases = [
      { journal: join(backups, 'erasure.log'), because: /cannot be read: the file does not exist\.\n$/ },
      {
        journal: 'package.json',
        because: /package\.json is no journal of erasures: its line 2 is none of a journal\.\n$/,
      },
    ];
    for (const { journal, because } of cases) {
      for (const args of [
        ['restore', file, '--erasures', journal],
        ['erasures', 'replay', journal],
      ]) {
        const outcome = await tradeloom(args, { TRADELOOM_DATA_DIR: folder });
        expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(because) });
      }
    }
    expect(await readdir(folder)).toEqual(['master.key']);
  });

  it('a database server of its own', async () => {
    for (const args of [['backup'], ['restore', file]]) {
      const outcome = await tradeloom(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      expect(outcome).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/works with the embedded database only/),
      });
    }
  });

  it('a damaged file, and leave the data folder as it was', async () => {
    const folder = await folderWithKey();
    const damaged = join(backups, 'damaged.tar.zst');
    await cp(file, damaged);
    const { truncate, stat } = await import('node:fs/promises');
    await truncate(damaged, (await stat(file)).size - 1_000);
    for (const args of [
      ['restore', damaged],
      ['restore', '--check', damaged],
    ]) {
      const outcome = await tradeloom(args, { TRADELOOM_DATA_DIR: folder });
      expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged|complete|end of file/) });
    }
    expect(await readdir(folder)).not.toContain('postgres');
    await rename(damaged, join(backups, 'seen'));
  });
});
