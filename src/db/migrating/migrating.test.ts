import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { migrate } from '../migrate.ts';
import { whyIncompatible } from './compatibility.ts';
import { withLocks } from './locks.ts';
import { listMigrations, type Migration, readMigration, statementsOf } from './migration-files.ts';
import { lockOf } from './plan.ts';

const server = testServer();
let known: Migration[];
let other: pg.Client;
beforeAll(async () => {
  known = await listMigrations();
  other = new pg.Client(server.connection);
  await other.connect();
});
afterAll(() => other.end());

const run = (name: string, text: string, options: { plan?: boolean } = {}) =>
  migrate(server.connection, { ...options, migrations: [...known, readMigration(name, text)] });
const forget = () => server.rows('delete from schema_migrations where version > 9000');

describe('a migration', () => {
  test('that waits for a lock lets the others go on, and is done once the lock is free', async () => {
    await other.query('begin');
    await other.query('select 1 from orders limit 1');
    const logged: string[] = [];
    const migrating = migrate(server.connection, {
      migrations: [...known, readMigration('9001_wait.sql', 'alter table orders add column waited int;')],
      log: (line) => logged.push(line),
    });
    let longest = 0;
    while (logged.length === 0) {
      const began = performance.now();
      await server.rows('select 1 from orders limit 1');
      longest = Math.max(longest, performance.now() - began);
      await sleep(20);
    }
    await other.query('commit');
    expect((await migrating).applied).toEqual(['9001_wait.sql']);
    expect(logged[0]).toBe('Migration 9001_wait.sql waits for a lock, attempt 1 of 20');
    expect(longest).toBeLessThan(4_000);
    await forget();
  });

  test('outside of a transaction builds an index that blocks no writes, and makes one anew that was left invalid', async () => {
    const text = `-- migrate: outside-transaction
      create index concurrently if not exists orders_tried on orders (company_id, total);`;
    expect((await run('9002_index.sql', text)).applied).toEqual(['9002_index.sql']);
    await forget();
    await server.rows("update pg_index set indisvalid = false where indexrelid = 'orders_tried'::regclass");
    const valid = () =>
      server.rows("select indisvalid as valid from pg_index where indexrelid = 'orders_tried'::regclass");
    expect(await valid()).toEqual([{ valid: false }]);
    await run('9002_index.sql', text);
    expect(await valid()).toEqual([{ valid: true }]);
    await forget();
  });

  test('outside of a transaction ends while another process waits to migrate', async () => {
    const text = `-- migrate: outside-transaction
      create index concurrently if not exists orders_both on orders (company_id, tax);`;
    const both = await Promise.all([run('9003_both.sql', text), run('9003_both.sql', text)]);
    expect(both.map(({ applied }) => applied.length).toSorted()).toEqual([0, 1]);
    await forget();
  });

  test('that cannot get its locks says what to do', async () => {
    await other.query('begin; lock table orders in access exclusive mode');
    const client = new pg.Client(server.connection);
    await client.connect();
    await expect(
      withLocks(client, async () => void (await client.query('select 1 from orders limit 1')), {
        name: 'x.sql',
        attempts: 1,
      }),
    ).rejects.toThrow('end long transactions');
    await other.query('rollback');
    await client.end();
  });

  test('has its locks planned by the size of the tables', async () => {
    const text = `-- A comment; with a semicolon.
      create table made_here (id int);
      create index on made_here (id);
      create index on events (company_id, occurred_at);
      create function f() returns void language plpgsql as $$ begin update orders set id = 1; end $$;
      alter table contacts add column x int, add constraint y check (x > 0);
      create policy z on campaigns for update to public using (true);`;
    const { applied, pending, locks } = await run('9004_plan.sql', text, { plan: true });
    expect([applied, pending]).toEqual([[], ['9004_plan.sql']]);
    expect(locks).toMatchObject([
      { table: 'events', blocks: 'writes', reads_table: true, seconds: 0.1 },
      { table: 'contacts', blocks: 'everything', reads_table: true },
      { table: 'campaigns', blocks: 'everything', reads_table: false, seconds: 0 },
    ]);
  });
});

describe('a database that is newer than the program', () => {
  const add = (program: string, compatible: boolean) =>
    server.rows(
      'insert into schema_migrations (version, name, program_version, compatible) values (9100, $1, $2, $3)',
      ['newer.sql', program, compatible],
    );

  test('of the next minor version is worked on, and nothing is applied', async () => {
    await add('0.2.0', true);
    expect(await migrate(server.connection)).toMatchObject({ applied: [], pending: [] });
    await forget();
  });

  test.each([
    ['0.3.0', true],
    ['1.0.0', true],
    ['0.2.0', false],
  ])('by version %s, compatible %s, is refused', async (program, compatible) => {
    await add(program, compatible);
    await expect(migrate(server.connection)).rejects.toThrow(/newer than this program .*start a newer program/);
    await forget();
  });

  test('within one minor version is compatible, patch releases included', () => {
    const newer = (program_version: string) => [{ version: 60, program_version, compatible: true }];
    expect(whyIncompatible('1.4.2', newer('1.4.9'))).toBeNull();
    expect(whyIncompatible('1.4.2', newer('1.5.0-beta.1'))).toBeNull();
    expect(whyIncompatible('1.4.2', newer('1.6.0'))).toContain('at most one minor version');
    expect(whyIncompatible('1.4.2', newer('2.0.0'))).toContain('at most one minor version');
  });
});

describe('a database made by an unreleased version', () => {
  test.each([
    ['1', '0001_foundation.sql'],
    ['100', '0100_pictures_of_imports.sql'],
  ])('with migration %s, %s, is refused', async (number, name) => {
    const previous = await server.rows('select * from schema_migrations');
    await server.rows('delete from schema_migrations');
    await server.rows(
      `insert into schema_migrations (version, name, program_version, compatible)
       values (1, '0001_foundation.sql', '0.1.0', true), ($1::int, $2, '0.1.0', true) on conflict do nothing`,
      [number, name],
    );
    const sentence =
      'The database was made by an unreleased version (it has the migration 0001_foundation.sql) and cannot be upgraded: use an empty database';
    for (const options of [{}, { check: true }, { plan: true }]) {
      await expect(migrate(server.connection, options)).rejects.toThrow(sentence);
    }
    await server.rows('delete from schema_migrations');
    await server.rows(
      `insert into schema_migrations (version, name, program_version, compatible)
       select version, name, program_version, compatible from jsonb_populate_recordset(null::schema_migrations, $1)`,
      [JSON.stringify(previous)],
    );
  });
});

describe('reading migrations', () => {
  test('statements end at semicolons that stand in no text, name, function or comment', () => {
    const text = `select ';' -- x; y
      ; create function f() as $body$ a; b $body$; insert into "a;b" values ('it''s;', $1 - 2);`;
    expect(statementsOf(text)).toEqual([
      "select ';'",
      'create function f() as $body$ a; b $body$',
      `insert into "a;b" values ('it''s;', $1 - 2)`,
    ]);
  });

  test('an unknown directive is refused', () => {
    expect(() => readMigration('0099_x.sql', '-- migrate: sometimes\nselect 1;')).toThrow(
      'unknown directive sometimes',
    );
  });

  test('every migration of this tree can be planned', () => {
    for (const { text } of known) expect(statementsOf(text).length).toBeGreaterThan(0);
    const statements = known.flatMap(({ text }) => statementsOf(text, '$$…$$'));
    const tables = statements.filter((one) => /^(alter table|create (unique )?index|drop trigger)/i.test(one));
    expect(tables.filter((one) => lockOf(one) === null)).toEqual([]);
  });
});
