import { execFile } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listMigrations } from '../../db/migrating/migration-files.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Programs without this file run only on their own schema. */
const TOLERANT = 'src/db/migrating/compatibility.ts';
const MIGRATIONS = 'src/db/migrations';

export interface OlderTree {
  commit: string;
  folder: string;
  main: string;
  /** Migrations that the older program does not know. */
  newer: string[];
}

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();

/**
 * Extracts the older program to a temporary folder: the first of the candidates whose schema this one continues. Returns a text that says
 * why there is none.
 * @param wanted a commit by name, instead of these
 */
export async function olderTree(wanted: string | undefined): Promise<OlderTree | string> {
  const isShallow = await git('rev-parse', '--is-shallow-repository').catch(() => null);
  if (isShallow === null) return 'this is no clone of the repository';
  if (isShallow === 'true') return 'the clone is shallow: git fetch --unshallow';
  const migrations = await listMigrations();
  const here = migrations.map(({ name }) => name);
  const incompatible = new Set(migrations.filter(({ isCompatible }) => !isCompatible).map(({ name }) => name));
  const paths = here.map((name) => join(MIGRATIONS, name));
  const hashes = (await git('hash-object', ...paths)).split('\n');
  for (const commit of wanted === undefined ? await candidates() : [wanted]) {
    if ((await git('cat-file', '-t', `${commit}:${TOLERANT}`).catch(() => null)) === null) continue;
    const known = (await git('ls-tree', `${commit}:${MIGRATIONS}`))
      .split('\n')
      .map((line) => line.split(/\s/))
      .map(([, , hash, name]) => ({ hash, name: name! }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    // Migration files that were renumbered or changed before a release form a different schema.
    if (known.some(({ hash, name }, i) => here[i] !== name || hashes[i] !== hash)) continue;
    const newer = here.slice(known.length);
    // An older program refuses the schema of such a migration.
    if (newer.some((name) => incompatible.has(name))) continue;
    return { commit, ...(await unpack(commit)), newer };
  }
  return `no commit before has a schema that this one goes on from${wanted === undefined ? '' : `, nor has ${wanted}`}`;
}

/** The newest release, the commits before each of the newest migrations, the last commit that changed one, and the newest commit. */
async function candidates(): Promise<string[]> {
  const tag = await git('describe', '--tags', '--abbrev=0').catch(() => null);
  const options = ['-20', '--first-parent', '-m', '--no-renames', '--diff-filter=A', '--format=%H'];
  const added = await git('log', ...options, '--', MIGRATIONS);
  const before = added.split('\n').map((commit) => `${commit}^`);
  const changed = await git('log', '-1', '--format=%H', '--', MIGRATIONS);
  return [...(tag === null ? [] : [tag]), ...before, changed, 'HEAD'];
}

async function unpack(commit: string): Promise<{ folder: string; main: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tradeloom-older-'));
  const archive = join(folder, 'tree.tar');
  await git('archive', '--output', archive, commit, 'src', 'package.json', 'admin');
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, main: join(folder, 'src', 'main.ts') };
}
