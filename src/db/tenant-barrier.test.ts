import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { migrate } from './migrate.ts';
import { type Queryable, sqlState } from './pool.ts';
import { rawSql } from './sql.ts';
import { hasTenantBarrier } from './tenant-barrier.ts';

const server = testServer();
const companies: number[] = [];
beforeAll(async () => {
  for (let i = 0; i < 2; i++) companies.push((await server.company()).company_id);
  for (const [i, company] of companies.entries()) {
    await server.rows(`insert into event_types values ($1, 'kept', '{}', now()), ($1, $2, '{}', now())`, [
      company,
      `only ${i}`,
    ]);
  }
});

/** Texts as they are, without the condition that the program's own statements have. */
const run = (tx: Queryable, text: string) => tx.query<{ event_type: string }>(rawSql(text));
const refusal = async (text: string): Promise<string> => {
  const [own] = companies;
  return server.app.db
    .tenantTx(own!, (tx) => run(tx, text))
    .then(
      () => 'taken',
      (error: unknown) => sqlState(error),
    );
};
const ROW_LEVEL_SECURITY = '42501';

describe("a transaction on one company's behalf", () => {
  it('sees its rows only, whatever the statement says, and so does the next on the same connection', async () => {
    for (let round = 0; round < 8; round++) {
      for (const [i, company] of companies.entries()) {
        const types = await server.app.db.tenantTx(company, (tx) =>
          run(tx, 'select event_type from event_types order by event_type'),
        );
        expect(types.map((row) => row.event_type)).toEqual(['kept', `only ${i}`]);
      }
    }
  });

  it('writes no row of another', async () => {
    const [own, other] = companies;
    const insert = (company: number) => `insert into event_types values (${company}, 'new', '{}', now())`;
    expect(await refusal(insert(other!))).toBe(ROW_LEVEL_SECURITY);
    expect(
      await refusal(
        `insert into event_types select company_id + n, 'new', '{}', now() from companies, generate_series(0, 1) n`,
      ),
    ).toBe(ROW_LEVEL_SECURITY);
    expect(await refusal(`update event_types set company_id = ${other} where event_type = 'only 0'`)).toBe(
      ROW_LEVEL_SECURITY,
    );
    const conflict = (company: number, set: string) =>
      `insert into event_types values (${company}, 'kept', '{}', now()) on conflict (company_id, event_type) do update set ${set}`;
    expect(await refusal(conflict(other!, `required_keys = '{a}'`))).toBe(ROW_LEVEL_SECURITY);
    expect(await refusal(conflict(own!, `company_id = ${other}, event_type = 'moved'`))).toBe(ROW_LEVEL_SECURITY);
    expect(await refusal("update event_types set required_keys = '{b}'")).toBe('taken');
    expect(await refusal(`delete from event_types where company_id = ${other}`)).toBe('taken');
    expect(await refusal(insert(own!))).toBe('taken');
    const rows = await server.rows(
      'select event_type, required_keys from event_types where company_id = $1 order by event_type',
      [other],
    );
    expect(rows).toEqual([
      { event_type: 'kept', required_keys: [] },
      { event_type: 'only 1', required_keys: [] },
    ]);
  });
});

describe('the barrier', () => {
  const gaps = () =>
    server.rows<{ name: string }>(`
      select a.attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'company_id' and not a.attisdropped and c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p')
        and (not c.relrowsecurity or not exists (
          select from pg_policy p where p.polrelid = c.oid and p.polwithcheck is not null))
      order by 1`);

  it('stands around every table of companies', async () => {
    expect(await hasTenantBarrier(server.connection)).toBe(true);
    expect(await gaps()).toEqual([]);
  });

  it('is raised anew at the next start where it has gaps', async () => {
    const client = new pg.Client(server.connection);
    await client.connect();
    await client.query(`drop policy one_company on event_types; alter table event_types disable row level security`);
    await client.query(`drop policy one_company on orders`);
    // As it was made by earlier programs.
    await client.query(`
      create policy one_company on orders to tradeloom_tenant
      using (company_id = current_setting('tradeloom.company_id')::bigint)`);
    await client.end();
    expect((await gaps()).map(({ name }) => name)).toEqual(['event_types', 'orders']);
    expect(await migrate(server.connection)).toEqual({ applied: [], pending: [] });
    expect(await gaps()).toEqual([]);
    const own = `insert into event_types values (${companies[1]}, 'again', '{}', now())`;
    expect(await refusal(own)).toBe(ROW_LEVEL_SECURITY);
  });
});
