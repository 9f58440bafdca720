import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EmbeddedPostgres, startEmbedded } from '../../db/embedded/embedded.ts';
import { connectionUrl } from '../global-setup.ts';
import { ROOT } from '../house/sources.ts';
import type { Order, Verdict } from './runner.ts';

/** Not committed, but there for the tests. */
const BUILT = ['node_modules', 'admin/dist', 'docs/.vitepress/dist', 'client/dist'];

/** A copy of the tree in which files are changed, with a PostgreSQL for all its tests. */
export interface Sandbox {
  write(path: string, text: string): Promise<void>;
  /** Runs test files; returns what failed first, or null. Whoever takes longer has failed. */
  run(files: string[], changed: string[], mostMs: number): Promise<string | null>;
  /** Checks the types of the copy; returns the first error, or null. */
  checkTypes(): string | null;
  close(): Promise<void>;
}

export async function openSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'tradeloom-mutants-'));
  const tree = join(folder, 'tree');
  await copyTree(tree);
  const postgres: EmbeddedPostgres = await startEmbedded({
    dataDir: join(folder, 'data'),
    log: () => {},
    extraSettings: { fsync: 'off', max_connections: '200' },
  });
  let child: ChildProcess | undefined;

  function start(): ChildProcess {
    return fork(join(tree, 'src/testing/mutants/runner.ts'), {
      cwd: tree,
      // All that the tests start belongs to its group.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, TEST_DATABASE_URL: connectionUrl(postgres.connection) },
    });
  }

  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const gone = once(ending, 'exit');
    process.kill(-ending.pid!, 'SIGKILL');
    await gone;
  }

  return {
    write: (path, text) => writeFile(join(tree, path), text),
    async run(files, changed, mostMs) {
      // The template database is made when Vitest starts.
      if (changed.some((path) => /^src\/db\/(migrat|barrier)/.test(path))) await end();
      child ??= start();
      const order: Order = { files, changed: changed.map((path) => join(tree, path)) };
      const settled = new AbortController();
      const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(Math.ceil(mostMs))]);
      child.send(order);
      const told = await Promise.race([
        once(child, 'message', { signal }).catch(() => null),
        once(child, 'exit', { signal }).catch(() => null),
      ]);
      settled.abort();
      const verdict = told?.[0] as Verdict | number | null | undefined;
      if (typeof verdict === 'object' && verdict !== null) return verdict.failed;
      await end();
      return told === null ? `nothing within ${Math.round(mostMs / 1000)} s` : 'the process that runs the tests ended';
    },
    checkTypes() {
      try {
        execFileSync(join(tree, 'node_modules/.bin/tsc'), ['-p', '.', '--checkers', '2'], {
          cwd: tree,
          encoding: 'utf8',
        });
        return null;
      } catch (error) {
        return String((error as { stdout?: string }).stdout).split('\n')[0]!;
      }
    },
    async close() {
      await end();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies what is committed or would be, and points at what is built. */
async function copyTree(tree: string): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    // A file that is deleted and not committed.
    await cp(join(ROOT, path), join(tree, path), { verbatimSymlinks: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  for (const path of BUILT) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await symlink(join(ROOT, path), join(tree, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
