import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { createDb } from '../create-db.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { scratchFolder } from '../embedded/fixtures.ts';
import { migrate } from '../migrate.ts';
import { type Queryable, sqlState } from '../pool.ts';
import { rawSql } from '../sql.ts';
import { findGaps, openTables } from './gaps.ts';
import { hasTenantBarrier, raiseTenantBarrier } from './tenant-barrier.ts';

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

/** Runs texts as they are, without the check that the program's own statements pass. */
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
  it('lets written rows be of the company alone, in every table', async () => {
    const policies = await server.rows<{ name: string; checks: string; reads: string }>(`
      select polrelid::regclass::text as name, pg_get_expr(polwithcheck, polrelid) as checks, pg_get_expr(polqual, polrelid) as reads
      from pg_policy where polname = 'one_company'`);
    const setting = "current_setting('tradeloom.company_id'::text)";
    const wrong = policies.filter(({ checks, reads }) => {
      return (
        !checks?.startsWith('(company_id = ') ||
        !checks.includes(setting) ||
        reads !== `(company_id = (${setting})::bigint)`
      );
    });
    expect(policies.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });

  it('lets no role of the program change or delete entries of the audit log', async () => {
    const granted = await server.rows<{ role: string; can: string }>(`
      select role, can from unnest(array['tradeloom_tenant', 'tradeloom_program']) role,
        unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) can
      where has_table_privilege(role, 'audit_log', can) order by role, can desc`);
    expect(granted.filter(({ can }) => can !== 'SELECT' && can !== 'INSERT')).toEqual([]);
    expect(granted).toContainEqual({ role: 'tradeloom_tenant', can: 'INSERT' });
  });

  const tables = () =>
    server.rows<{ name: string; guarded: boolean; granted: boolean }>(`
      select c.oid::regclass::text as name, has_table_privilege('tradeloom_tenant', c.oid, 'INSERT') as granted,
        c.relrowsecurity and exists (
          select from pg_policy p where p.polrelid = c.oid and p.polname = 'one_company' and p.polwithcheck is not null
        ) as guarded
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by 1`);
  it('stands around every table that the role may write', async () => {
    expect(await hasTenantBarrier(server.connection)).toBe(true);
    const all = await tables();
    expect(all.filter(({ granted, guarded }) => granted !== guarded)).toEqual([]);
    expect(all.filter(({ guarded }) => guarded).length).toBeGreaterThan(40);
  });

  it('is created by an owner with CREATEROLE and without superuser, and leaves foreign tables alone', async () => {
    await using folder = await scratchFolder();
    const postgres = await startEmbedded({ dataDir: folder.path, log: () => {} });
    const superuser = new pg.Client(postgres.connection);
    await superuser.connect();
    await superuser.query('create role keeper login createrole');
    await superuser.query('create database shop owner keeper');
    await superuser.end();
    const shop = new pg.Client({ ...postgres.connection, database: 'shop' });
    await shop.connect();
    await shop.query('create table things_of_a_stranger (company_id bigint)');
    const keeper = { ...postgres.connection, database: 'shop', user: 'keeper' };
    await migrate(keeper);
    expect(await hasTenantBarrier(keeper)).toBe(true);
    const { rows } = await shop.query(
      "select relrowsecurity, has_table_privilege('tradeloom_tenant', oid, 'SELECT') as granted from pg_class where relname = 'things_of_a_stranger'",
    );
    expect(rows).toEqual([{ relrowsecurity: false, granted: false }]);
    await shop.end();
    const db = createDb({ connection: keeper, barrier: true });
    const count = await db.tenantTx(1, (tx) => tx.query<{ n: number }>(rawSql('select count(*) as n from orders')));
    expect(count).toEqual([{ n: 0 }]);
    await db.close();
    await postgres.stop();
  });

  it('is raised where it has gaps, and nothing is taken that belongs to no company', async () => {
    const before = await tables();
    const client = new pg.Client(server.connection);
    await client.connect();
    await client.query('drop policy one_company on event_types; alter table event_types disable row level security');
    await client.query('alter table contacts disable row level security');
    // The policy as earlier programs made it.
    await client.query(`
      drop policy one_company on orders;
      create policy one_company on orders to tradeloom_tenant
        using (company_id = current_setting('tradeloom.company_id')::bigint)`);
    await client.query(
      'create table things_of_the_owner (company_id text); grant all on things_of_the_owner to tradeloom_tenant',
    );
    const gaps = (await tables()).filter(({ granted, guarded }) => granted && !guarded);
    expect(gaps.map(({ name }) => name)).toEqual(['contacts', 'event_types', 'orders', 'things_of_the_owner']);
    expect(await findGaps(client)).toEqual(
      expect.arrayContaining([
        { sentence: 'the table contacts has no policy for companies', isFatal: false },
        { sentence: 'the table event_types has no policy for companies', isFatal: false },
        { sentence: 'the table orders has no policy for companies', isFatal: true },
      ]),
    );
    await raiseTenantBarrier(client);
    expect(await tables()).toEqual(
      [...before, { name: 'things_of_the_owner', granted: false, guarded: false }].sort((a, b) =>
        a.name < b.name ? -1 : 1,
      ),
    );
    await client.query('drop table things_of_the_owner');
    await client.end();
    const other = `insert into event_types values (${companies[1]}, 'again', '{}', now())`;
    expect(await refusal(other)).toBe(ROW_LEVEL_SECURITY);
  });

  it('names a partition that a company could ask past its table, and closes it', async () => {
    const client = new pg.Client(server.connection);
    await client.connect();
    expect(await openTables(client)).toEqual([]);
    await client.query('grant select on events_default to tradeloom_tenant');
    expect(await refusal('select 1 from events_default')).toBe('taken');
    expect(await openTables(client)).toEqual(['events_default']);
    await raiseTenantBarrier(client);
    expect(await openTables(client)).toEqual([]);
    expect(await refusal('select 1 from events_default')).toBe(ROW_LEVEL_SECURITY);
    await client.end();
  });
});
