import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey } from '../../access/api-key-service.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { useThings } from '../../testing/probe.ts';

const server = testServer({ impatient: true });
useThings(server);
let shop: TestCompany;
let other: TestCompany;

beforeAll(async () => {
  shop = await server.company();
  other = await server.company();
});

// Requests without a valid key are limited per minute.
beforeEach(() => server.clock.advance(61_000));

type Side = 'commerce' | 'marketing';
const SIDES: Side[] = ['commerce', 'marketing'];

function headersOf(side: Side, key: string, company = shop.company_id): Record<string, string> {
  return side === 'commerce'
    ? { 'x-api-key': key }
    : { authorization: `Bearer ${key}`, 'x-company-id': String(company) };
}

const send = (side: Side, method: string, path: string, headers: Record<string, string>, raw?: string) =>
  server.request(method, `/${side}/v1${path}`, { raw, headers });

/** Returns the stable reason word of a refusal in either API. */
function reasonOf(side: Side, response: TestResponse): string {
  return side === 'commerce' ? response.body.error.details.reason : response.body.error;
}

/** A new key; with a limit of 1 its only request is already used. */
async function keyWith(options: {
  scopes?: string[];
  limit?: number;
  usedUp?: boolean;
  expiresAt?: Date;
}): Promise<string> {
  const { key } = await createKey(server.app.db, {
    companyId: shop.company_id,
    name: 'till',
    scopes: options.scopes ?? ['*'],
    requestsPerHour: options.usedUp ? 1 : (options.limit ?? 0),
    expiresAt: options.expiresAt ?? null,
    now: server.clock.now(),
    actor: 'test',
  });
  if (options.usedUp) await send('commerce', 'GET', '/things', { 'x-api-key': key });
  return key;
}

const NOT_A_KEY = 'tl_live_0000000000000000000000000000000000000000000000';

