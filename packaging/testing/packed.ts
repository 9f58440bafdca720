import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildPackage } from '../npm/build.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/package');
/** What the package is made from. */
const SOURCES = [
  '{src,client,packaging/npm}/**',
  'admin/dist/**',
  'docs/**',
  'docs/.vitepress/**',
  '*.{json,md}',
  'LICENSE',
];

/**
 * Returns the folder to publish, with the builds of the admin app and the documentation that there are. It is made once for each state of
 * the files: the tests of the package and of the image share it, and must not change it.
 */
export async function packedPackage(): Promise<string> {
  const folder = join(CACHE, stateOfFiles());
  while (!existsSync(folder)) {
    const release = lock();
    if (release === null) await sleep(200);
    else {
      try {
        await makePackage(folder);
      } finally {
        release();
      }
    }
  }
  return folder;
}

async function makePackage(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  for (const older of globSync('*/', { cwd: CACHE })) rmSync(join(CACHE, older), { recursive: true });
  const draft = join(CACHE, `draft-${process.pid}`);
  await buildPackage(draft, { adminApp: false });
  renameSync(draft, folder);
}

/** Returns a function that releases the lock; null while another process that runs has it. */
function lock(): (() => void) | null {
  const file = join(CACHE, 'lock');
  mkdirSync(CACHE, { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return () => rmSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isRunning(file)) rmSync(file, { force: true });
    return null;
  }
}

function isRunning(file: string): boolean {
  const pid = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // Without a number it is just being written, or gone.
  if (pid === '') return true;
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

function stateOfFiles(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT, exclude: (path) => path.endsWith('node_modules') }),
  );
  for (const file of [...new Set(files)].sort()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    if (!statSync(join(ROOT, file)).isDirectory()) hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
