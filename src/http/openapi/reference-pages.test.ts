import { describe, expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';

const server = testServer();

describe('the API reference', () => {
  it('is a page that can load nothing from another host', async () => {
    const page = await server.request('GET', '/docs');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy')!;
    for (const rule of policy.split(';').map((part) => part.trim())) {
      const [, ...sources] = rule.split(' ');
      for (const source of sources) expect(["'self'", "'none'", "'unsafe-inline'", 'data:', 'blob:']).toContain(source);
    }
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    const html = String(page.body);
    expect(html).not.toMatch(/(src|href|content)="(https?:)?\/\//);
    expect([...html.matchAll(/src="([^"]+)"/g)].map((match) => match[1])).toEqual([
      '/docs/scalar.js',
      '/docs/start.js',
    ]);
  });

  it('offers all descriptions, and turns off what would ask other hosts', async () => {
    const start = String((await server.request('GET', '/docs/start.js')).body);
    const settings = JSON.parse(/^Scalar\.createApiReference\('#reference', (.*)\);\n$/.exec(start)![1]!);
    expect(settings).toMatchObject({ withDefaultFonts: false, telemetry: false, hideClientButton: true });
    expect(settings.proxyUrl).toBeUndefined();
    for (const source of settings.sources) {
      const description = await server.request('GET', source.url);
      expect([description.status, description.body.openapi]).toEqual([200, '3.1.1']);
      expect(source.agent).toEqual({ disabled: true });
    }
    expect(settings.sources).toHaveLength(3);
    expect(start).not.toMatch(/https?:/);
  });

  it('brings its script along, whole, plain or packed', async () => {
    const ask = (encoding: string) =>
      fetch(`${server.origin}/docs/scalar.js`, { headers: { 'accept-encoding': encoding } });
    const plain = await (await ask('identity')).text();
    expect(plain.length).toBeGreaterThan(1_000_000);
    expect(plain).toContain('createApiReference');
    const packed = await ask('gzip');
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.text()).toBe(plain);
  });

  it('has one address', async () => {
    const other = await server.request('GET', '/docs/');
    expect([other.status, other.headers.get('location')]).toEqual([301, '/docs']);
  });
});
