import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import manifest from '../../package.json' with { type: 'json' };
import { extractScript, SHIPPED_SCRIPT } from '../../src/http/openapi/reference-script.ts';
import { type Lock, type LockedPackage, lockOf } from './locked.ts';
import { bundleSdks } from './sdks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The oldest version with all features used: argon2 of node:crypto came with it. */
const OLDEST_NODE = '>=24.7.0';

/** npm leaves out the lock file unless it is listed. */
const OTHERS = ['CHANGELOG.md', 'LICENSE', 'SECURITY.md'];
const STOREFRONT = 'examples/storefront';
const FILES = ['src', 'client', 'admin/dist', 'docs', STOREFRONT, 'npm-shrinkwrap.json', 'README.md', ...OTHERS];

/**
 * Builds the folder to publish: the program as JavaScript, because Node strips no types below node_modules, the built admin app and
 * documentation, and a lock file. It has the repository's folders, so that paths in the code hold. Needs the development packages.
 * @param folder is emptied first
 * @param adminApp whether to rebuild the admin app and the documentation; otherwise the existing builds are used
 * See docs/design/packaging.md.
 */
export async function buildPackage(folder: string, { adminApp = true } = {}): Promise<void> {
  const copy = (from: string, to = from): void => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(join(ROOT, from), join(folder, to), { recursive: true });
  };
  const writeJson = (name: string, content: object): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // noCheck: `npm test` has checked the types.
  node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'packaging/npm'), '--outDir', folder);
  await bundleSdks(folder);
  copy('src/db/migrations');
  const script = gzipSync(await extractScript(), { level: 9 });
  writeFileSync(join(folder, 'src/http/openapi', SHIPPED_SCRIPT), script);
  if (adminApp || !existsSync(join(ROOT, 'admin/dist/index.html'))) node(join(ROOT, 'admin/build.ts'));
  copy('admin/dist');
  const site = 'docs/.vitepress/dist';
  if (adminApp || !existsSync(join(ROOT, site, 'index.html'))) node(join(ROOT, 'docs/.vitepress/build.ts'));
  // The design notes are for people who work on the program.
  cpSync(join(ROOT, site), join(folder, site), {
    recursive: true,
    filter: (path) => !/\/(assets\/design_|design$)/.test(path),
  });
  for (const file of globSync('docs/{*,guides/*,monitoring/*,proxies/*}', { cwd: ROOT })) {
    if (statSync(join(ROOT, file)).isFile()) copy(file);
  }
  copy(STOREFRONT);
  for (const file of OTHERS) copy(file);
  // The repository's README begins with `npm ci`.
  copy('packaging/npm/README.md', 'README.md');
  const published = publishedManifest();
  writeJson('package.json', published);
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  writeJson('npm-shrinkwrap.json', lockOf({ ...published }, lock));
}

/** Leaves out Node itself, which is installed already, and what only the repository needs. */
function publishedManifest(): LockedPackage {
  const { name, version, license, type, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    manifest;
  return {
    name,
    version,
    license,
    type,
    description: 'Ecommerce and marketing automation in one program on one PostgreSQL',
    bin: { tradeloom: 'src/main.js' },
    engines: { node: OLDEST_NODE },
    files: FILES,
    dependencies,
    optionalDependencies,
    // Installed only for tracing.
    peerDependencies,
    peerDependenciesMeta,
    // For `npm ci` in the unpacked folder: the script makes links between libraries, which npm cannot pack.
    allowScripts: Object.fromEntries(Object.keys(optionalDependencies).map((name) => [name, true])),
  };
}

function node(...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

if (import.meta.main) {
  const folder = join(ROOT, 'dist', 'package');
  await buildPackage(folder);
  process.stdout.write(`${folder}\n`);
}
