import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';

const server = testServer();
const ROWS = 30_000;
let shop: TestCompany;
let endpointId: number;

beforeAll(async () => {
  shop = await server.company();
  const { company_id: company } = shop;
  const { body } = await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
  endpointId = body.endpoint_id;
  await shop.marketing('POST', '/flows', { name: 'F', trigger_type: 'order_placed' });
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
     select $1, f.id, 1, n, 0, case n % 2 when 0 then 'completed' else 'exited' end, '{}', '{}', now(), now()
     from flows f, generate_series(1, $2::int) n where f.company_id = $1`,
    [company, ROWS],
  );
  await server.rows(
    `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, status, due_at, give_up_at, finished_at, created_at)
     select $1, $2, 'm' || n, 'x', 'x', '{}', case n % 2 when 0 then 'delivered' else 'failed' end, now(), now(), now(), now()
     from generate_series(1, $3::int) n`,
    [company, endpointId, ROWS],
  );
  await server.rows(
    `insert into suppressions (company_id, channel, hash, cause, created_at)
     select $1, 'email', sha256(n::text::bytea), 'manual', now() - n / 3 * interval '1 second' from generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows('analyze flow_runs, webhook_deliveries, suppressions');
});

const LISTS = () =>
  [
    ['runs', '/flows/1/runs', 'run_id'],
    ['deliveries', `/webhook-endpoints/${endpointId}/deliveries`, 'delivery_id'],
    ['suppressions', '/suppressions', 'hash'],
  ] as const;

describe('lists that are read by the record before', () => {
  test('show every record once, in the order of pages', async () => {
    const [flow] = await server.rows<{ id: number }>('select id::int from flows where company_id = $1', [
      shop.company_id,
    ]);
    for (const [name, path, id] of LISTS()) {
      const list = path.replace('/flows/1/', `/flows/${flow!.id}/`);
      const byPage: unknown[] = [];
      for (let page = 1; page <= 5; page++) {
        const { body } = await shop.marketing('GET', `${list}?per_page=7&page=${page}`);
        byPage.push(...body[name].map((row: Record<string, unknown>) => row[id]));
      }
      const byRecord: unknown[] = [];
      while (byRecord.length < byPage.length) {
        const before = byRecord.length === 0 ? '' : `&before=${byRecord.at(-1)}`;
        const { body, status } = await shop.marketing('GET', `${list}?per_page=7${before}`);
        expect([name, status]).toEqual([name, 200]);
        byRecord.push(...body[name].map((row: Record<string, unknown>) => row[id]));
      }
      expect([name, byRecord]).toEqual([name, byPage]);
      expect(new Set(byRecord).size).toBe(35);
    }
  });

  test('read as few rows far back as at the beginning', async () => {
    const [flow] = await server.rows<{ id: number }>('select id::int from flows where company_id = $1', [
      shop.company_id,
    ]);
    const far: Record<string, string | number> = {};
    for (const [table, id, name] of [
      ['flow_runs', 'id', 'runs'],
      ['webhook_deliveries', 'id', 'deliveries'],
      ['suppressions', "encode(hash, 'hex')", 'suppressions'],
    ] as const) {
      const order = table === 'suppressions' ? 'created_at' : 'id';
      const [row] = await server.rows<{ id: string }>(
        `select ${id} as id from ${table} order by ${order} offset 100 limit 1`,
      );
      far[name] = row!.id;
    }
    for (const [name, path] of LISTS()) {
      const list = path.replace('/flows/1/', `/flows/${flow!.id}/`);
      const sent = await recordStatements(() => shop.marketing('GET', `${list}?per_page=20&before=${far[name]}`));
      const pages = sent.filter(
        ({ text }) => /order by \S*\.?(id|created_at) desc/.test(text) && !text.startsWith('select count'),
      );
      expect([name, pages.length]).toEqual([name, 1]);
      const { text, values } = pages[0]!;
      // The total is counted from an index alone; it is no part of finding the page.
      const plan = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      expect([name, sortedRows(plan[0]!['QUERY PLAN'][0].Plan)]).toEqual([name, expect.any(Number)]);
      expect(sortedRows(plan[0]!['QUERY PLAN'][0].Plan)).toBeLessThan(200);
    }
  });
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Plan[];
}

/** Rows that went into a sort or were skipped by a limit: the cost of a page's position. */
function sortedRows(plan: Plan): number {
  const below = (plan.Plans ?? []).map(sortedRows);
  const own =
    plan['Node Type'] === 'Sort' || plan['Node Type'] === 'Limit'
      ? Math.max(...(plan.Plans ?? []).map((one) => one['Actual Rows']))
      : 0;
  return Math.max(own, ...below, 0);
}
