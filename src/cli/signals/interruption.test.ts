import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { findEmbedded, startEmbedded } from '../../db/embedded/embedded.ts';
import { lockDataFolder } from '../../db/embedded/folder.ts';
import { findServer } from '../../db/embedded/process.ts';
import type { TestBody } from '../../testing/harness.ts';
import { temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const dataDir = temporaryDataFolder({ prepared: true });
const files = temporaryDataFolder();
const env = { TRADELOOM_DATA_DIR: dataDir };
/** Contacts of an import that goes on for long enough to be interrupted. */
const MANY = 25_000;
const INTERRUPTED = { by: 'SIGINT', stderr: 'Interrupted.\n' };

beforeAll(async () => {
  expect((await tradeloom(['companies', 'create', '--name', 'Shop'], env)).code).toBe(0);
}, 300_000);

async function json(...args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], env);
  expect([outcome.stderr, outcome.code]).toEqual(['', 0]);
  return JSON.parse(outcome.stdout);
}

interface Started {
  child: ChildProcess;
  ended: Promise<{ by: NodeJS.Signals | null; stderr: string }>;
}

function start(args: string[], own: Record<string, string> = env): Started {
  return startNode([MAIN, ...args], own);
}

/** Runs the text as a program that has `interruptible`. */
function script(text: string): Started {
  const url = new URL('interruption.ts', import.meta.url);
  const program = `import { interruptible } from ${JSON.stringify(url)};${text}`;
  return startNode(['--input-type=module', '--eval', program]);
}

function startNode(args: string[], own: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...own },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([, by]) => ({ by: by as NodeJS.Signals | null, stderr })) };
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  const deadline = monotonicMs() + 60_000;
  while (!(await reached())) {
    if (monotonicMs() > deadline) throw new Error('The command did not get so far in 60 s');
    await sleep(20);
  }
}

