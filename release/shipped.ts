import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type Lock, lockOf } from '../packaging/npm/locked.ts';
import { SDKS } from '../packaging/npm/sdks.ts';

const { name, version, dependencies, optionalDependencies, devDependencies } = manifest;

/** Packages of which a release has the code, by their exact versions: those that it installs, and the SDKs inside its modules. */
export const SHIPPED: Record<string, string> = {
  ...dependencies,
  ...optionalDependencies,
  ...Object.fromEntries(Object.values(SDKS).map(([sdk]) => [sdk, devDependencies[sdk]])),
};

/**
 * Calls `use` with a temporary folder that has a package.json and a lock file of all that a release contains, without development
 * packages, for commands of npm that read these files. Needs no registry.
 * @throws Error where the lock file lacks a package
 */
export function withShippedLock<T>(use: (folder: string) => T): T {
  const root = { name, version, dependencies: SHIPPED };
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lock;
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-shipped-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockOf(root, lock)));
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
