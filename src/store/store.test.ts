import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { newKeyText } from '../access/api-keys.ts';
import { storeEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { anotherApp } from '../testing/another-app.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { testPerson } from '../testing/people.ts';
import { type TestStore, testStore } from './testing-store.ts';

/** What holds for every endpoint of the store interface; the list of endpoints comes from endpoints.ts. */
const server = testServer({ impatient: true, described: true, config: { trustedProxies: ['127.0.0.1'] } });
const SITE = 'https://shop.example.com';
const VARY = 'Origin, X-Store-Key';
let shop: TestCompany;
let store: TestStore;
let other: TestStore;
let revoked: TestStore;

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id, [SITE, 'http://localhost:5173']);
  await shop.commerce('POST', '/products', { name: 'Walked mug', price: 5, stock_qty: 9, categories: ['walked'] });
  await shop.commerce('POST', '/collections', { name: 'Walked', kind: 'manual' });
  other = await testStore(server, (await server.company({ name: 'Another' })).company_id);
  revoked = await testStore(server, shop.company_id);
  await server.rows('update store_keys set revoked_at = now() where id = $1', [revoked.id]);
  await server.app.versions.refresh();
});

// A network has 600 reads a minute, and 30 requests with a wrong key.
beforeEach(() => server.clock.advance(61_000));

/** The path of records that `beforeAll` makes. */
function pathOf({ path }: Endpoint): string {
  const query = path === '/suggest' ? '?q=walked' : '';
  return path.replace('{id}', 'walked-mug').replace('{slug}', 'walked') + query;
}

const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  server.request(method, `/store/v1${path}`, { headers });

/** The status of a request with a store key, and without body and tokens. */
function statusOf({ tokens, status, params, body, bodyOptional }: Endpoint): number {
  if (tokens !== undefined && params !== undefined) return 404;
  if (body !== undefined && !bodyOptional) return 400;
  if (tokens === undefined) return status;
  return tokens.includes('customer') ? 401 : 404;
}

describe.each(storeEndpoints.map((endpoint) => ({ endpoint, name: `${endpoint.method} ${endpoint.path}` })))(
  '$name',
  ({ endpoint }) => {
    const path = pathOf(endpoint);
    const { method } = endpoint;
    const get = (from: TestStore, headers: Record<string, string> = {}) =>
      ask(path, { 'x-store-key': from.key, ...headers }, method);

    it('refuses no key, an unknown, a malformed and a revoked key, and an API key, with 401', async () => {
      for (const [key, reason] of [
        ['', 'missing_key'],
        [newKeyText('tl_pub_'), 'invalid_key'],
        ['tl_pub_x', 'invalid_key'],
        [revoked.key, 'invalid_key'],
        [shop.key, 'invalid_key'],
      ] as const) {
        const { status, body, headers } = await ask(path, { 'x-store-key': key, origin: SITE }, method);
        expect([status, body.success, body.error.details.reason]).toEqual([401, false, reason]);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('vary')).toBe(VARY);
      }
    });

    it('serves the sites that the key lists, and no other', async () => {
      for (const origin of [SITE, 'http://localhost:5173']) {
        const { status, headers } = await get(store, { origin });
        expect([status, headers.get('access-control-allow-origin')]).toEqual([statusOf(endpoint), origin]);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
        expect(headers.get('access-control-expose-headers')).toContain('ETag');
        expect([headers.get('vary'), headers.get('set-cookie')]).toEqual([VARY, null]);
      }
      for (const origin of ['https://other.example', 'http://shop.example.com', `${SITE}:8443`, 'null', `${SITE}/`]) {
        const { status, body, headers } = await get(store, { origin });
        expect([origin, status, body.error.details.reason]).toEqual([origin, 403, 'origin_not_allowed']);
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect([headers.get('vary'), headers.get('cache-control')]).toEqual([VARY, 'no-store']);
      }
      const app = await get(store);
      expect([app.status, app.headers.get('access-control-allow-origin')]).toEqual([statusOf(endpoint), null]);
    });

    it('allows a preflight of every site without a key', async () => {
      const preflight = { origin: 'https://other.example', 'access-control-request-method': 'GET' };
      const { status, headers, body } = await ask(path, preflight, 'OPTIONS');
      expect([status, body]).toEqual([204, '']);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toContain('PATCH');
      for (const name of ['X-Store-Key', 'X-Cart-Token', 'Authorization', 'Idempotency-Key'])
        expect(headers.get('access-control-allow-headers')).toContain(name);
    });

    it('shows nothing of another company', async () => {
      const { status, body } = await get(other);
      expect(endpoint.path.includes('{') ? status : 404).toBe(404);
      expect(JSON.stringify(body)).not.toContain('Walked mug');
    });

    it('tells nothing about how much the shop is visited', async () => {
      const { headers } = await get(store);
      expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    });
  },
);

