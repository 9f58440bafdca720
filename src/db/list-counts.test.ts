import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { rounds } from '../testing/random/seed.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

interface Located {
  total: number;
  below: number;
  rest: number;
  lowest: number;
}

interface Kept {
  bucket: number;
  facet: string;
  n: number;
}

/** Locates a row by definition: through the buckets from the highest on, one after the other. */
function located(kept: Kept[], facets: string[] | null, skip: number): Located {
  const listed = kept.filter(({ facet }) => facets === null || facets.includes(facet));
  const buckets = [...Map.groupBy(listed, ({ bucket }) => bucket)].sort(([a], [b]) => b - a);
  const place: Located = { total: 0, below: 0, rest: 0, lowest: 0 };
  for (const [bucket, rows] of buckets) {
    const n = rows.reduce((sum, row) => sum + row.n, 0);
    if (skip >= place.total && skip < place.total + n) {
      place.below = (bucket + 1) * 4096;
      place.rest = skip - place.total;
    }
    if (n > 0) place.lowest = bucket * 4096;
    place.total += n;
  }
  return skip < place.total ? place : { total: place.total, below: 0, rest: 0, lowest: 0 };
}

test('a page is located in any list, whatever of it is folded', async () => {
  const kept = fc.record({
    // Three spans of 256 buckets, with gaps.
    bucket: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 254, max: 258 }), fc.constant(700)),
    facet: fc.constantFrom('a', 'b', 'c'),
    n: fc.integer({ min: 1, max: 50 }),
  });
  const facets = fc.constantFrom<(string[] | null)[]>(null, ['a'], ['b', 'c'], ['none']);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(kept, { maxLength: 20 }),
      fc.array(kept, { maxLength: 6 }),
      facets,
      fc.nat({ max: 900 }),
      async (folded, pending, asked, skip) => {
        const list = `test:${run++}`;
        const insert = (rows: Kept[]) =>
          server.rows(
            `insert into list_count_deltas (company_id, list, bucket, day, facet, n)
             select $1, $2, r.bucket, '2000-01-01', r.facet, r.n
             from json_to_recordset($3::json) as r (bucket bigint, facet text, n bigint)`,
            [shop.company_id, list, JSON.stringify(rows)],
          );
        // The last of them is undone: its bucket is no longer part of the list.
        const gone = folded.at(-1);
        await insert(folded);
        await server.rows('select fold_list_counts()');
        if (gone !== undefined) await insert([{ ...gone, n: -gone.n }]);
        await server.rows('select fold_list_counts()');
        await insert(pending);
        const [found] = await server.rows<Located>(
          'select total::int, below::int, rest::int, lowest::int from locate_page($1, $2, $3, null, null, $4)',
          [shop.company_id, list, asked, skip],
        );
        expect(found).toEqual(located([...folded.slice(0, -1), ...pending], asked, skip));
      },
    ),
    { numRuns: rounds(40, 150) },
  );
  const spans = (await checkInvariants(server.app.db)).find(({ id }) => id === 'lists.spans');
  expect(spans).toMatchObject({ ok: true });
});

test('the totals of deliveries and runs follow their rows', async () => {
  const { company_id: company } = shop;
  const { body } = await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
  const path = `/webhook-endpoints/${body.endpoint_id}/deliveries`;
  const { flow_id: flow } = (await shop.marketing('POST', '/flows', { name: 'F', trigger_type: 'order_placed' })).body;
  const { flow_id: busy } = (await shop.marketing('POST', '/flows', { name: 'B', trigger_type: 'order_placed' })).body;
  await server.rows(
    `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
     select $1, $2, 'm' || n, 'x', 'x', '{}', now() + interval '1 day', now() + interval '1 day', now() from generate_series(1, 9000) n`,
    [company, body.endpoint_id],
  );
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
     select $1, $2, 1, n, 0, 'completed', '{}', '{}', now(), now() from generate_series(1, 9000) n`,
    [company, flow],
  );
  const totals = async (query = ''): Promise<number> =>
    (await shop.marketing('GET', `${path}?per_page=1${query}`)).body.pagination!.total;
  expect([await totals(), await totals('&status=failed')]).toEqual([9_000, 0]);
  await server.rows(
    "update webhook_deliveries set status = 'failed', finished_at = now() where company_id = $1 and id % 9 = 0",
    [company],
  );
  // Of twice as many runs, every fourth waits, and every fourth came due while the flow was paused.
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, due_at, entered_at)
     select $1, $2, 1, n, 0, 'active', '{}', '{}', now() + interval '1 day', now() from generate_series(1, 18000) n`,
    [company, busy],
  );
  for (const [status, quarter] of [
    ['paused', 1],
    ['completed', 2],
    ['exited', 3],
  ])
    await server.rows(
      'update flow_runs set status = $3 where company_id = $1 and flow_id = $2 and contact_id % 4 = $4',
      [company, busy, status, quarter],
    );
  await server.rows('select fold_list_counts()');
  expect([await totals('&status=failed'), await totals('&status=pending')]).toEqual([1_000, 8_000]);
  await server.rows('delete from webhook_deliveries where company_id = $1 and id % 9 = 0', [company]);
  await server.rows('delete from flow_runs where company_id = $1 and id % 9 = 0', [company]);
  expect([await totals(), await totals('&status=failed')]).toEqual([8_000, 0]);

  // Every page by its number equals the records that follow the record before.
  for (const [list, rows, id] of [
    [path, 'deliveries', 'delivery_id'],
    [`/flows/${flow}/runs`, 'runs', 'run_id'],
    [`/flows/${flow}/runs?status=completed`, 'runs', 'run_id'],
    [`/flows/${busy}/runs?status=active`, 'runs', 'run_id'],
  ] as const) {
    const idsOf = async (query: string): Promise<number[]> =>
      (await shop.marketing('GET', `${list}${list.includes('?') ? '&' : '?'}per_page=100${query}`)).body[rows].map(
        (row: Record<string, number>) => row[id],
      );
    let before = '';
    for (const page of [1, 2, 3, 40, 41, 79, 80]) {
      const ids = await idsOf(`&page=${page}`);
      expect(ids).toHaveLength(100);
      if (before !== '' && page < 4) expect(await idsOf(before)).toEqual(ids);
      before = `&before=${ids.at(-1)}`;
    }
    expect(await idsOf('&page=81')).toEqual([]);
    expect(await idsOf(before)).toEqual([]);
  }
  await holds();
});

/** The kept totals equal the counts. */
async function holds(): Promise<void> {
  const checked = await checkInvariants(server.app.db);
  for (const id of ['lists.spans', 'lists.messages'])
    expect(checked.find((one) => one.id === id)).toMatchObject({ ok: true });
}

test.each([
  ['lists.audit', 'list_count_deltas', "0, '2000-01-01', '', 1", 'audit_log'],
  ['lists.suppressions', 'list_count_deltas', "0, '2000-01-01', '', 1", 'suppressions'],
  ['lists.spans', 'list_spans', "9, '', 1", 'messages'],
])('%s goes red when a row is damaged', async (id, table, values, list) => {
  await server.rows(`insert into ${table} values ($1, $2, ${values})`, [shop.company_id, list]);
  const finding = (await checkInvariants(server.app.db)).find((one) => one.id === id);
  expect(finding).toMatchObject({ ok: false });
  expect(finding!.examples.map(({ company_id }) => company_id)).toEqual([shop.company_id]);
  await server.rows(`delete from ${table} where company_id = $1 and list = $2`, [shop.company_id, list]);
});