describe.each(SIDES)('the order of checks on the %s API', (side) => {
  const unauthorized = side === 'commerce' ? 'invalid_key' : 'unauthorized';

  it('asks for the key before anything else, also where there is no address', async () => {
    for (const [method, path, raw] of [
      ['GET', '/things', undefined],
      ['POST', '/things', '{broken'],
      ['GET', '/nowhere', undefined],
      ['GET', '/things/%zz', undefined],
      ['DELETE', '/things', undefined],
      ['PUT', '/things', '{}'],
    ] as const) {
      const none = await send(
        side,
        method,
        path,
        { 'x-company-id': '1', 'x-api-version': '9', 'api-version': '9' },
        raw,
      );
      expect([method, path, none.status]).toEqual([method, path, 401]);
      expect(reasonOf(side, none)).toBe(side === 'commerce' ? 'missing_key' : 'unauthorized');
      const wrong = await send(side, method, path, headersOf(side, NOT_A_KEY), raw);
      expect([method, path, wrong.status]).toEqual([method, path, 401]);
      expect(reasonOf(side, wrong)).toBe(unauthorized);
      expect(wrong.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  it.each(['', ' ', 'x', 'tl_live_', NOT_A_KEY, 'Bearer', 'Basic abc', "' or 1=1 --", 'x'.repeat(5_000)])(
    'takes %j for no key',
    async (key) => {
      expect((await send(side, 'GET', '/things', headersOf(side, key))).status).toBe(401);
    },
  );

  it('counts the request before it looks at address, scope, version and body', async () => {
    const key = await keyWith({ usedUp: true, scopes: ['customers:read'] });
    const headers = { ...headersOf(side, key), 'api-version': '9', 'x-api-version': '9' };
    for (const [method, path] of [
      ['GET', '/things'],
      ['GET', '/nowhere'],
      ['POST', '/things'],
    ] as const) {
      const response = await send(side, method, path, headers, method === 'POST' ? '{broken' : undefined);
      expect(response.status).toBe(429);
      expect(reasonOf(side, response)).toBe(side === 'commerce' ? 'rate_limited' : 'rate_limit_exceeded');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3_500);
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('finds the address before it reads a body or asks for a version', async () => {
    const key = await keyWith({ scopes: ['customers:read'] });
    const headers = { ...headersOf(side, key), 'content-type': 'text/plain', 'api-version': '9', 'x-api-version': '9' };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(side, method, '/nowhere', headers, 'not even json');
      expect([method, response.status, reasonOf(side, response)]).toEqual([method, 404, 'not_found']);
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect((await send(side, method, '/nowhere', headers)).status).toBe(404);
    }
  });

  it('asks for the scope before version, path, query and body', async () => {
    const key = await keyWith({ scopes: ['customers:read'] });
    const headers = { ...headersOf(side, key), 'api-version': '9', 'x-api-version': '9' };
    for (const [method, path] of [
      ['GET', '/things/x'],
      ['GET', '/things?page=0'],
      ['POST', '/things'],
    ] as const) {
      const response = await send(side, method, path, headers, method === 'POST' ? '{broken' : undefined);
      expect([path, response.status]).toEqual([path, side === 'commerce' ? 403 : 401]);
    }
  });

  it('asks for the version before path, query and body', async () => {
    const headers = { ...headersOf(side, shop.key), 'api-version': '9', 'x-api-version': '9' };
    for (const path of ['/things/x', '/things?page=0']) {
      const response = await send(side, 'GET', path, headers);
      expect(response.status).toBe(400);
      expect(JSON.stringify(response.body)).toContain('version');
    }
  });

  it('returns 404 for the path before it validates the body', async () => {
    const response = await send(side, 'POST', '/things/abc/poke', headersOf(side, shop.key), '{broken');
    expect(response.status).toBe(404);
  });

  it('is reported in every response', async () => {
    const version = side === 'commerce' ? 'api-version' : 'x-api-version';
    for (const headers of [{}, headersOf(side, shop.key)]) {
      for (const path of ['/things', '/nowhere', '/things/%zz', '/things/7']) {
        const response = await send(side, 'GET', path, headers);
        expect(response.headers.get(version)).toBe(side === 'commerce' ? '1.25' : '1');
        expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    }
  });

  it('keeps only valid request ids', async () => {
    const headers = headersOf(side, shop.key);
    const kept = await send(side, 'GET', '/things/7', { ...headers, 'x-request-id': 'order-17:retry_2.b' });
    expect(kept.headers.get('x-request-id')).toBe('order-17:retry_2.b');
    if (side === 'commerce') expect(kept.body.error.details.request_id).toBe('order-17:retry_2.b');
    for (const bad of ['a b', '"', 'x'.repeat(129), '{}', 'a,b']) {
      const response = await send(side, 'GET', '/things', { ...headers, 'x-request-id': bad });
      expect(response.headers.get('x-request-id')).not.toBe(bad);
    }
  });

  it('speaks its own version when asked for it', async () => {
    const headers = { ...headersOf(side, shop.key), 'api-version': '1.25', 'x-api-version': '1' };
    expect((await send(side, 'GET', '/things', headers)).status).toBe(200);
  });

  it('accepts a key until it expires', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 60_000);
    const headers = headersOf(side, await keyWith({ expiresAt }));
    expect((await send(side, 'GET', '/things', headers)).status).toBe(200);
    server.clock.advance(59_999);
    expect((await send(side, 'GET', '/things', headers)).status).toBe(200);
    server.clock.advance(1);
    expect((await send(side, 'GET', '/things', headers)).status).toBe(401);
  });

  it('limits the failures of an address to 30 a minute, and never a valid key from there', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) {
      const headers = i % 2 === 0 ? {} : headersOf(side, NOT_A_KEY);
      const response = await send(side, 'GET', '/things', headers);
      statuses.push(response.status);
      if (response.status === 429) expect(response.headers.get('retry-after')).toBe('60');
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429]);
    expect((await send(side, 'GET', '/things', headersOf(side, shop.key))).status).toBe(200);
    server.clock.advance(60_000);
    expect((await send(side, 'GET', '/things', {})).status).toBe(401);
  });
});

describe('X-Company-ID', () => {
  const ask = (company: string | undefined, key = shop.key) =>
    send('marketing', 'GET', '/things', {
      authorization: `Bearer ${key}`,
      ...(company === undefined ? {} : { 'x-company-id': company }),
    });

  it.each([
    undefined,
    '',
    '0',
    '-1',
    '1.0',
    '1.5',
    '01',
    'abc',
    '1e3',
    '9007199254740993',
    '99999999999999999999',
    '1, 1',
    ' ',
    '٣',
  ])('of %j is a bad request', async (company) => {
    const response = await ask(company === '٣' ? Buffer.from('٣').toString('latin1') : company);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: 'bad_request',
      code: 400,
      message: expect.stringContaining('X-Company-ID'),
    });
  });

  it('of another company gets the same response as a wrong key, to the letter', async () => {
    const wrong = await ask(String(shop.company_id), NOT_A_KEY);
    for (const company of [other.company_id, 999_999]) {
      const response = await ask(String(company));
      expect(response.status).toBe(401);
      expect(response.body).toEqual(wrong.body);
    }
    expect((await ask(undefined, NOT_A_KEY)).body).toEqual(wrong.body);
  });

  it('is not all that a 401 can be about: its message names the key, the company or the scope', async () => {
    const messageOf = async (headers: Record<string, string>, path = '/things') =>
      (await send('marketing', 'GET', path, headers)).body.message;
    expect(await messageOf({ 'x-company-id': String(shop.company_id) })).toMatch(/key is missing.*Authorization/);
    expect(await messageOf(headersOf('marketing', NOT_A_KEY))).toMatch(/key is invalid.*X-Company-ID/);
    const tooFew = headersOf('marketing', await keyWith({ scopes: ['customers:read'] }));
    expect(await messageOf(tooFew)).toBe('The API key lacks the scope products:read');
  });

  it('is checked before the rate: 400 and 401 even when the key is used up', async () => {
    const key = await keyWith({ usedUp: true });
    expect((await ask(undefined, key)).status).toBe(400);
    expect((await ask(String(other.company_id), key)).status).toBe(401);
    expect((await ask(String(shop.company_id), key)).status).toBe(429);
  });

  it('wrong or missing, the request counts: its key is valid', async () => {
    const key = await keyWith({ limit: 5 });
    const remaining = async (company: string | undefined) =>
      (await ask(company, key)).headers.get('x-ratelimit-remaining');
    expect(await remaining(undefined)).toBe('4');
    expect(await remaining(String(other.company_id))).toBe('3');
    expect(await remaining(String(shop.company_id))).toBe('2');
  });

  it('is not looked at on the commerce API', async () => {
    const response = await send('commerce', 'GET', '/things', { 'x-api-key': shop.key, 'x-company-id': '77' });
    expect(response.status).toBe(200);
  });
});