describe.each(storeEndpoints.filter(({ cached }) => cached).map((endpoint) => ({ endpoint, name: endpoint.path })))(
  'the catalogue at $name',
  ({ endpoint }) => {
    const path = pathOf(endpoint);

    it('has an ETag, is kept by shared caches for a minute, and is not sent again', async () => {
      const first = await store.get(path);
      const tag = first.headers.get('etag')!;
      expect(tag).toMatch(/^W\/"[\w-]+"$/);
      const caching = 'public, max-age=0, s-maxage=60, stale-while-revalidate=600';
      expect(first.headers.get('cache-control')).toBe(caching);
      for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
        const again = await store.get(path, { 'if-none-match': known, origin: SITE });
        expect([known, again.status, again.body]).toEqual([known, 304, '']);
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('cache-control')).toBe(caching);
        expect(again.headers.get('vary')).toBe(VARY);
        expect(again.headers.get('access-control-allow-origin')).toBe(SITE);
      }
      expect((await store.get(path, { 'if-none-match': '"another"' })).status).toBe(200);
      expect((await ask(path, { 'x-store-key': store.key }, 'HEAD')).headers.get('etag')).toBe(tag);
    });
  },
);

test('what is the same for everybody is cached, and nothing else', () => {
  const isShared = ({ method, tokens }: Endpoint): boolean => method === 'GET' && tokens === undefined;
  expect(storeEndpoints.filter((endpoint) => isShared(endpoint) !== (endpoint.cached === true))).toEqual([]);
  expect(storeEndpoints.every(({ scope }) => scope === 'store')).toBe(true);
});

