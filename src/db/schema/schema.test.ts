import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { describeSchema } from './describe.ts';

const server = testServer();

test('src/db/schema.sql describes the migrated database', async () => {
  const client = new pg.Client(server.connection);
  await client.connect();
  const described = await describeSchema(client);
  await client.end();
  const written = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  expect(written === described, 'src/db/schema.sql is stale: run npm run schema and commit the file').toBe(true);
});

test('it names every table with its columns, indexes and triggers, and every function', async () => {
  const written = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  const names = await server.rows<{ name: string }>(`
    select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'i', 'S')
      and not relispartition and relname !~ '^schema_migrations|_seq$'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    union all
    select proname from pg_proc p where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all select tgname from pg_trigger where not tgisinternal and tgparentid = 0`);
  expect(names.length).toBeGreaterThan(300);
  expect(names.map(({ name }) => name).filter((name) => !written.includes(name))).toEqual([]);
});
