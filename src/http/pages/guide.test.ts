import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guidePages } from './guide.ts';

const PAGE = `<!doctype html><title>Orders</title>${'<p>An order.</p>'.repeat(100)}`;
const folder = mkdtempSync(join(tmpdir(), 'tradeloom-guide-'));
const server = fastify();

beforeAll(() => {
  mkdirSync(join(folder, 'assets'));
  mkdirSync(join(folder, 'guides'));
  for (const name of ['index.html', 'api.html', 'guides/first-flow.html']) writeFileSync(join(folder, name), PAGE);
  writeFileSync(join(folder, 'api.html.br'), brotliCompressSync(PAGE));
  writeFileSync(join(folder, 'api.md'), '# Orders\n');
  writeFileSync(join(folder, '404.html'), '<!doctype html><title>Not found</title>');
  writeFileSync(join(folder, 'assets/app.1a2b3c4d.js'), 'export {}');
  writeFileSync(join(folder, 'llms.txt'), '# Tradeloom\n');
  writeFileSync(join(folder, 'llms-full.txt'), '# Tradeloom\n\nEverything\n');
  guidePages(server, { guideFolder: pathToFileURL(`${folder}/`) });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ method: 'GET', url, headers });

describe('the documentation', () => {
  test.each(['/docs/guide/', '/docs/guide/api', '/docs/guide/api.html', '/docs/guide/guides/first-flow'])(
    '%s is a page, asked for anew each time, under a policy of this server alone',
    async (url) => {
      const response = await get(url);
      expect([response.statusCode, response.body]).toEqual([200, PAGE]);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.headers['cache-control']).toBe('no-cache');
      const policy = String(response.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|https?:/);
    },
  );

  test('a client with the current page gets 304, and one that accepts brotli gets it compressed', async () => {
    const packed = await get('/docs/guide/api', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(PAGE);
    const again = await get('/docs/guide/api', {
      'accept-encoding': 'br',
      'if-none-match': String(packed.headers.etag),
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('a file with a hash in its name is kept for a year', async () => {
    const response = await get('/docs/guide/assets/app.1a2b3c4d.js');
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('each page is there as Markdown, and the whole as text for language models', async () => {
    const page = await get('/docs/guide/api.md');
    expect([page.headers['content-type'], page.body]).toEqual(['text/markdown; charset=utf-8', '# Orders\n']);
    const list = await get('/llms.txt');
    expect([list.headers['content-type'], list.body]).toEqual(['text/plain; charset=utf-8', '# Tradeloom\n']);
    expect((await get('/llms-full.txt')).body).toContain('Everything');
  });

  test.each(['/docs/guide/gone', '/docs/guide/guides/'])('%s is the page that says so, with 404', async (url) => {
    const response = await get(url, { 'if-none-match': '*' });
    expect(response.statusCode).toBe(404);
    expect(response.body).toContain('Not found');
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test.each(['/docs/guide/assets/gone.js', '/docs/guide/../../package.json', '/docs/guide/api.html.br'])(
    '%s is not found, and is not a page under the name of a file',
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(404);
      expect(response.body).not.toContain('doctype');
    },
  );

  test('has one address', async () => {
    const response = await get('/docs/guide');
    expect([response.statusCode, response.headers.location]).toEqual([301, '/docs/guide/']);
  });

  test('without a build, every address says how to make one', async () => {
    const empty = fastify();
    guidePages(empty, { guideFolder: pathToFileURL(`${folder}/nothing/`) });
    for (const url of ['/docs/guide/', '/docs/guide/api', '/llms.txt']) {
      const response = await empty.inject({ method: 'GET', url });
      expect(response.statusCode).toBe(503);
      expect(response.body).toContain('npm run prepare');
    }
    await empty.close();
  });
});
