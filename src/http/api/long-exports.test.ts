import { get, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import { nextMatchingContacts } from '../../marketing/contacts/service.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import type { Side } from '../../testing/recipes.ts';
import { measuredPlan, recordStatements, rowsRead } from '../../testing/statements.ts';

const server = testServer();

const headersOf = (side: Side): Record<string, string> =>
  side === 'commerce'
    ? { 'x-api-key': long.key }
    : { authorization: `Bearer ${long.key}`, 'x-company-id': String(long.company_id) };

let long: TestCompany;

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes in use: uncollected garbage depends on whatever else the process does. */
function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('of a hundred thousand', () => {
  const ROWS = 100_000;
  let list: number;
  let segment: number;

  beforeAll(async () => {
    long = await server.company();
    const { company_id: company } = long;
    list = (await long.marketing('POST', '/lists', { name: 'All' })).body.list_id;
    const rules = [{ field: 'first_name', comparison: 'equals', value: '=A' }];
    segment = (await long.marketing('POST', '/segments', { name: 'A', conditions: { operator: 'and', rules } })).body
      .segment_id;
    await server.rows(
      `insert into contacts (company_id, external_id, email, first_name, search, email_consent, created_at, updated_at)
       select $1, n, 'c' || n || '@example.com', case when n % 2 = 0 then '=A' else 'B' end, 'c' || n || '@example.com', 'subscribed', now(), now()
       from generate_series(1, $2::int) n`,
      [company, ROWS],
    );
    await server.rows(
      `insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
       select company_id, $2, id, 'active', now(), now() from contacts where company_id = $1`,
      [company, list],
    );
    await server.rows(
      `insert into products (company_id, name, slug, price, description, search, in_stock, created_at, updated_at)
       select $1, 'Mug ' || n, 'mug-' || n, 1000, repeat('x', 500), 'mug ' || n, true, now(), now() from generate_series(1, $2::int) n`,
      [company, ROWS],
    );
    await server.rows('insert into product_stock select company_id, id, 5 from products where company_id = $1', [
      company,
    ]);
    await server.rows("select fold_deltas('counter')");
    await server.rows('vacuum analyze contacts, list_memberships, products, product_stock');
  }, 120_000);

  /** Returns the number of lines, and the peak growth of memory. */
  async function counted(path: string, side: Side): Promise<{ lines: number; distinct: number; grown: number }> {
    const response = await fetch(`${server.origin}/${side}/v1${path}`, { headers: headersOf(side) });
    expect(response.status).toBe(200);
    const seen = new Set<number>();
    let rest = '';
    let lines = 0;
    let most = 0;
    let measured = 0;
    const before = heapInUse();
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop()!;
      lines += parts.length;
      for (const part of parts) seen.add(Number(/"(?:contact_)?id":(\d+)/.exec(part)![1]));
      if (lines >= measured + 20_000) {
        measured = lines;
        most = Math.max(most, heapInUse());
      }
    }
    return { lines, distinct: seen.size, grown: (most - before) / 2 ** 20 };
  }

  test.each([
    ['marketing', (): string => '/contacts?format=jsonl', ROWS],
    ['marketing', (): string => `/contacts?format=jsonl&list_id=${list}`, ROWS],
    ['marketing', (): string => `/contacts?format=jsonl&segment_id=${segment}`, ROWS / 2],
    ['marketing', (): string => '/contacts?format=jsonl&sort=email_desc', ROWS],
    ['marketing', (): string => `/contacts?format=jsonl&segment_id=${segment}&sort=last_activity_asc`, ROWS / 2],
    ['commerce', (): string => '/products?format=jsonl', ROWS],
    ['commerce', (): string => '/products?format=jsonl&sort=price_asc', ROWS],
    ['commerce', (): string => '/products?format=jsonl&sort=stock_desc', ROWS],
  ] as const)('%s %s gives each once, in little memory', { timeout: 120_000 }, async (side, path, rows) => {
    const { lines, distinct, grown } = await counted(path(), side);
    expect([lines, distinct]).toEqual([rows, rows]);
    // As text, each would be 900 bytes; some of it is the ids that this test collects.
    expect(grown * 2 ** 20).toBeLessThan(600 * rows);
  });

  test('of a list, the contacts after the others are found without reading these', async () => {
    const { db } = server.app;
    const [{ last } = { last: 0 }] = await server.rows<{ last: number }>('select max(id)::int as last from contacts');
    const range = { after: last - ROWS / 2, upto: last, limit: 100, now: server.clock.now() };
    const sent = await recordStatements(async () => {
      const found = await nextMatchingContacts(
        db.lists(long.company_id),
        long.company_id,
        { list_id: list },
        null,
        range,
      );
      expect(found).toEqual(Array.from({ length: 100 }, (_, n) => last - ROWS / 2 + 1 + n));
    });
    const found = sent.find((one) => one.text.includes('from list_memberships m join'))!;
    const plan = await measuredPlan(server.rows, found);
    expect(rowsRead(plan, 'list_memberships') + rowsRead(plan, 'contacts')).toBeLessThan(1_000);
  });

  test('is read no faster than the client takes it, and no more once the client has gone', async () => {
    let pages = 0;
    const query = server.app.db.lists;
    server.app.db.lists = (companyId) => {
      if (companyId === long.company_id) pages++;
      return query.call(server.app.db, companyId);
    };
    try {
      const request = get(`${server.origin}/commerce/v1/products?format=csv`, { headers: headersOf('commerce') });
      const response = await new Promise<IncomingMessage>((resolve) => request.on('response', resolve));
      response.pause();
      await expect
        .poll(async () => {
          const before = pages;
          await new Promise((resolve) => setTimeout(resolve, 300));
          return pages - before;
        })
        .toBe(0);
      expect(pages).toBeGreaterThan(1);
      expect(pages).toBeLessThan(300);
      const held = pages;
      response.resume();
      await expect.poll(() => pages).toBeGreaterThan(held);
      response.destroy();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const left = pages;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(pages).toBe(left);
    } finally {
      server.app.db.lists = query;
    }
  });

  test('two run at a time, and a third one waits', async () => {
    const open = await Promise.all(
      [1, 2].map(() => fetch(`${server.origin}/commerce/v1/products?format=csv`, { headers: headersOf('commerce') })),
    );
    const third = await fetch(`${server.origin}/commerce/v1/products?format=csv`, { headers: headersOf('commerce') });
    expect([third.status, Number(third.headers.get('retry-after')) > 0]).toEqual([429, true]);
    await Promise.all(open.map(({ body }) => body!.cancel()));
    await expect
      .poll(async () => {
        const { status, body } = await fetch(`${server.origin}/commerce/v1/products?format=csv`, {
          headers: headersOf('commerce'),
        });
        await body!.cancel();
        return status;
      })
      .toBe(200);
  });
});
