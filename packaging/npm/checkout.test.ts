import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopServer } from '../../src/db/embedded/process.ts';
import { npmStart, type Program } from '../../src/testing/program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Made by an installation or a run, or of no interest to either. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'data', 'coverage', 'results', 'cache', '.temp', '.git']);

const folder = mkdtempSync(join(tmpdir(), 'tradeloom-checkout-'));
const checkout = join(folder, 'my shop ä');
/** The machine's npm and Node: npm adds the programs of the checkout itself. */
const PATH = process.env
  .PATH!.split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter);
const env = { PATH, HOME: process.env.HOME, npm_config_offline: 'true' };

const npm = (args: string[], cwd: string) => spawnSync('npm', args, { cwd, env, encoding: 'utf8' });

afterAll(async () => {
  await stopServer(join(checkout, 'data', 'postgres'));
  rmSync(folder, { recursive: true, force: true });
});

/** `npm ci` without its downloads: the packages of this checkout, and then the script that npm runs after them. */
describe('a checkout in a folder whose name has a space and a letter outside ASCII', { timeout: 300_000 }, () => {
  let program: Program;

  beforeAll(() => {
    cpSync(ROOT, checkout, { recursive: true, filter: (path) => !NOT_COPIED.has(path.split('/').at(-1)!) });
    const packages = [join(ROOT, 'node_modules'), checkout];
    // Hard links take seconds, and exist within one file system only.
    if (spawnSync('cp', ['-Rpl', ...packages]).status !== 0) execFileSync('cp', ['-Rp', ...packages]);
    rmSync(join(checkout, 'node_modules', '.bin', 'tradeloom'), { force: true });
  }, 300_000);

  it('is installed: the admin app and the documentation are built', () => {
    const { status, stdout, stderr } = npm(['run', 'prepare'], checkout);
    expect(status, stdout + stderr).toBe(0);
    expect(readlinkSync(join(checkout, 'node_modules', '.bin', 'tradeloom'))).toBe('../../src/main.ts');
  });

  it('starts, and serves both', async () => {
    program = await npmStart({ PATH }, checkout);
    for (const path of ['/admin/', '/docs/guide/', '/docs/scalar.js']) {
      expect([path, (await fetch(program.origin + path)).status]).toEqual([path, 200]);
    }
  });

  it('runs commands by npx, without building anything under the server', () => {
    const app = join(checkout, 'admin', 'dist', 'index.html');
    const before = statSync(app).mtimeMs;
    const { status, stdout, stderr } = spawnSync('npx', ['tradeloom', 'companies', 'list', '--json'], {
      cwd: checkout,
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ companies: [{ company_id: 1 }] });
    expect(statSync(app).mtimeMs).toBe(before);
  });

  it('ends by Ctrl-C', async () => {
    expect((await program.endGroup('SIGINT')).code).toBe(0);
  });
});

it('an installation without the development packages succeeds, and says how a production install is made', () => {
  const without = join(folder, 'without');
  for (const file of ['package.json', 'packaging/npm/prepare.js']) {
    mkdirSync(dirname(join(without, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(without, file));
  }
  const { status, stdout, stderr } = npm(['run', '--silent', 'prepare'], without);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^Nothing was built.*`npm run package`/)]);
});
