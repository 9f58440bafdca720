import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { testStore } from '../src/store/testing-store.ts';
import { findChromium, openTab, testBrowser } from '../src/testing/browser/chromium.ts';
import { testServer } from '../src/testing/harness.ts';
import own from './package.json' with { type: 'json' };

/** The package as npm would publish it, used by a program of its own. */
const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const TSC = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const server = testServer();
const folder = mkdtempSync(join(tmpdir(), 'tradeloom-client-'));
const installed = join(folder, 'node_modules/@tradeloom/client');
let packed: { size: number; files: { path: string }[] };

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: HERE });
  // npm prints the output of scripts before its own.
  const report = JSON.parse(stdout.slice(stdout.indexOf('[')));
  packed = report[0];
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, report[0].filename), '-C', installed, '--strip-components', '1']);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('holds the compiled client, its types, the README and the licence, in less than 60 kB, without dependencies', () => {
  const names = packed.files.map(({ path }) => path);
  expect(names).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/client.js', 'dist/client.d.ts']),
  );
  expect(names.filter((name) => !/^(dist\/[\w/]+\.(js|d\.ts)|LICENSE|README\.md|package\.json)$/.test(name))).toEqual(
    [],
  );
  expect(packed.size).toBeLessThan(60_000);
  expect(own).not.toHaveProperty('dependencies');
  expect(own.version).toBe(manifest.version);
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(HERE, '../LICENSE'), 'utf8'));
  const code = names.filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(installed, name), 'utf8'));
  // Nothing specific to Node: the same files run in browsers.
  expect(code.join('\n')).not.toMatch(/\bfrom '(?!\.\/)|\brequire\(|\bprocess\b|\bBuffer\b/);
});

/** The complete TypeScript of the README, as a reader pastes it block by block. */
const program = (): string => {
  const text = readFileSync(join(HERE, 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]).join('\n');
};

it.each(['NodeNext', 'Bundler'])(
  'its types and the code of the README compile with module resolution %s',
  async (resolution) => {
    writeFileSync(join(folder, 'readme.ts'), program());
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: ['node'],
      typeRoots: [fileURLToPath(new URL('../node_modules/@types', import.meta.url))],
      module: resolution === 'NodeNext' ? 'NodeNext' : 'ESNext',
      moduleResolution: resolution,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }));
    const { stdout } = await run(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  },
);

it('the code of the README runs against the server', async () => {
  const shop = await server.company();
  await shop.commerce('POST', '/products', { name: 'Earl Grey', slug: 'earl-grey', price: 7.5, stock_qty: 100 });
  const store = await testStore(server, shop.company_id);
  const text = program()
    .replace('companyId: 1,', `companyId: ${shop.company_id},`)
    .replace(
      "{ key: 'tl_pub_…', url: 'https://shop.example.com' }",
      `{ key: '${store.key}', url: '${server.origin}' }`,
    );
  writeFileSync(join(folder, 'readme.ts'), text);
  const env = {
    PATH: process.env.PATH,
    TRADELOOM_URL: server.origin,
    TRADELOOM_KEY: shop.key,
    COMPANY_WEBHOOK_SECRET: shop.webhook_secret,
  };
  // The test server's clock stands still, while the program signs with the real time.
  server.clock.advance(Date.now() - server.clock.now().getTime());
  const variants = [{ options: [{ name: 'Size', value: 'S' }], price: 12, stock_qty: 3 }];
  const options = [{ name: 'Size', values: ['S'] }];
  await shop.commerce('POST', '/products', { name: 'T-shirt', slug: 't-shirt', options, variants });
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'readme.ts'], {
    cwd: folder,
    env,
  });
  expect(stdout).toContain('Earl Grey 7.5 100');
  expect(stdout).toContain('only 98 left');
  expect(stdout).toContain('S 12 true');
  expect(stdout).toMatch(/^1 of 1$/m);
  expect(stdout).toMatch(/^USD \S+ false$/m);
});

/**
 * A page's own server, which serves the package and forwards requests to the API. `lost` selects the requests whose
 * response is lost after the work is done.
 */
async function pageServer(lost: (request: { method: string; url: string }) => boolean) {
  const pages = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (url.startsWith('/client/')) {
      response.setHeader('Content-Type', 'text/javascript');
      createReadStream(join(installed, 'dist', url.slice('/client/'.length))).pipe(response);
      return;
    }
    if (!/^\/(commerce|marketing)\/v1\//.test(url)) {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A shop</title>');
      return;
    }
    const passed = httpRequest(`${server.origin}${url}`, { method, headers: request.headers }, (result) => {
      if (lost({ method, url })) {
        // Responds as a proxy does: a browser would itself retry after a closed connection.
        result.resume().once('end', () => response.writeHead(502).end());
        return;
      }
      response.writeHead(result.statusCode!, result.headers);
      result.pipe(response);
    });
    request.pipe(passed);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  return { origin: `http://127.0.0.1:${(pages.address() as AddressInfo).port}`, pages };
}

const chromium = findChromium();
if (chromium === null)
  process.stderr.write('SKIPPED: Chromium is not installed, the client is not tried in a browser\n');

for (const path of chromium === null ? [] : [chromium]) {
  const browser = testBrowser(path);

  it('runs in a browser: lists, writes once although a response is lost, and names errors', {
    timeout: 60_000,
  }, async () => {
    const shop = await server.company();
    const names = Array.from({ length: 7 }, (_, i) => `Cup ${i}`);
    for (const name of names) await shop.commerce('POST', '/products', { name, price: 5 });
    const posts: string[] = [];
    const { origin, pages } = await pageServer(({ method, url }) => method === 'POST' && posts.push(url) === 1);
    try {
      const { page, problems } = await openTab(browser, { origin });
      await page.goto(origin);
      const options = JSON.stringify({ origin, apiKey: shop.key, companyId: shop.company_id });
      const inPage = (code: string): Promise<unknown> =>
        page.evaluate(`import('/client/client.js').then(async ({ createClient, ApiError, signWebhook, verifyWebhook }) => {
          const shop = createClient(${options});
          ${code}
        })`);

      const listed = await inPage(`const names = [];
        for await (const { name } of shop.commerce.list('/products', { query: { per_page: 3 } })) names.push(name);
        return names.sort();`);
      expect(listed).toEqual(names);

      const written = await inPage(`const { data, isReplayed } = await shop.commerce.request('POST', '/customers', {
          body: { email: 'mira@example.com', first_name: 'Mira', last_name: 'Okafor' } });
        return [data.email, isReplayed];`);
      expect([written, posts]).toEqual([
        ['mira@example.com', true],
        ['/commerce/v1/customers', '/commerce/v1/customers'],
      ]);
      expect((await shop.commerce('GET', '/customers')).body.data).toHaveLength(1);

      const refused = await inPage(`return shop.marketing.post('/contacts', { body: {} }).catch((error) =>
        [error instanceof ApiError, error.status, error.code, error.fields[0]?.field, error.requestId !== null]);`);
      expect(refused).toEqual([true, 400, 'bad_request', 'email', true]);

      const verified = await inPage(`const body = JSON.stringify({ event_type: 'ping', event_data: {} });
        const headers = await signWebhook('secret', body);
        return (await verifyWebhook('secret', { headers: new Headers(headers), body })).event.event_type;`);
      expect(verified).toBe('ping');
      expect(problems).toEqual([]);
    } finally {
      pages.closeAllConnections();
      pages.close();
    }
  });
}