async function openFilesOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  return Promise.all((await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')));
}

/** Waits until an import of this status was found, in the server that the command has started. */
async function untilImport(condition: string): Promise<void> {
  await until(async () => {
    const connection = await findEmbedded(dataDir).catch(() => undefined);
    if (connection === undefined) return false;
    const client = new pg.Client(connection);
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(`select from imports where ${condition}`)).rows.length > 0;
    } catch {
      // The server is starting.
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
}

const importOf = (file: string): string[] => ['import', 'csv-contacts', file, '--company', '1', '--consent', 'never'];

test('an interrupted upload leaves neither a database server nor an open import', { timeout: 300_000 }, async () => {
  const pipe = join(files, 'endless.csv');
  execFileSync('mkfifo', [pipe]);
  let writer: FileHandle | undefined;
  const { child, ended } = start(importOf(pipe));
  try {
    writer = await open(pipe, 'w');
    await writer.write('email,first name\na@example.com,A\n');
    await untilImport(`file_name = 'endless.csv' and status = 'uploading'`);
    child.kill('SIGINT');
    expect(await ended).toEqual(INTERRUPTED);
  } finally {
    child.kill('SIGKILL');
    await writer?.close().catch(() => {});
  }
  expect(await findServer(join(dataDir, 'postgres'))).toBeUndefined();
  const { imports } = await json('imports', 'list', '--company', '1');
  expect(imports).toMatchObject([{ file_name: 'endless.csv', status: 'cancelled' }]);
});

test('an interrupted import ends early, and says how to undo it', { timeout: 300_000 }, async () => {
  const file = join(files, 'many.csv');
  const rows = Array.from({ length: MANY }, (_, i) => `person-${i}@example.com,Person ${i}\n`);
  writeFileSync(file, `email,first name\n${rows.join('')}`);
  const { child, ended } = start(importOf(file));
  try {
    await untilImport(`file_name = 'many.csv' and status = 'running' and created > 5000`);
    child.kill('SIGTERM');
    const { by, stderr } = await ended;
    expect(by).toBe('SIGTERM');
    expect(stderr).toMatch(/^Interrupted\.\nImport \d+ ended early: \d+ records created, 0 updated\. To undo/);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await findServer(join(dataDir, 'postgres'))).toBeUndefined();
  const { imports } = await json('imports', 'list', '--company', '1');
  const [{ id, status, created }] = imports;
  expect([status, created < MANY]).toEqual(['done', true]);

  // The undo takes the last rows first, and waits for this one.
  const server = await startEmbedded({ dataDir, log: () => {} });
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query('begin');
  await client.query(`select from contacts where email = 'person-0@example.com' for update`);
  const undoing = start(['imports', 'undo', String(id), '--company', '1']);
  try {
    await untilImport(`id = ${id} and status = 'undoing' and undone > 0`);
    undoing.child.kill('SIGINT');
    // Longer than a turn of the worker, which would go on otherwise.
    await sleep(300);
    await client.query('rollback');
    expect(await undoing.ended).toEqual(INTERRUPTED);
  } finally {
    undoing.child.kill('SIGKILL');
    await client.end();
    await server.stop();
  }
  expect(await json('imports', 'undo', String(id), '--company', '1')).toMatchObject({
    status: 'undone',
    undone: created,
  });
});

test('an interrupted backup leaves neither a server nor a draft', { timeout: 300_000 }, async () => {
  const folder = join(files, 'backups');
  mkdirSync(folder);
  const { child, ended } = start(['backup', folder, '--max-rate', '1']);
  try {
    await until(async () => (await readdir(folder)).length > 0);
    child.kill('SIGINT');
    expect(await ended).toEqual(INTERRUPTED);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await findServer(join(dataDir, 'postgres'))).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});

test('a command that waits for the data folder ends at once', { timeout: 300_000 }, async () => {
  const release = lockDataFolder(dataDir);
  const { child, ended } = start(['keys', 'list', '--company', '1']);
  try {
    // It has the folder's lock file open only while it tries.
    await until(async () => (await openFilesOf(child.pid!)).includes(join(dataDir, 'postgres.lock')));
    const began = monotonicMs();
    child.kill('SIGINT');
    expect(await ended).toEqual(INTERRUPTED);
    expect(monotonicMs() - began).toBeLessThan(10_000);
  } finally {
    child.kill('SIGKILL');
    release();
  }
});

test('a closed terminal does not keep the server from being stopped', { timeout: 300_000 }, async () => {
  const folder = join(files, 'unheard');
  mkdirSync(folder);
  const { child, ended } = start(['backup', folder, '--max-rate', '1']);
  try {
    await until(async () => (await readdir(folder)).length > 0);
    // Nobody reads what the command says.
    child.stderr!.destroy();
    child.kill('SIGTERM');
    expect((await ended).by).toBe('SIGTERM');
  } finally {
    child.kill('SIGKILL');
  }
  expect(await findServer(join(dataDir, 'postgres'))).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});

test('a failing step before the end does not prevent the other steps', { timeout: 300_000 }, async () => {
  const { child, ended } = script(`
    await interruptible(async ({ before }) => {
      before(async () => process.stderr.write('The server is stopped.\\n'));
      before(() => Promise.reject(new Error('The import has ended meanwhile')));
      process.stderr.write('Ready.\\n');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`);
  await once(child.stderr!, 'data');
  child.kill('SIGINT');
  expect(await ended).toEqual({
    by: 'SIGINT',
    stderr: 'Ready.\nInterrupted.\nThe import has ended meanwhile.\nThe server is stopped.\n',
  });
});

test('an interrupted restore leaves neither a server nor files', { timeout: 300_000 }, async () => {
  const { file, first_wal } = await json('backup', join(files, 'shop.tar.zst'));
  const target = join(files, 'restored');
  const archive = join(files, 'archive');
  mkdirSync(archive);
  // The server waits for this part of the log for ever.
  execFileSync('mkfifo', [join(archive, first_wal)]);
  const args = ['restore', file, '--data-dir', target, '--no-master-key', '--wal', archive];
  const { child, ended } = start(args, {});
  let draft = '';
  try {
    await until(async () => {
      const names = existsSync(target) ? await readdir(target) : [];
      draft = join(target, names.find((name) => name.startsWith('postgres.new-')) ?? 'none');
      return (await findServer(draft)) !== undefined;
    });
    child.kill('SIGINT');
    expect(await ended).toEqual(INTERRUPTED);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await findServer(draft)).toBeUndefined();
  expect(existsSync(draft)).toBe(false);
});
