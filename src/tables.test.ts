import { expect, test } from 'vitest';
import { KINDS } from './retention/kinds.ts';
import { TABLES } from './tables.ts';
import { testServer } from './testing/harness.ts';
import { filesUnder, readSource } from './testing/house/sources.ts';

const server = testServer();

test('every table is declared once, with columns that it has', async () => {
  const columns = await server.rows<{ table: string; columns: string[] }>(
    `select c.relname::text as table, array_agg(a.attname::text) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
       and (not c.relispartition or c.relname = 'events_default')
     group by c.oid`,
  );
  const names = TABLES.map(({ name }) => name);
  expect([...names].sort()).toEqual(columns.map(({ table }) => table).sort());
  const unknown = TABLES.flatMap((table) => {
    const { notExported = [], sequences = {}, erasure, staffTexts, references = {}, retention } = table;
    const declared = [
      ...notExported,
      ...Object.keys(sequences),
      ...Object.keys(references),
      ...Object.keys(staffTexts?.columns ?? {}),
      ...(erasure !== undefined && 'set' in erasure ? Object.keys(erasure.set) : []),
      ...(retention === undefined ? [] : [retention.createdAt]),
    ];
    const known = columns.find((one) => one.table === table.name)?.columns ?? [];
    return declared.filter((column) => !known.includes(column)).map((column) => `${table.name}.${column}`);
  });
  expect(unknown).toEqual([]);
});

test('a table without companies is not exported, and every kind of retention exists', async () => {
  const ofCompanies = await server.rows<{ name: string }>(
    "select table_name::text as name from information_schema.columns where table_schema = 'public' and column_name = 'company_id'",
  );
  const names = new Set(ofCompanies.map(({ name }) => name));
  const exported = TABLES.filter((table) => typeof table.export !== 'object' && !names.has(table.name));
  expect(exported.map(({ name }) => name)).toEqual([]);
  const kinds: readonly string[] = KINDS;
  expect(TABLES.filter(({ retention }) => retention !== undefined && !kinds.includes(retention.kind))).toEqual([]);
});

/** Commands and data for demonstrations write across the program, and so do tests. */
const ANYWHERE = /\.test\.ts$|(^|\/)testing|^src\/(demo|cli)\//;

test('a table is written by its own folder and those that its declaration names', async () => {
  const writers = new Map<string, Set<string>>();
  for (const path of filesUnder('src')) {
    if (!path.endsWith('.ts') || ANYWHERE.test(path)) continue;
    for (const [, name] of readSource(path).code.matchAll(
      /\b(?:insert into|update|delete from|merge into)\s+(?:only\s+)?([a-z_]+)\b/g,
    )) {
      const paths = writers.get(name!) ?? new Set<string>();
      writers.set(name!, paths.add(path.slice('src/'.length)));
    }
  }
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const problems = TABLES.flatMap(({ name, folder, alsoWrittenBy = [] }) => {
    const paths = [...(writers.get(name) ?? [])];
    const others = paths.filter((path) => ![folder, ...alsoWrittenBy].some((one) => isIn(path, one)));
    const idle = alsoWrittenBy.filter((one) => !paths.some((path) => isIn(path, one)));
    return [
      ...others.map((path) => `src/${path} writes ${name}: move the statement to src/${folder}`),
      ...idle.map((one) => `src/${one} does not write ${name}: remove it from src/${folder}/tables.ts`),
    ];
  });
  expect(problems).toEqual([]);
});
