import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import repository from '../../package.json' with { type: 'json' };
import { stopServer } from '../../src/db/embedded/process.ts';
import { packedPackage } from '../testing/packed.ts';
import { bytesOnDisk, MEGABYTE } from '../testing/sizes.ts';
import { SDKS } from './sdks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradeloom-package-'));
/** Where the tarball is installed: without any file of the repository. */
const elsewhere = join(folder, 'elsewhere');
/** Node of the tests and the machine's npm, without folders of this repository, so that programs of its packages are not found. */
const path = [
  join(folder, 'bin'),
  ...process.env.PATH!.split(delimiter).filter((one) => !one.includes('node_modules')),
];
const env = {
  ...Object.fromEntries(['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'NO_PROXY'].map((name) => [name, process.env[name]])),
  PATH: path.join(delimiter),
  HOME: process.env.HOME,
  npm_config_prefer_offline: 'true',
};
/** Milliseconds; npm retries an unreachable registry for much longer. */
const LONGEST_INSTALL = 240_000;

beforeAll(async () => {
  mkdirSync(join(folder, 'bin'));
  symlinkSync(process.execPath, join(folder, 'bin', 'node'));
  const built = await packedPackage();
  mkdirSync(elsewhere);
  execFileSync('npm', ['pack', built, '--pack-destination', elsewhere], { env, stdio: 'ignore' });
  writeFileSync(join(elsewhere, 'package.json'), '{"private":true}');
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `./tradeloom-${repository.version}.tgz`];
  execFileSync('npm', install, {
    cwd: elsewhere,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: LONGEST_INSTALL,
  });
}, 2 * LONGEST_INSTALL);

afterAll(async () => {
  await stopServer(join(elsewhere, 'data', 'postgres'));
  rmSync(folder, { recursive: true, force: true });
});

const installed = join(elsewhere, 'node_modules', 'tradeloom');

describe('the published package', () => {
  it('may be published, unlike the repository, and runs no script at its installation', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest.private).toBeUndefined();
    expect(manifest.scripts).toBeUndefined();
    expect(manifest.dependencies).toEqual(repository.dependencies);
    expect(manifest).toMatchObject({ name: 'tradeloom', version: repository.version, engines: { node: '>=24.7.0' } });
    expect(repository.private).toBe(true);
  });

  it('has a README whose links lead somewhere', () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    expect(readme).not.toContain('npm ci');
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(4);
    expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
  });

  it('has the program as JavaScript, with all that it loads by address, and no tests', () => {
    const files = readdirSync(join(installed, 'src'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.ts$|\.test\.js$|testing/.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.sql'))).toHaveLength(readdirSync('src/db/migrations').length);
    const modules = files.filter((file) => file.endsWith('.js'));
    expect(modules.flatMap(importedBy).filter((file) => !existsSync(file))).toEqual([]);
    const addressed = modules.flatMap(addressedBy);
    expect(addressed.length).toBeGreaterThanOrEqual(6);
    expect(addressed.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('has the SDKs inside its modules with their licences, without their packages', () => {
    const bytes = Object.entries(SDKS).map(([home, [name]]) => {
      expect(existsSync(join(elsewhere, 'node_modules', name))).toBe(false);
      const place = join(installed, 'src', home);
      const licences = readFileSync(join(place, 'sdk.licenses.txt'), 'utf8');
      expect(licences).toContain(`${name} ${repository.devDependencies[name]} (`);
      expect(licences).toMatch(/Permission is hereby granted|Apache License/);
      return bytesOnDisk(place);
    });
    expect(bytes.reduce((sum, one) => sum + one) / MEGABYTE).toBeLessThanOrEqual(3);
  });

  it('loads the SDK of a payment service when a provider is needed, not before', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const sdks = [];
      registerHooks({
        load(url, context, next) {
          if (url.endsWith('/sdk.js')) sdks.push(url.split('/').at(-2));
          return next(url, context);
        },
      });
      await import('./node_modules/tradeloom/src/app.js');
      const { createProviders } = await import('./node_modules/tradeloom/src/commerce/payments/providers/load.js');
      const providers = createProviders({ stripe: 'http://127.0.0.1:9', mollie: 'http://127.0.0.1:9/v2/' });
      const steps = [[...sdks]];
      const keys = { stripe: 'sk_test_aKeyOfStripe', mollie: 'test_aKeyOfMollieWithAllCharacters' };
      for (const name of ['stripe', 'mollie']) {
        const provider = await providers(name);
        const account = { id: 1, mode: 'test', publishableKey: null, secretKey: keys[name], webhookSecrets: [] };
        const asked = { account, currency: { code: 'EUR', exponent: 2 }, signal: AbortSignal.timeout(20000) };
        const failure = await provider.methods(asked).then(() => null, (error) => error.name);
        steps.push([provider.name, failure, ...sdks]);
      }
      process.stdout.write(JSON.stringify(steps));`;
    const args = ['--input-type=module', '--eval', script];
    const said = execFileSync(process.execPath, args, { cwd: elsewhere, env, encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual([
      [],
      ['stripe', 'ProviderUnavailable', 'stripe'],
      ['mollie', 'ProviderUnavailable', 'stripe', 'mollie'],
    ]);
  }, 60_000);

  it('locks the versions that a release was tested with, without development dependencies', () => {
    const lock = JSON.parse(readFileSync(join(installed, 'npm-shrinkwrap.json'), 'utf8')) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    const names = Object.keys(lock.packages);
    expect(names.filter((name) => /node_modules\/(node|typescript|vite|react)$/.test(name))).toEqual([]);
    expect(lock.packages['node_modules/fastify']!.version).toBe(repository.dependencies.fastify);
    expect(Object.values(lock.packages).filter(({ dev }) => dev)).toEqual([]);
  });

  it('takes at most 250 MB with all its packages', () => {
    const bytes = bytesOnDisk(join(elsewhere, 'node_modules'));
    expect(bytes).toBeGreaterThan(100 * MEGABYTE);
    expect(bytes / MEGABYTE).toBeLessThanOrEqual(250);
  });

  it('says which Node it needs where it is run by an older one', () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.11.0" } })';
    const run = () =>
      execFileSync(process.execPath, ['--import', `data:text/javascript,${older}`, join(installed, 'src/main.js')], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(run).toThrow('Tradeloom needs Node 24.7 or newer; this is 22.11.0.');
  });

  it('starts by npx in an empty folder, serves the admin app, the documentation and the API reference, and sends a rendered e-mail', async () => {
    const server = spawn('npx', ['--no', 'tradeloom', 'start', '--port', '0'], {
      cwd: elsewhere,
      env: { ...env, TRADELOOM_PRINT_SECRETS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // npx does not forward signals: as with a terminal, the whole group gets it.
      detached: true,
    });
    let said = '';
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    const ended = once(server, 'close');
    try {
      await expect.poll(() => said, { timeout: 120_000 }).toMatch(/Read the e-mail/);
      const origin = /(http:\/\/127\.0\.0\.1:\d+)/.exec(said)![1]!;
      const { status, headers } = await fetch(`${origin}/admin/`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await (await fetch(`${origin}/docs/guide/`)).text()).toContain('Tradeloom');
      expect(await (await fetch(`${origin}/docs/scalar.js`)).text()).toContain('createApiReference');
      const commands = said.split('\n').filter((line) => line.startsWith('  ') && line.includes('curl '));
      execFileSync('sh', ['-c', commands[0]!]);
      const mail = execFileSync('sh', ['-c', commands[2]!], { encoding: 'utf8' });
      expect(JSON.parse(mail)).toMatchObject({ subject: expect.stringMatching(/^We have received your order/) });
    } finally {
      process.kill(-server.pid!, 'SIGTERM');
      await ended;
    }
  }, 300_000);

  it('says what to install where it is to trace and the packages are missing', () => {
    const run = () =>
      execFileSync(process.execPath, [join(installed, 'src/main.js'), 'start', '--port', '0'], {
        // On the database of the start before.
        cwd: elsewhere,
        env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const version = repository.peerDependencies['@opentelemetry/api'];
    expect(run).toThrow(`npm install @opentelemetry/api@${version} @opentelemetry/exporter-trace-otlp-http@`);
  });
});

/** Files that a module refers to by `new URL('./…', import.meta.url)`; a `${extname(…)}` in it is `.js` here. */
function addressedBy(file: string): string[] {
  const text = readFileSync(join(installed, 'src', file), 'utf8');
  return [...text.matchAll(/new URL\(['`](\.[^'`]*)['`], import\.meta\.url\)/g)]
    .map(([, address]) => join(installed, 'src', dirname(file), address!.replace(/\$\{extname\([^}]*\}/, '.js')))
    .filter((one) => !one.includes('.cache'));
}

/** Files that a module imports by a relative name. */
function importedBy(file: string): string[] {
  const text = readFileSync(join(installed, 'src', file), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(([, name]) =>
    join(installed, 'src', dirname(file), name!),
  );
}
