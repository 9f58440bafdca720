import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';

const server = testServer();
let shop: TestCompany;
let product: number;
let customer: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const cartOf = async (body: object = {}): Promise<number> => (await made('/carts', body)).id;
const read = async (id: number) => (await shop.commerce('GET', `/carts/${id}`)).body.data;
const add = (id: number, qty = 1, headers: Record<string, string> = {}): Promise<TestResponse> =>
  shop.commerce('POST', `/carts/${id}/lines`, { lines: [{ product_id: product, qty }] }, headers);
const many = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const turnsOf = (sent: readonly { turn: number }[]) => new Set(sent.map(({ turn }) => turn)).size;

beforeAll(async () => {
  shop = await server.company();
  product = (await made('/products', { name: 'Tea', price: 10, stock_qty: 50 })).id;
  customer = (await made('/customers', { email: 'ann@example.com' })).id;
});

describe('changes of carts that arrive together', () => {
  test('each have their effect, on one cart too', async () => {
    const [one, ...others] = await many(8, () => cartOf());
    const responses = await Promise.all([many(12, () => add(one!)), ...others.map(async (id) => [await add(id)])]);
    expect(new Set(responses.flat().map(({ status }) => status))).toEqual(new Set([200]));
    expect(await read(one!)).toMatchObject({ revision: 13, lines: [{ qty: 12 }] });
    for (const id of others) expect(await read(id)).toMatchObject({ revision: 2, lines: [{ qty: 1 }] });
  });

  test('share a transaction, in which a refused one fails alone and leaves the others', async () => {
    const ids = await many(6, () => cartOf());
    const sent = await recordStatements(async () => {
      const responses = await Promise.all(ids.map((id, i) => add(id, i === 3 ? 51 : 1)));
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 422, 200, 200]);
    });
    expect(sent.filter(({ text }) => /^\s*update carts/.test(text)).length).toBeLessThan(ids.length - 1);
    expect((await read(ids[3]!)).lines).toEqual([]);
  });

  test('with one Idempotency-Key happen once', async () => {
    const id = await cartOf();
    const responses = await many(4, () => add(id, 1, { 'idempotency-key': 'together' }));
    expect(responses.map(({ body }) => body.data)).toEqual(Array(4).fill(responses[0]!.body.data));
    expect(await read(id)).toMatchObject({ revision: 2, lines: [{ qty: 1 }] });
  });

  test('wait for nobody who has locked the cart or the customer of another', async () => {
    const [locked, free] = [await cartOf(), await cartOf()];
    let waiting: Promise<TestResponse>[] = [];
    await server.app.db.tx(async (tx) => {
      await tx.query(sql`select from carts where company_id = ${shop.company_id} and id = ${locked} for update`);
      await tx.query(sql`select from customers where company_id = ${shop.company_id} and id = ${customer} for update`);
      waiting = [add(locked), shop.commerce('POST', '/carts', { customer_id: customer })];
      expect((await add(free)).status).toBe(200);
      await expect.poll(() => server.lockWaits()).toBeGreaterThan(1);
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 201]);
  });

  test('do not lower a revision, and leave it where nothing changes', async () => {
    const id = await cartOf({ note: 'Ring twice', metadata: { b: 1, a: 2 } });
    const patch = (body: object) => shop.commerce('PATCH', `/carts/${id}`, body);
    expect((await patch({ note: 'Ring twice', metadata: { a: 2, b: 1 } })).body.data.revision).toBe(1);
    expect((await patch({ note: 'Ring once' })).body.data.revision).toBe(2);
    expect(await read(id)).toMatchObject({ revision: 2, note: 'Ring once' });
  });
});

test('a new cart takes two round trips, a change three, and a read two', async () => {
  const lines = [{ product_id: product, qty: 1 }];
  const id = await cartOf();
  const turns = async (work: () => Promise<unknown>) => turnsOf(await recordStatements(work));
  expect(await turns(() => cartOf({ lines, email: 'bo@example.com' }))).toBe(2);
  expect(await turns(() => add(id))).toBe(3);
  expect(await turns(() => read(id))).toBe(2);
});

test('reads of carts that arrive together share queries', async () => {
  const ids = await many(12, () => cartOf({ lines: [{ product_id: product, qty: 1 }] }));
  const sent = await recordStatements(() => Promise.all(ids.map(read)));
  expect(sent.filter(({ text }) => /from carts/.test(text)).length).toBeLessThan(ids.length / 2);
});