test('a changed product has another ETag, and so has its list', async () => {
  const tagOf = async (path: string) => (await store.get(path)).headers.get('etag');
  const before = [await tagOf('/products/walked-mug'), await tagOf('/products')];
  expect([await tagOf('/products/walked-mug'), await tagOf('/products')]).toEqual(before);
  await shop.commerce('PATCH', '/products/walked-mug', { price: 6 });
  const after = [await tagOf('/products/walked-mug'), await tagOf('/products')];
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test('errors and unknown paths are not kept', async () => {
  for (const [path, expected] of [
    ['/products/nothing', 404],
    ['/products?sort=cost', 400],
    ['/customers', 404],
  ] as const) {
    const { status, headers, body } = await store.get(path);
    expect([path, status, headers.get('cache-control'), headers.get('etag')]).toEqual([
      path,
      expected,
      'no-store',
      null,
    ]);
    expect(body.success).toBe(false);
  }
  expect((await ask('/customers', {})).status).toBe(401);
  expect((await ask('/customers', {}, 'OPTIONS')).status).toBe(204);
});

describe('limits', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const many = async (n: number, method: string, address: string): Promise<Record<number, number>> => {
    const statuses: Record<number, number> = {};
    for (let i = 0; i < n; i++) {
      const { status } = await ask('/shop', { 'x-store-key': store.key, ...from(address) }, method);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };

  test('a network has 600 reads and 120 writes a minute, each counted by itself', async () => {
    expect(await many(610, 'GET', '198.51.100.1')).toEqual({ 200: 600, 429: 10 });
    expect(await many(125, 'POST', '198.51.100.1')).toEqual({ 404: 120, 429: 5 });
    const refused = await store.get('/shop', { ...from('198.51.100.1'), origin: SITE });
    expect(refused.body.error.details.reason).toBe('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('access-control-allow-origin')).toBe(SITE);
    expect((await store.get('/shop', from('198.51.100.2'))).status).toBe(200);
    server.clock.advance(60_000);
    expect((await store.get('/shop', from('198.51.100.1'))).status).toBe(200);
  });

  test('a network that tries 30 wrong keys a minute is refused, except with known keys', async () => {
    const address = from('198.51.100.3');
    expect((await store.get('/shop', address)).status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) statuses.push((await ask('/shop', { 'x-store-key': 'tl_pub_x', ...address })).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429]);
    expect((await store.get('/shop', address)).status).toBe(200);
    // API keys have failures of their own.
    expect((await server.request('GET', '/commerce/v1/products', { headers: address })).status).toBe(401);
  });

  test('all visitors of a key have a ceiling', async () => {
    const flooded = await testStore(server, shop.company_id);
    expect((await flooded.get('/shop')).status).toBe(200);
    const keyId = 2 ** 52 + flooded.id;
    const [usage] = await server.rows<{ leased: string }>(
      'select leased from api_key_usage where company_id = $1 and api_key_id = $2',
      [shop.company_id, keyId],
    );
    await server.rows('update api_key_usage set leased = 10000000 where api_key_id = $1', [keyId]);
    const left = Number(usage!.leased) - 1;
    const taken = { companyId: shop.company_id, keyId, actor: 'store', scopes: new Set<string>() };
    for (let i = 0; i < left; i++) await server.app.rateLimiter.take({ ...taken, requestsPerHour: 10_000_000 });
    const refused = await flooded.get('/shop');
    expect([refused.status, refused.body.error.details.reason]).toEqual([429, 'rate_limited']);
    expect((await store.get('/shop')).status).toBe(200);
  });
});

test('every process sees a new, changed and revoked key within a second', async () => {
  const process = await anotherApp(server);
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const keys = (method: string, path: string, body?: object) =>
    owner.ask(method, `/${shop.company_id}/store-keys${path}`, body);
  const { id, key } = (await keys('POST', '', { name: 'Fresh', origins: [SITE] })).body;
  const elsewhere = async (origin: string): Promise<number> => {
    const request = { method: 'GET', url: '/store/v1/shop', headers: { 'x-store-key': key, origin } } as const;
    return (await process.running.server.inject(request)).statusCode;
  };
  try {
    const within = { timeout: 1_500, interval: 50 };
    expect([await elsewhere(SITE), await elsewhere('https://new.example')]).toEqual([200, 403]);
    await keys('PATCH', `/${id}`, { origins: ['https://new.example'] });
    await expect.poll(() => elsewhere(SITE), within).toBe(403);
    expect(await elsewhere('https://new.example')).toBe(200);
    await keys('DELETE', `/${id}`);
    await expect.poll(() => elsewhere('https://new.example'), within).toBe(401);
  } finally {
    await process.stop();
  }
});

test('a store key opens no other interface', async () => {
  const headers = {
    'x-api-key': store.key,
    authorization: `Bearer ${store.key}`,
    'x-company-id': `${shop.company_id}`,
  };
  expect((await server.request('GET', '/commerce/v1/products', { headers })).status).toBe(401);
  expect((await server.request('GET', '/marketing/v1/contacts', { headers })).status).toBe(401);
});

test('the document of the interface is served', async () => {
  const { status, body } = await server.request('GET', '/openapi/store.json');
  expect([status, body.info.title, body.servers[0].url]).toEqual([200, 'Tradeloom store interface', '/store/v1']);
  expect(Object.keys(body.paths)).toEqual([...new Set(storeEndpoints.map(({ path }) => path))]);
  expect(body.components.securitySchemes.storeKey.name).toBe('X-Store-Key');
});
