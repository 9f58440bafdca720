import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer();
const PRODUCTS = 20;

/** Returns the raw response bytes: `fetch` would decompress what it requested. */
async function read(path: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ encoding: string | undefined; body: Buffer }>();
  get(`${server.origin}${path}`, { headers }, async (response) => {
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(pieces) });
  }).on('error', reject);
  return promise;
}

describe('responses are compressed', () => {
  let shop: TestCompany;
  let cookie: string;

  beforeAll(async () => {
    shop = await server.company();
    for (let i = 0; i < PRODUCTS; i++) {
      await shop.commerce('POST', '/products', { name: `Tea ${i}`, price: 10, stock_qty: 40 });
    }
    ({ cookie } = await testPerson(server, { [shop.company_id]: 'owner' }));
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('for people, by %s where the browser reads it', async (encoding, decompress) => {
    const path = `/admin/api/${shop.company_id}/products`;
    const plain = await read(path, { cookie });
    const small = await read(path, { cookie, 'accept-encoding': encoding });
    expect(plain.encoding).toBeUndefined();
    expect(small.encoding).toBe(encoding);
    expect(JSON.parse(decompress(small.body).toString()).data).toEqual(JSON.parse(plain.body.toString()).data);
    expect(small.body.length * 4).toBeLessThan(plain.body.length);
  });

  test('of a long list, whole, while it is made', async () => {
    const large = await server.company();
    for (let i = 0; i < 8; i++) {
      const product = { name: `Tea ${i}`, price: 10, description: 'Größe 🛒 "8" '.repeat(4_000) };
      expect(await large.commerce('POST', '/products', product)).toMatchObject({ status: 201 });
    }
    const owner = await testPerson(server, { [large.company_id]: 'owner' });
    const path = `/admin/api/${large.company_id}/products`;
    const plain = await read(path, { cookie: owner.cookie });
    const small = await read(path, { cookie: owner.cookie, 'accept-encoding': 'br' });
    expect([plain.encoding, small.encoding]).toEqual([undefined, 'br']);
    const { data } = JSON.parse(brotliDecompressSync(small.body).toString()) as { data: object[] };
    expect(data).toHaveLength(8);
    expect(data).toEqual(JSON.parse(plain.body.toString()).data);
    expect(small.body.length * 20).toBeLessThan(plain.body.length);
  });

  test('not where it would save less than a packet', async () => {
    const { encoding, body } = await read('/admin/api/session', { cookie, 'accept-encoding': 'br' });
    expect(JSON.parse(body.toString()).companies).toHaveLength(1);
    expect(encoding).toBeUndefined();
  });

  test('not for programs, whose keys may be next to text of others', async () => {
    const headers = { 'x-api-key': shop.key, 'accept-encoding': 'br' };
    const { encoding, body } = await read('/commerce/v1/products', headers);
    expect(JSON.parse(body.toString()).data).toHaveLength(PRODUCTS);
    expect(encoding).toBeUndefined();
  });

  test('not where they are streams', async () => {
    const customer = await shop.commerce('POST', '/customers', { email: 'ada@example.com', name: 'Ada' });
    const path = `/admin/api/${shop.company_id}/customers/${customer.body.data.id}/export`;
    const { encoding, body } = await read(path, { cookie, 'accept-encoding': 'br' });
    expect(body.toString()).toContain('ada@example.com');
    expect(encoding).toBeUndefined();
  });
});
