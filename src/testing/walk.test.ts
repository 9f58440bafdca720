import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, revokeKey } from '../access/api-key-service.ts';
import { SCOPES } from '../access/scopes.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { type TestCompany, testServer } from './harness.ts';
import type { Ids, Side } from './recipes.ts';
import { addressOf, bodyOf, ENDPOINTS, makeRecords } from './records.ts';

/** Holds for every endpoint; the list of endpoints comes from routes.ts. */
const server = testServer({ impatient: true, described: true });
let shop: TestCompany;
let ids: Ids;
let revoked: string;

const makeKey = (scopes: string[], requestsPerHour = 0) =>
  createKey(server.app.db, {
    companyId: shop.company_id,
    name: 'walker',
    scopes,
    requestsPerHour,
    expiresAt: null,
    now: server.clock.now(),
    actor: 'test',
  });

beforeAll(async () => {
  shop = await server.company();
  ids = await makeRecords(server, shop, 'walker');
  const ended = await makeKey(['*']);
  await revokeKey(server.app.db, ended.key_id, { now: server.clock.now(), actor: 'test' });
  revoked = ended.key;
});

// An address may fail 30 times a minute without a valid key.
beforeEach(() => server.clock.advance(61_000));

function send(
  side: Side,
  method: string,
  path: string,
  key: string | null,
  body?: unknown,
  more?: Record<string, string>,
) {
  const auth: Record<string, string> =
    side === 'commerce'
      ? { 'x-api-key': key ?? '' }
      : { authorization: `Bearer ${key ?? ''}`, 'x-company-id': String(shop.company_id) };
  const raw = typeof body === 'string' ? { raw: body } : { body };
  return server.request(method, `/${side}/v1${path}`, { ...raw, headers: { ...auth, ...more } });
}

const walked = ENDPOINTS.filter(({ endpoint }) => endpoint.scope !== 'public');
const named = walked.map(({ side, endpoint }) => ({
  side,
  endpoint,
  name: `${endpoint.method} ${side}${endpoint.path}`,
}));
const address = (endpoint: (typeof named)[number]['endpoint']): string => addressOf(endpoint, ids) ?? endpoint.path;

it('every address leads to a record that the walkers make', () => {
  expect(
    walked.filter(({ endpoint }) => addressOf(endpoint, ids) === null).map(({ endpoint }) => endpoint.path),
  ).toEqual([]);
  expect(walked.length).toBeGreaterThan(50);
});

it('every array that a body may hold is bounded', () => {
  interface Part {
    type?: string | string[];
    maxItems?: number;
    items?: Part;
    properties?: Record<string, Part>;
  }
  const endless = ({ type = '', maxItems, items, properties = {} }: Part, path: string): string[] => [
    ...([type].flat().includes('array') && maxItems === undefined ? [path] : []),
    ...(items === undefined ? [] : endless(items, `${path}[]`)),
    ...Object.entries(properties).flatMap(([name, part]) => endless(part, `${path}.${name}`)),
  ];
  const found = ENDPOINTS.flatMap(({ side, endpoint }) =>
    endless((endpoint.body ?? {}) as Part, `${endpoint.method} ${side}${endpoint.path}`),
  );
  expect(found).toEqual([]);
});

