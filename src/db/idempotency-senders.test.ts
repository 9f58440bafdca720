import { beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../access/api-key-service.ts';
import { type TestCompany, type TestResponse, testServer } from '../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
/** Another API key of the same company. */
let second: string;

beforeAll(async () => {
  shop = await server.company();
  const { company_id: companyId } = shop;
  const wanted = { companyId, name: 'second', scopes: ['*'], requestsPerHour: 0, expiresAt: null, actor: 'test' };
  second = (await createKey(server.app.db, { ...wanted, now: server.clock.now() })).key;
});

let keys = 0;
const freshKey = (): string => `key-${++keys}`;
const replayed = (response: TestResponse): boolean => response.headers.get('idempotent-replayed') === 'true';
const makeProduct = (name: string, key: string, apiKey = shop.key) =>
  shop.commerce('POST', '/products', { name, price: 1 }, { 'idempotency-key': key, 'x-api-key': apiKey });
const makeEndpoint = (key: string, apiKey = shop.key) => {
  const headers = { 'idempotency-key': key, authorization: `Bearer ${apiKey}` };
  return shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' }, headers);
};
const products = async (name: string): Promise<number> =>
  (await server.rows('select 1 from products where name = $1', [name])).length;

describe('an Idempotency-Key', () => {
  it('belongs to the API key that sent it: another one does the same anew, or something else', async () => {
    const key = freshKey();
    const first = await makeProduct('Tea', key);
    expect((await makeProduct('Coffee', key, second)).status).toBe(201);
    for (const [name, again] of [
      ['Tea', await makeProduct('Tea', key)],
      ['Coffee', await makeProduct('Coffee', key, second)],
    ] as const) {
      expect([again.status, replayed(again), again.body.data.name]).toEqual([201, true, name]);
      expect(await products(name)).toBe(1);
    }
    const same = await makeProduct('Tea', freshKey(), second);
    expect(same.body.data.id).not.toBe(first.body.data.id);
  });

  it('of two API keys at once in one batch is that of both', async () => {
    const key = freshKey();
    const upsert = (email: string, apiKey: string) =>
      shop.marketing('POST', '/contacts', { email }, { 'idempotency-key': key, authorization: `Bearer ${apiKey}` });
    const both = () => Promise.all([upsert('ann@example.com', shop.key), upsert('bob@example.com', second)]);
    const made = await both();
    expect(made.map((one) => [one.status, replayed(one)])).toEqual([
      [201, false],
      [201, false],
    ]);
    expect((await both()).map((one) => [one.body.email, replayed(one)])).toEqual([
      ['ann@example.com', true],
      ['bob@example.com', true],
    ]);
  });

  it('shows no other API key the secret that was shown once', async () => {
    const key = freshKey();
    const first = await makeEndpoint(key);
    const other = await makeEndpoint(key, second);
    expect([other.status, replayed(other)]).toEqual([201, false]);
    expect(other.body.secret).not.toBe(first.body.secret);
    expect((await makeEndpoint(key)).body.secret).toBe(first.body.secret);
  });
});
