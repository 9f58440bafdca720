import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { newKeyText } from '../access/api-keys.ts';
import { storeEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { anotherApp } from '../testing/another-app.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { testPerson } from '../testing/people.ts';
import { signUp, type TestStore, testStore } from './testing-store.ts';

/** What holds for every endpoint of the store interface; the list of endpoints comes from endpoints.ts. */
const server = testServer({ impatient: true, described: true, config: { trustedProxies: ['127.0.0.1'] } });
const SITE = 'https://shop.example.com';
const VARY = 'Origin, X-Store-Key';
let shop: TestCompany;
let store: TestStore;
let other: TestStore;
let revoked: TestStore;
/** Of customers of the shop, and of the other company. */
let customer: { authorization: string };
let stranger: { authorization: string };
let foreigner: { authorization: string };

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id, [SITE, 'http://localhost:5173']);
  await shop.commerce('POST', '/products', { name: 'Walked mug', price: 5, stock_qty: 9, categories: ['walked'] });
  await shop.commerce('POST', '/collections', { name: 'Walked', kind: 'manual' });
  const another = await server.company({ name: 'Another' });
  other = await testStore(server, another.company_id);
  revoked = await testStore(server, shop.company_id);
  await server.rows('update store_keys set revoked_at = now() where id = $1', [revoked.id]);
  await server.app.versions.refresh();
  customer = (await signUp(server, shop, store, 'walked@example.com')).headers;
  stranger = (await signUp(server, shop, store, 'stranger@example.com')).headers;
  foreigner = (await signUp(server, another, other, 'walked@example.com')).headers;
  ids = await recordsOf(shop, customer);
});

// A network has 600 reads a minute, and 30 requests with a wrong key.
beforeEach(() => server.clock.advance(3_601_000));

/** Ids of the customer's records, by the folder of their path. */
let ids: Record<string, number>;

async function recordsOf(
  { commerce }: TestCompany,
  headers: { authorization: string },
): Promise<Record<string, number>> {
  const made = async (path: string, body: object) => (await commerce('POST', path, body)).body.data.id;
  const customer_id = (await store.get('/me', headers)).body.data.id;
  const address = { shipping_address: '1 Walked St', shipping_city: 'A', shipping_state: 'IL', shipping_zip: '62701' };
  const product_id = (await commerce('GET', '/products/walked-mug')).body.data.id;
  await commerce('PATCH', '/products/walked-mug', { subscription_enabled: true });
  const book = { address: '1 Walked St', city: 'A', zip: '1', country: 'DE' };
  return {
    orders: await made('/orders', { ...address, customer_id, items: [{ product_id, qty: 1 }] }),
    subscriptions: await made('/subscriptions', { ...address, customer_id, product_id, frequency_id: 3 }),
    addresses: (await store.send('POST', '/me/addresses', book, headers)).body.data.id,
    sessions: (await store.get('/me/sessions', headers)).body.data[0].id,
    passkeys: await passkeyOf(customer_id),
    'saved-payment-methods': await savedMethodOf(customer_id),
  };
}

async function passkeyOf(customer: number): Promise<number> {
  const [row] = await server.rows<{ id: number }>(
    `insert into customer_passkeys (company_id, customer_id, credential_id, public_key, counter, transports, name, created_at)
     values ($1, $2, 'walked', '', 0, '{}', 'Walked mug', now()) returning id::int`,
    [shop.company_id, customer],
  );
  return row!.id;
}

async function savedMethodOf(customer: number): Promise<number> {
  const [account] = await server.rows<{ id: number }>(
    `insert into payment_accounts (company_id, provider, mode, name, active, sealed_config, webhook_token, created_at, updated_at)
     values ($1, 'mollie', 'test', 'Walked mug', false, '', 'walked', now(), now()) returning id`,
    [shop.company_id],
  );
  const [row] = await server.rows<{ id: number }>(
    `insert into saved_payment_methods (company_id, customer_id, payment_id, method_id, account_id, provider, label, created_at)
     values ($1, $2, 1, 1, $3, 'mollie', 'Walked mug', now()) returning id::int`,
    [shop.company_id, customer, account!.id],
  );
  return row!.id;
}

