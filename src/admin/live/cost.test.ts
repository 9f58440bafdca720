import { expect, test } from 'vitest';
import type { Statement } from '../../db/sql.ts';
import { parameterOf } from '../../db/wire/values.ts';
import { testServer } from '../../testing/harness.ts';
import { readMarks } from './queries.ts';

const server = testServer();

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

async function blocksOf(companies: number[]): Promise<number> {
  const asked: Statement[] = [];
  const month = new Date(new Date().toISOString().slice(0, 7));
  const query = async <Row>(statement: Statement): Promise<Row[]> => {
    asked.push(statement);
    return [];
  };
  await readMarks({ query }, companies, month);
  const [row] = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${asked[0]!.text}`,
    asked[0]!.values.map(parameterOf),
  );
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = row!['QUERY PLAN'][0].Plan;
  return hit + read;
}

test('a poll of a company reads the same number of rows however large it is', async () => {
  const small = (await server.company()).company_id;
  const large = (await server.company()).company_id;
  const n = 30_000;
  await server.rows(
    `insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, data)
     select c, i + c * 1000000, now(), now(), 1, 'product_viewed', 'api', '{}'
     from (values ($1::bigint, 5), ($2::bigint, $3::int)) v (c, n), generate_series(1, v.n) i`,
    [small, large, n],
  );
  for (const table of ['campaigns', 'imports']) {
    const given = table === 'campaigns' ? ['name, type, created_at, updated_at', "'x', 'email', now(), now()"] : null;
    const [columns, values] = given ?? ['format, file_name, status, actor, created_at', "'x', 'x', 'done', 'x', now()"];
    await server.rows(
      `insert into ${table} (company_id, ${columns}) select $1, ${values} from generate_series(1, 5000)`,
      [large],
    );
  }
  await server.rows('vacuum analyze events, campaigns, imports, live_marks');
  const [few, many] = [await blocksOf([small]), await blocksOf([large])];
  expect(many).toBeLessThan(150);
  expect(many).toBeLessThan(few + 60);
  // And each further company costs no more than the first.
  expect(await blocksOf([small, large])).toBeLessThan(few + many + 20);
});