describe.each(named)('$name', ({ side, endpoint }) => {
  const { method, scope } = endpoint;
  const body = bodyOf(endpoint);

  it('refuses no key, a wrong key and a revoked key alike, with 401', async () => {
    const wrong = `${'tl_live_'.padEnd(48, '0')}000000`;
    for (const key of [null, wrong, revoked]) {
      const response = await send(side, method, address(endpoint), key, body);
      expect(response.status).toBe(401);
      expect(response.headers.get('x-ratelimit-limit')).toBeNull();
      const reason = side === 'commerce' ? response.body.error.details.reason : response.body.error;
      expect(reason).toBe(side === 'marketing' ? 'unauthorized' : key === null ? 'missing_key' : 'invalid_key');
    }
  });

  it('asks for its scope', async () => {
    const { key } = await makeKey(SCOPES.filter((one) => one !== scope));
    const response = await send(side, method, address(endpoint), key, body);
    expect(response.status).toBe(side === 'commerce' ? 403 : 401);
    if (side === 'commerce')
      expect(response.body.error.details).toMatchObject({ reason: 'missing_scope', required: scope });
  });

  it('refuses a key that is used up, with 429', async () => {
    const { key } = await makeKey(['*'], 1);
    expect((await send(side, 'GET', '/nowhere', key)).status).toBe(404);
    const response = await send(side, method, address(endpoint), key, body);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('says how much of the limit is left, and the version of the API', async () => {
    const response = await send(side, 'GET', address(endpoint), shop.key);
    expect(response.headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
    expect(response.headers.get(side === 'commerce' ? 'api-version' : 'x-api-version')).not.toBeNull();
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it('refuses another version than its own, with 400', async () => {
    const header = side === 'commerce' ? 'api-version' : 'x-api-version';
    expect((await send(side, method, address(endpoint), shop.key, body, { [header]: '0' })).status).toBe(400);
  });

  if (endpoint.path.includes('{')) {
    it('knows no record of an id that nothing has, with 404', async () => {
      const texts = endpoint.params!.properties.id === undefined || 'type' in endpoint.params!.properties.id;
      for (const id of ['999999999', ...(texts ? ['0', 'no_such', '%00', '%F0%9F%92%A9'] : [])]) {
        const path = endpoint.path.replace(/\{\w+\}/, id) + requiredQuery(endpoint);
        const response = await send(side, method, path, shop.key, withoutIds(endpoint, body));
        expect([id, response.status]).toEqual([id, 404]);
      }
    });
  }

  if (endpoint.query !== undefined) {
    it('refuses every parameter of its query that makes no sense, with 400', async () => {
      for (const [name, schema] of Object.entries(endpoint.query!.properties) as [
        string,
        { type?: string; enum?: unknown; 'x-repeatable'?: true },
      ][]) {
        const wrong = schema.type === 'string' && schema.enum === undefined ? '%00' : 'no-such-value';
        const response = await send(side, method, `${address(endpoint)}?${name}=${wrong}`, shop.key);
        expect([name, response.status]).toEqual([name, 400]);
        if (schema['x-repeatable']) continue;
        const twice = await send(side, method, `${address(endpoint)}?${name}=1&${name}=1`, shop.key);
        expect([name, twice.status]).toEqual([name, 400]);
      }
    });
  }

  if (body !== undefined) {
    it('returns 400 for anything but a JSON object', async () => {
      for (const raw of ['{', '[]', 'null', '"x"', '{"a":1}{}', '{"a":\u0000}']) {
        expect([raw, (await send(side, method, address(endpoint), shop.key, raw)).status]).toEqual([raw, 400]);
      }
      const plain = await send(side, method, address(endpoint), shop.key, '{}', { 'content-type': 'text/plain' });
      expect(plain.status).toBe(400);
    });

    it('refuses every field of a wrong type, naming it', async () => {
      for (const [name, schema] of Object.entries(endpoint.body!.properties) as [
        string,
        { type?: string | string[] },
      ][]) {
        const types = [schema.type ?? []].flat();
        const wrong = types.includes('object') ? 7 : { wrong: true };
        if (types.length === 0) continue;
        const response = await send(side, method, address(endpoint), shop.key, { ...body, [name]: wrong });
        expect([name, response.status]).toEqual([name, side === 'commerce' ? 422 : 400]);
        const fields = side === 'commerce' ? response.body.error.details.fields : response.body.details;
        expect(fields.map((field: { field: string }) => field.field)).toContain(name);
      }
    });

    it('asks for every field that it needs', async () => {
      for (const name of endpoint.body!.required ?? []) {
        const { [name]: _missing, ...rest } = body;
        const response = await send(side, method, address(endpoint), shop.key, rest);
        expect([name, response.status]).toEqual([name, side === 'commerce' ? 422 : 400]);
        expect(JSON.stringify(response.body)).toContain(`${name} is required`);
      }
    });
  }

  if ((method === 'POST' || method === 'PATCH') && !endpoint.repeatable) {
    it('replays the response to a repeated Idempotency-Key', async () => {
      const key = { 'idempotency-key': `${method} ${side} ${endpoint.path}` };
      const first = await send(side, method, address(endpoint), shop.key, body, key);
      expect(first.status).toBeLessThan(500);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      const second = await send(side, method, address(endpoint), shop.key, body, key);
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      const other = await send(side, method, address(endpoint), shop.key, { ...body, another: 1 }, key);
      expect(other.status).toBe(side === 'commerce' ? 422 : 400);
      expect(other.headers.get('idempotent-replayed')).toBeNull();
    });
  }
});

/** Leaves out ids, which might not exist themselves, except those that the body requires. */
function withoutIds(
  endpoint: Endpoint,
  body: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  const required = (endpoint.body as { required?: string[] } | undefined)?.required ?? [];
  return Object.fromEntries(Object.entries(body).filter(([name]) => required.includes(name) || !/_ids?$/.test(name)));
}

/** The required query parameters, which are ids. */
function requiredQuery({ query }: Endpoint): string {
  const required = (query as { required?: string[] } | undefined)?.required ?? [];
  return required.length === 0 ? '' : `?${required.map((name) => `${name}=1`).join('&')}`;
}