/** The path of records that `beforeAll` makes. */
function pathOf({ path }: Endpoint): string {
  const query = path === '/suggest' ? '?q=walked' : '';
  const own = /^\/me\/([\w-]+)\//.exec(path)?.[1];
  const id = own === undefined ? 'walked-mug' : String(ids[own]);
  return path.replace('{id}', id).replace('{slug}', 'walked') + query;
}

const CREDENTIAL = { id: 'eA', rawId: 'eA', type: 'public-key', clientExtensionResults: {} };
const USED = { clientDataJSON: '', authenticatorData: '', signature: '' };
const CREATED = { clientDataJSON: '', attestationObject: '' };

/** A body that an endpoint about accounts accepts; none for others. */
function bodyOf({ method, path }: Endpoint): object | undefined {
  if (method === 'GET' || !/^\/(me|customers)\b/.test(path)) return undefined;
  if (path === '/customers/passkey') return { credential: { ...CREDENTIAL, response: USED } };
  if (path === '/me/passkeys') return { name: 'Phone', credential: { ...CREDENTIAL, response: CREATED } };
  if (path.startsWith('/customers/')) return { email: 'nobody@example.com', code: '123456' };
  if (path === '/me/password') return { password: 'a horse of course' };
  if (path === '/me/code') return { purpose: 'erase' };
  if (path === '/me/consent') return { accepts_marketing: true };
  return { code: '123456', address: '2 St', city: 'A', zip: '1', country: 'DE' };
}

const isCatalogue = ({ cached }: Endpoint): boolean => cached === true;

const ask = (path: string, headers: Record<string, string>, method = 'GET', body?: object) =>
  server.request(method, `/store/v1${path}`, { headers, body });

/** The status of a request with a store key and without tokens; its body is that of `bodyOf`. */
function statusOf({ path, tokens, tokensOptional, status, params, body, bodyOptional }: Endpoint, site = SITE): number {
  if (tokens?.join() === 'customer' && !tokensOptional) return 401;
  // Of a page on a host with a name.
  if (path.startsWith('/customers/passkey') && !/[a-z]\w*(:\d+)?$/.test(site)) return 400;
  if (/^\/customers\/(verify|login|passkey)$/.test(path)) return 401;
  if (path.startsWith('/customers/')) return status;
  if (tokens !== undefined && params !== undefined) return 404;
  if (body !== undefined && !bodyOptional) return 400;
  return tokens === undefined || tokensOptional ? status : 404;
}

