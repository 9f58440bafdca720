import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appFiles } from './app-files.ts';

const PAGE = '<!doctype html><script type="module" src="/admin/assets/app-1a2b3c4d.js"></script>';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(3_000))})`;
const folder = mkdtempSync(join(tmpdir(), 'tradeloom-app-'));
const server = fastify();

beforeAll(() => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'assets/app-1a2b3c4d.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/app-1a2b3c4d.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/app-1a2b3c4d.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/notes.txt'), 'not part of the app');
  appFiles(server, pathToFileURL(`${folder}/`));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ method: 'GET', url, headers });
const SCRIPT_URL = '/admin/assets/app-1a2b3c4d.js';

describe('the files of the admin app', () => {
  test.each(['/admin/', '/admin/1/orders', '/admin/sign-in?token=abc', '/admin/1/orders/7'])(
    '%s is the page, never stored, under a policy without inline scripts and styles',
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(response.body).toBe(PAGE);
      expect(response.headers['cache-control']).toBe('no-store');
      const policy = String(response.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(response.headers['referrer-policy']).toBe('no-referrer');
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    },
  );

  test('no path of the API is a page of the app', async () => {
    for (const path of ['/admin/api', '/admin/api/', '/admin/api/nothing', '/admin/api/1/nothing/5']) {
      const response = await get(path);
      expect([path, response.statusCode, response.json().error]).toEqual([path, 404, 'not_found']);
    }
    expect((await get('/admin/1/apis')).statusCode).toBe(200);
  });

  test('a file with a hash in its name is kept for a year', async () => {
    const response = await get(SCRIPT_URL);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(response.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(response.body).toBe(SCRIPT);
  });

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ] as const)('who accepts %s gets %s', async (accepted, encoding, unpack) => {
    const response = await get(SCRIPT_URL, { 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect(unpack(response.rawPayload).toString()).toBe(SCRIPT);
  });

  test('a client that accepts no encoding gets the plain file', async () => {
    const response = await get(SCRIPT_URL, { 'accept-encoding': 'br;q=0, gzip;q=0' });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.body).toBe(SCRIPT);
  });

  test('an ETag belongs to one encoding, and a client with the current file gets 304', async () => {
    const first = await get(SCRIPT_URL, { 'accept-encoding': 'br' });
    const etag = String(first.headers.etag);
    const plain = String((await get(SCRIPT_URL)).headers.etag);
    expect(plain).not.toBe(etag);
    const again = await get(SCRIPT_URL, { 'accept-encoding': 'br', 'if-none-match': `"other", ${etag}` });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
    expect((await get(SCRIPT_URL, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  test.each(['/admin/assets/gone-99999999.js', '/admin/assets/notes.txt', '/admin/assets/../../package.json'])(
    '%s is not found, and is not the page under the name of a file',
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(404);
      expect(response.body).not.toContain('doctype');
    },
  );

  test('without a build, the page says how to make one', async () => {
    const empty = fastify();
    appFiles(empty, pathToFileURL(`${folder}/nothing/`));
    const response = await empty.inject({ method: 'GET', url: '/admin/' });
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain('npm run prepare');
    await empty.close();
  });
});
