import { beforeAll, expect, it } from 'vitest';
import { createKey, revokeKey } from '../../access/api-key-service.ts';
import { SCOPES } from '../../access/scopes.ts';
import { type TestResponse, testServer } from '../harness.ts';
import type { Side } from '../recipes.ts';
import { type FilledRequest, fill } from './requests.ts';
import { type SeededCompany, seedCompany } from './seed.ts';
import { WALKED } from './valid-requests.ts';

/** Keys of one company at every endpoint, with valid requests: a key may do what its scopes allow; its responses are its own. */
const server = testServer();
let company: SeededCompany;
/** An import, which belongs to the settings, also needs the scopes of what is imported; the walker's are contacts. */
const BESIDE: Record<string, string[]> = {
  'settings:read': ['marketing:read'],
  'settings:write': ['marketing:write'],
};
/** By scope: two keys that have only this scope, and one that has all others. */
const keys = new Map<string, { first: string; second: string; others: string }>();
let ended: { key: string; key_id: number };
/** Responses stored for the Idempotency-Keys of the key that is revoked. */
const stored: { name: string; request: FilledRequest; headers: Record<string, string> }[] = [];

const makeKey = (name: string, scopes: string[]) =>
  createKey(server.app.db, {
    companyId: company.shop.company_id,
    name,
    scopes,
    requestsPerHour: 0,
    expiresAt: null,
    actor: 'test',
    now: server.clock.now(),
  });

beforeAll(async () => {
  company = await seedCompany(server, 'sparrow');
  for (const scope of SCOPES) {
    const held = [scope, ...(BESIDE[scope] ?? [])];
    const [first, second] = [await makeKey('first', held), await makeKey('second', held)];
    const others = await makeKey(
      'others',
      SCOPES.filter((one) => one !== scope),
    );
    keys.set(scope, { first: first.key, second: second.key, others: others.key });
  }
  ended = await makeKey('ended', ['*']);
}, 30_000);

const authOf = (side: Side, key: string): Record<string, string> =>
  side === 'commerce'
    ? { 'x-api-key': key }
    : { authorization: `Bearer ${key}`, 'x-company-id': String(company.shop.company_id) };

function send({ side, method, path, body }: FilledRequest, headers: Record<string, string>): Promise<TestResponse> {
  return server.request(method, `/${side}/v1${path}`, { body, headers });
}

const isReplayed = ({ headers }: TestResponse): boolean => headers.get('idempotent-replayed') === 'true';
const bodyOf = ({ body }: TestResponse): string => JSON.stringify(body).replace(/"request_id":"[^"]*"/, '');

it.each(WALKED)('$name: scope and Idempotency-Key are each key’s own', async ({ name, side, endpoint, requests }) => {
  const [request] = requests;
  const { first, second, others } = keys.get(endpoint.scope)!;
  const filled = async () => {
    const ids = { ...company.ids, ...(await request!.before?.(company)) };
    return fill({ side, endpoint }, request!, ids);
  };
  const asked = await filled();
  const refused = await send(asked, authOf(side, others));
  expect(refused.status, bodyOf(refused)).toBe(side === 'commerce' ? 403 : 401);
  if (side === 'commerce') expect(refused.body.error.details.required).toBe(endpoint.scope);
  // Authenticates as the other API does: this API does not look for the key there.
  server.clock.advance(61_000);
  const otherSide = side === 'commerce' ? 'marketing' : 'commerce';
  expect((await send(asked, authOf(otherSide, first))).status).toBe(401);

  const replays = (endpoint.method === 'POST' || endpoint.method === 'PATCH') && !endpoint.repeatable;
  const once: Record<string, string> = replays ? { 'idempotency-key': name } : {};
  const succeeded = await send(asked, { ...authOf(side, first), ...once });
  expect([endpoint.status, endpoint.alsoStatus], bodyOf(succeeded)).toContain(succeeded.status);
  if (!replays) return;
  const again = await send(asked, { ...authOf(side, first), ...once });
  expect([isReplayed(again), again.status, bodyOf(again)]).toEqual([true, succeeded.status, bodyOf(succeeded)]);
  const elsewhere = await send(asked, { ...authOf(side, second), ...once });
  expect(isReplayed(elsewhere)).toBe(false);
  if (elsewhere.status === 201) expect(bodyOf(elsewhere)).not.toBe(bodyOf(succeeded));
  const { secret } = succeeded.body;
  if (endpoint.returnsSecret && secret !== undefined) expect(elsewhere.body.secret).not.toBe(secret);
  const own = await send(asked, { ...authOf(side, second), ...once });
  expect([isReplayed(own), own.status, bodyOf(own)]).toEqual([true, elsewhere.status, bodyOf(elsewhere)]);

  const last = await filled();
  const kept = await send(last, { ...authOf(side, ended.key), ...once });
  expect(isReplayed(kept)).toBe(false);
  stored.push({ name, request: last, headers: { ...authOf(side, ended.key), ...once } });
});

it('a revoked key gets nothing, not even stored responses', async () => {
  expect(stored.length).toBeGreaterThan(60);
  await revokeKey(server.app.db, ended.key_id, { now: server.clock.now(), actor: 'test' });
  await server.app.versions.refresh();
  for (const { name, request, headers } of stored) {
    server.clock.advance(61_000);
    const response = await send(request, headers);
    expect([name, response.status, isReplayed(response)]).toEqual([name, 401, false]);
    const { error, message } = response.body;
    if (request.side === 'commerce') expect(error.details.reason).toBe('invalid_key');
    else expect(message).toMatch(/^The API key is invalid/);
  }
});