describe.each(storeEndpoints.map((endpoint) => ({ endpoint, name: `${endpoint.method} ${endpoint.path}` })))(
  '$name',
  ({ endpoint }) => {
    const { method } = endpoint;
    const body = bodyOf(endpoint);
    const read = (headers: Record<string, string>) => ask(pathOf(endpoint), headers, method, body);
    const visit = (by: TestStore, headers: object = {}) => read({ 'x-store-key': by.key, ...headers });

    it('refuses no key, an unknown, a malformed and a revoked key, and an API key, with 401', async () => {
      for (const [key, reason] of [
        ['', 'missing_key'],
        [newKeyText('tl_pub_'), 'invalid_key'],
        ['tl_pub_x', 'invalid_key'],
        [revoked.key, 'invalid_key'],
        [shop.key, 'invalid_key'],
      ] as const) {
        const { status, body, headers } = await read({ 'x-store-key': key, origin: SITE });
        expect([status, body.success, body.error.details.reason]).toEqual([401, false, reason]);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('vary')).toBe(VARY);
      }
    });

    it('serves the sites that the key lists, and no other', async () => {
      for (const origin of [SITE, 'http://localhost:5173']) {
        const { status, headers } = await visit(store, { origin });
        expect([status, headers.get('access-control-allow-origin')]).toEqual([statusOf(endpoint), origin]);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
        expect(headers.get('access-control-expose-headers')).toContain('ETag');
        expect([headers.get('vary'), headers.get('set-cookie')]).toEqual([VARY, null]);
      }
      for (const origin of ['https://other.example', 'http://shop.example.com', `${SITE}:8443`, 'null', `${SITE}/`]) {
        const { status, body, headers } = await visit(store, { origin });
        expect([origin, status, body.error.details.reason]).toEqual([origin, 403, 'origin_not_allowed']);
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect([headers.get('vary'), headers.get('cache-control')]).toEqual([VARY, 'no-store']);
      }
      const app = await visit(store);
      expect([app.status, app.headers.get('access-control-allow-origin')]).toEqual([statusOf(endpoint, ''), null]);
    });

    it('serves pages of this server itself, which the key need not list', async () => {
      const { host } = new URL(server.origin);
      for (const [headers, status] of [
        [{ origin: server.origin }, statusOf(endpoint, host)],
        [{ origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }, statusOf(endpoint, host)],
        [{ origin: `https://${host}` }, 403],
        [{ origin: server.origin, 'sec-fetch-site': 'cross-site' }, 403],
      ] as const) {
        expect([headers, (await visit(store, headers)).status]).toEqual([headers, status]);
      }
    });

    it('allows a preflight of every site without a key', async () => {
      const preflight = { origin: 'https://other.example', 'access-control-request-method': method };
      const { status, headers, body } = await ask(pathOf(endpoint), preflight, 'OPTIONS');
      expect([status, body]).toEqual([204, '']);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toContain(method);
      for (const name of ['X-Store-Key', 'X-Cart-Token', 'Authorization', 'Idempotency-Key'])
        expect(headers.get('access-control-allow-headers')).toContain(name);
    });

    // Signing out would end the sessions of the walk, and shows nothing.
    it('shows nothing of another company or customer', async () => {
      if (endpoint.path === '/customers/logout') return;
      const senders = [
        [other, foreigner],
        [store, stranger],
      ] as const;
      for (const [by, headers] of isCatalogue(endpoint) ? senders.slice(0, 1) : senders) {
        const { status, body } = await visit(by, headers);
        expect(endpoint.path.includes('{') ? status : 404).toBe(404);
        expect(JSON.stringify(body)).not.toMatch(/Walked mug|1 Walked St/);
      }
    });

    if (endpoint.tokens?.join() === 'customer' && !endpoint.tokensOptional) {
      it('needs a customer who is signed in to this company', async () => {
        const tokens = ['', 'Bearer x', `Bearer tl_cust_${'x'.repeat(43)}`, foreigner.authorization, 'Basic eDp4'];
        for (const authorization of tokens) {
          const { status, body, headers } = await visit(store, authorization === '' ? {} : { authorization });
          expect([authorization, status, body.error.details.reason]).toEqual([authorization, 401, 'missing_session']);
          expect(headers.get('cache-control')).toBe('no-store');
        }
      });
    }

    it('tells nothing about how much the shop is visited', async () => {
      const { headers } = await visit(store);
      expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    });
  },
);

describe.each(storeEndpoints.filter(isCatalogue).map((endpoint) => ({ endpoint, name: endpoint.path })))(
  'the catalogue at $name',
  ({ endpoint }) => {
    it('has an ETag, is kept by shared caches for a minute, and is not sent again', async () => {
      const path = pathOf(endpoint);
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

  test('a token has as many from all networks, whatever it is sent with', async () => {
    const cart = { 'x-cart-token': (await store.ask('POST', '/cart', {})).body.data.token };
    let sent = 0;
    const many = async (n: number, send: (headers: Record<string, string>) => Promise<{ status: number }>) => {
      const statuses: Record<number, number> = {};
      for (let i = 0; i < n; i++, sent++) {
        const network = from(`203.0.113.${Math.floor(sent / 50)}`);
        const { status } = await send({ ...cart, ...network, authorization: `Bearer ${sent}` });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      return statuses;
    };
    expect(await many(605, (headers) => store.get('/cart', headers))).toEqual({ 200: 600, 429: 5 });
    const change = (headers: Record<string, string>) => store.send('PATCH', '/cart', { note: 'x' }, headers);
    expect(await many(123, change)).toEqual({ 200: 120, 429: 3 });
    const another = { 'x-cart-token': (await store.ask('POST', '/cart', {})).body.data.token };
    expect((await store.get('/cart', another)).status).toBe(200);
    server.clock.advance(60_000);
    expect((await store.get('/cart', cart)).status).toBe(200);
    const pay = (headers: Record<string, string>) => store.send('POST', '/cart/pay', { method_id: 1 }, headers);
    expect(await many(12, pay)).toEqual({ 422: 10, 429: 2 });
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
