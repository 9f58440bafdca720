import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import repository from '../../package.json' with { type: 'json' };
import { databaseOf } from '../../src/testing/global-setup.ts';
import { type FreezableProxy, freezableProxy } from '../../src/testing/proxy.ts';
import { packedPackage } from '../testing/packed.ts';
import { bytesBelow, MEGABYTE } from '../testing/sizes.ts';
import { environmentOf, lastOf, readDockerfile, type Stage, wordsOf } from './dockerfile.ts';
import { addLibraries, DOCKERFILE_TEXT, makeRootfs } from './rootfs.ts';

/** The tests' PostgreSQL does not sync, which production refuses. So there is a demo shop, and its key is printed. */
const DEVELOPMENT = { TRADELOOM_MODE: 'development', TRADELOOM_PRINT_SECRETS: '1', LOG_LEVEL: 'info' };

/** gcr.io/distroless/cc-debian12: glibc, libstdc++, certificates, time zones. It has 24 MB. */
const BASE_MB = 25;

/** IMAGE_BUILD=full builds the package from the build context, too, as Docker does, with the admin app and the documentation. */
const FULL = process.env.IMAGE_BUILD === 'full';

const [builder, last] = readDockerfile(DOCKERFILE_TEXT);

describe('the Dockerfile', () => {
  it('builds with the Node of package.json', () => {
    expect(builder!.base).toBe(`node:${repository.devDependencies.node}-bookworm`);
  });

  it('ends in an image that runs the program itself as a user without rights, and is asked for its health', () => {
    expect(lastOf(last!, 'USER').rest).toBe('65532:65532');
    expect(lastOf(last!, 'STOPSIGNAL').rest).toBe('SIGTERM');
    expect(wordsOf(lastOf(last!, 'ENTRYPOINT'))).toEqual(['/usr/local/bin/node', '/app/src/main.js']);
    expect(wordsOf(lastOf(last!, 'CMD'))).toEqual(['start']);
    expect(environmentOf(last!)).toMatchObject({ TRADELOOM_MODE: 'production', HOST: '0.0.0.0' });
    expect(last!.instructions.map(({ name }) => name)).not.toContain('RUN');
  });
});

const mayMount = process.getuid?.() === 0 && canMount();
if (!mayMount) process.stdout.write('SKIPPED the root file system of the image: it needs a root that may mount\n');

describe.runIf(mayMount)('the root file system that its steps make', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-image-'));
  const data = join(folder, 'data');
  const masterKey = randomBytes(32).toString('base64');
  let rootfs: string;
  let stage: Stage;
  let proxy: FreezableProxy;
  let port: number;

  beforeAll(async () => {
    ({ rootfs, stage } = makeRootfs(folder, FULL ? null : await packedPackage()));
    const { connection, template } = inject('postgres');
    const admin = new pg.Client(connection);
    await admin.connect();
    await admin.query(`create database ${template}_image template ${template} strategy file_copy`);
    await admin.end();
    proxy = await freezableProxy(databaseOf(connection, `${template}_image`));
    port = await freePort();
    mkdirSync(data);
    chownSync(data, 65532, 65532);
    chmodSync(folder, 0o755);
  }, 900_000);

  afterAll(async () => {
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes, with its base, an image of at most 250 MB', () => {
    const bytes = bytesBelow(rootfs);
    expect(bytes / MEGABYTE).toBeGreaterThan(100);
    expect(bytes / MEGABYTE + BASE_MB).toBeLessThanOrEqual(250);
  });

  it('migrates, starts read-only as 65532, is healthy, takes an order, and ends in order on SIGTERM', async () => {
    addLibraries(rootfs, join(rootfs, 'usr/local/bin/node'));
    const migrated = inside([...wordsOf(lastOf(stage, 'ENTRYPOINT')), 'migrate']);
    const migration = outputOf(migrated);
    expect((await once(migrated, 'close'))[0], migration()).toBe(0);

    const server = inside([...wordsOf(lastOf(stage, 'ENTRYPOINT')), ...wordsOf(lastOf(stage, 'CMD'))]);
    const said = outputOf(server);
    const ended = once(server, 'close');
    await expect.poll(said, { timeout: 120_000 }).toContain('Read the e-mail');
    expect(processUser(server)).toEqual(['65532', '65532']);
    expect(await healthOf()).toBe(0);
    const admin = await fetch(`http://127.0.0.1:${port}/admin/`);
    expect(admin.status).toBe(200);
    const order = said()
      .split('\n')
      .find((line) => line.startsWith('  curl '))!;
    expect(JSON.parse(await textOf(order))).toMatchObject({ success: true });
    server.kill('SIGTERM');
    expect((await ended)[0], said()).toBe(0);
    expect(said()).toMatch(/"msg":"stopped/);
    expect(said()).not.toMatch(/EROFS|EACCES/);
    expect(await healthOf()).toBe(1);
  });

  it('cannot write to its own files, and resizes pictures with the libraries that it has', async () => {
    const script = `
      const { writeFileSync } = await import('node:fs');
      const { createRequire } = await import('node:module');
      const loaded = createRequire('/app/src/main.js')('sharp');
      const sharp = loaded.default ?? loaded;
      const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).webp().toBuffer();
      let code = 'written';
      try { writeFileSync('/app/src/x', '') } catch (error) { code = error.code }
      process.stdout.write(code + ' ' + (picture.length > 20));`;
    const run = inside(['/usr/local/bin/node', '--input-type=module', '-e', script]);
    const said = outputOf(run);
    await once(run, 'close');
    expect(said()).toBe('EROFS true');
  });

  /** Runs a command with the folder as root, read-only except for /data and /tmp, as the image's user and with its environment. */
  function inside(words: string[]): ChildProcess {
    const script = `
      mount --bind "$R" "$R" && mount --bind "$D" "$R/data" && mount -t tmpfs tmpfs "$R/tmp" && chmod 1777 "$R/tmp"
      mount -t proc proc "$R/proc" && mount --rbind /dev "$R/dev" && mount -o remount,ro,bind "$R" || exit 99
      exec chroot --userspec=65532:65532 "$R" "$@"`;
    return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words], {
      env: {
        PATH: process.env.PATH,
        R: rootfs,
        D: data,
        ...environmentOf(stage),
        PORT: String(port),
        HOST: '127.0.0.1',
        ...DEVELOPMENT,
        DATABASE_URL: proxy.url,
        TRADELOOM_WITHOUT_BARRIER: '1',
        HEALTH_URL: `http://127.0.0.1:${port}/health/ready`,
        TRADELOOM_MASTER_KEY: masterKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function healthOf(): Promise<number> {
    const [code] = (await once(inside(wordsOf(lastOf(stage, 'HEALTHCHECK'))), 'close')) as [number];
    return code;
  }
});

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--propagation', 'private', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** Asynchronous, because the database connection is proxied through this process. */
async function textOf(command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = outputOf(child);
  await once(child, 'close');
  return said();
}

function outputOf(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return () => said;
}

/** Effective user and group: every part of the command line is exec'ed, so the child is the program itself. */
function processUser({ pid }: ChildProcess): string[] {
  const status = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' });
  return ['Uid', 'Gid'].map((name) => new RegExp(`^${name}:\\s+\\d+\\s+(\\d+)`, 'm').exec(status)![1]!);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await sleep(0);
  return port;
}
