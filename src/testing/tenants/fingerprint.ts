import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { TestServer } from '../harness.ts';

/** Changed by every request: how often a key was used, and the log of requests. */
const COUNTED = new Set(['api_keys', 'api_key_usage', 'api_requests']);

export interface Fingerprints {
  /** For each table, the number and the hash of the company's rows. */
  of(companyId: number): Promise<Record<string, string>>;
}

/** Call it at the top of a test file. Reads all tables of companies in one prepared statement. */
export function fingerprints(server: TestServer): Fingerprints {
  let client: pg.Client;
  let text: string;
  beforeAll(async () => {
    client = new pg.Client(server.connection);
    await client.connect();
    const tables = await client.query<{ name: string }>(`
      select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where a.attname = 'company_id' and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      order by 1`);
    text = tables.rows
      .filter(({ name }) => !COUNTED.has(name))
      .map(
        ({ name }) => `
      select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as rows
      from ${name} t where company_id = $1`,
      )
      .join(' union all ');
    await client.query('set plan_cache_mode = force_generic_plan');
  });
  afterAll(() => client?.end());
  return {
    async of(companyId) {
      const { rows } = await client.query<{ name: string; rows: string }>({
        name: 'fingerprint',
        text,
        values: [companyId],
      });
      return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
    },
  };
}