describe('addresses', () => {
  it('of the marketing API exist with and without the version', async () => {
    const headers = headersOf('marketing', shop.key);
    const made = await server.request('POST', '/marketing/things', { body: { name: 'one' }, headers });
    expect(made.status).toBe(201);
    const [long, short] = await Promise.all(
      ['/marketing/v1', '/marketing'].map((root) =>
        server.request('GET', `${root}/things/${made.body.id}`, { headers }),
      ),
    );
    expect(short!.body).toEqual(long!.body);
  });

  it.each([
    ['/commerce/v1/nowhere', { success: false, error: { code: 401 } }],
    ['/commerce/v2/products', { success: false, error: { code: 404, details: { reason: 'not_found' } } }],
    ['/commerce', { success: false, error: { code: 404 } }],
    ['/marketing/v2/nowhere', { error: 'unauthorized', code: 401 }],
    ['/nowhere', { error: 'not_found', code: 404 }],
    ['/', { error: 'not_found', code: 404 }],
    ['/%', { error: 'not_found', code: 404 }],
  ])('that do not exist: %s has the error format of its API', async (path, body) => {
    const response = await server.request('GET', path);
    expect(response.body).toMatchObject(body);
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it.each([
    '0',
    '-1',
    '1.0',
    '01',
    'abc',
    '9007199254740992',
    '9'.repeat(400),
    '1%00',
    '%00',
    '%zz',
    '%c3%28',
    '%ff',
    '1e3',
    ' 1',
    '+1',
    '1%2f2',
    '..%2f1',
    '%F0%9F%92%A9',
  ])('with the id %j lead to nothing', async (id) => {
    for (const side of SIDES) {
      const response = await send(side, 'GET', `/things/${id}`, headersOf(side, shop.key));
      expect([side, response.status]).toEqual([side, 404]);
    }
  });

  it('of another company lead to nothing', async () => {
    const made = await shop.commerce('POST', '/things', { name: 'mine' });
    expect((await shop.commerce('GET', `/things/${made.body.data.id}`)).status).toBe(200);
    const foreign = await other.commerce('GET', `/things/${made.body.data.id}`);
    const absent = await other.commerce('GET', '/things/999999');
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.message.replace(/\d+/, '')).toBe(absent.body.error.message.replace(/\d+/, ''));
  });
});
