import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDockerfile, type Stage } from './dockerfile.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCKERFILE = fileURLToPath(new URL('./Dockerfile', import.meta.url));
export const DOCKERFILE_TEXT = readFileSync(DOCKERFILE, 'utf8');

/** Maps a path of the build stage to a folder of this machine: there, everything is below /build. */
type Mapped = (path: string) => string;

/**
 * Executes the Dockerfile without Docker: the build stage in a folder with a copy of the repository, the last stage into another
 * folder, which is then the root of the image. The base image's files are missing: `addLibraries` adds those that Node needs.
 * @param built the folder to publish, made before, in place of building it from a copy of the repository
 */
export function makeRootfs(folder: string, built: string | null): { rootfs: string; stage: Stage } {
  const [build, last] = readDockerfile(DOCKERFILE_TEXT);
  if (build === undefined || last === undefined) throw new Error('The Dockerfile has no two stages');
  const builder = join(folder, 'build');
  runBuild(build, (path) => path.replace(/^\/build/, builder), built);
  const rootfs = join(folder, 'rootfs');
  copyLast(last, (path) => path.replace(/^\/build/, builder), rootfs);
  return { rootfs, stage: last };
}

function runBuild({ instructions }: Stage, mapped: Mapped, built: string | null): void {
  let workdir = '/';
  for (const { name, rest } of instructions) {
    if (name === 'WORKDIR') {
      workdir = rest;
      mkdirSync(mapped(workdir), { recursive: true });
    } else if (name === 'COPY') {
      if (built === null) copyContext(rest.split(/\s+/), mapped(workdir));
    } else if (name === 'RUN') {
      if (built !== null && rest === BUILD) cpSync(built, join(mapped(workdir), 'dist/package'), { recursive: true });
      else runStep(rest, mapped(workdir));
    } else throw new Error(`The test does not know ${name} in the stage that builds`);
  }
}

/** The step that makes the folder to publish. */
const BUILD = 'node packaging/npm/build.ts';

function runStep(command: string, cwd: string): void {
  // Development packages are those of the repository, installed from the same lock file.
  if (command === 'npm ci --ignore-scripts') {
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    return;
  }
  // Packages come from npm's cache where they are in it.
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  execFileSync('sh', ['-euc', command], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** COPY from the repository, without what .dockerignore names. */
function copyContext(words: string[], to: string): void {
  const kept = (path: string): boolean => !isIgnored(relative(ROOT, path));
  for (const from of words.slice(0, -1)) {
    const target = from === '.' ? to : join(to, from);
    cpSync(join(ROOT, from), target, { recursive: true, filter: kept });
  }
}

const IGNORED = readFileSync(`${DOCKERFILE}.dockerignore`, 'utf8').trim().split('\n').map(patternOf);

/** Whether .dockerignore keeps a path of the repository, such as `packaging/docker/.env`, out of the build. */
export function isIgnored(path: string): boolean {
  return IGNORED.some((pattern) => pattern.test(path));
}

/** A line of .dockerignore. Other than in a shell, `*` matches names that begin with a dot, too. */
function patternOf(line: string): RegExp {
  const [, anywhere, rest] = /^(\*\*\/)?(.+)$/.exec(line)!;
  const names = rest!.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`^${anywhere === undefined ? '' : '(?:.*/)?'}${names}(?:/|$)`);
}

/** COPY --from=build of the last stage. */
function copyLast({ instructions }: Stage, mapped: Mapped, rootfs: string): void {
  let workdir = '/';
  for (const { name, flags, rest } of instructions) {
    if (name === 'WORKDIR') workdir = rest;
    if (name !== 'COPY') continue;
    if (flags.from !== 'build') throw new Error('The last stage copies from somewhere else than the stage that builds');
    const words = rest.split(/\s+/);
    const target = join(rootfs, words.at(-1)!.startsWith('/') ? '/' : workdir, words.at(-1)!);
    for (const from of words.slice(0, -1).map(mapped)) {
      const to = words.length > 2 ? join(target, basename(from)) : target;
      mkdirSync(dirname(to), { recursive: true });
      cpSync(from, to, { recursive: true });
      if (flags.chown !== undefined) execFileSync('chown', ['-R', flags.chown, to]);
    }
  }
}

/** From Debian's package libc6, which the base image contains completely; libvips needs the first. */
const OF_LIBC = ['libresolv.so.2', 'librt.so.1', 'libnss_dns.so.2', 'libnss_files.so.2'];

/** Adds what the base image has and Node needs: its dynamic libraries, certificates, and folders to mount on. */
export function addLibraries(rootfs: string, program: string): void {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  const paths = [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path!);
  const libc = dirname(paths.find((path) => path.endsWith('/libc.so.6'))!);
  for (const path of [...paths, ...OF_LIBC.map((name) => join(libc, name)).filter(existsSync)]) {
    mkdirSync(dirname(join(rootfs, path)), { recursive: true });
    copyFileSync(path, join(rootfs, path));
  }
  for (const folder of ['proc', 'dev', 'tmp', 'etc']) mkdirSync(join(rootfs, folder), { recursive: true });
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  if (!existsSync(certificates)) return;
  mkdirSync(dirname(join(rootfs, certificates)), { recursive: true });
  copyFileSync(certificates, join(rootfs, certificates));
}
