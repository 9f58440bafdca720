import type pg from 'pg';
import { type Migration, statementsOf } from './migration-files.ts';

/** The lock that a statement of a migration takes. */
export interface PlannedLock {
  migration: string;
  statement: string;
  table: string;
  /** What has to wait while it runs. */
  blocks: 'nothing' | 'writes' | 'everything';
  /** Whether it reads the whole table. */
  reads_table: boolean;
  bytes: number;
  rows: number;
  /** Estimated from the table's size; 0 for a change of the catalogue. */
  seconds: number;
}

interface Rule {
  pattern: RegExp;
  blocks: PlannedLock['blocks'];
  readsTable: boolean | ((statement: string) => boolean);
}

/** Changes of a table that read or rewrite every row. */
const REWRITES =
  /\b(alter (column )?\w+ (set data )?type|set not null|add (constraint \w+ )?(check|unique|primary key|foreign key|exclude)|stored\b|validate constraint|set (un)?logged|add (column )?(if not exists )?\w+ [^,]*(\b(big|small)?serial\b|\bas identity\b|\b(check|unique|primary key)\b|\bdefault (clock_timestamp|timeofday|random|gen_random_uuid|nextval|uuidv)))/is;

/** The first group is the table's name as it is written in a migration, with or without its schema. */
const RULES: Rule[] = [
  {
    pattern: /^create (?:unique )?index concurrently .*?\bon (?:only\s+)?(?:public\.)?"?(\w+)"?/is,
    blocks: 'nothing',
    readsTable: true,
  },
  {
    pattern: /^create (?:unique )?index .*?\bon (?:only\s+)?(?:public\.)?"?(\w+)"?/is,
    blocks: 'writes',
    readsTable: true,
  },
  {
    pattern: /^alter table (?:if exists )?(?:only\s+)?(?:public\.)?"?(\w+)"?/i,
    blocks: 'everything',
    readsTable: (statement) => REWRITES.test(statement) && !/\bnot valid\b/i.test(statement),
  },
  {
    pattern: /^create (?:or replace )?(?:constraint )?trigger .*?\bon (?:only\s+)?(?:public\.)?"?(\w+)"?/is,
    blocks: 'writes',
    readsTable: false,
  },
  { pattern: /^create policy .*?\bon (?:public\.)?"?(\w+)"?/is, blocks: 'everything', readsTable: false },
  { pattern: /^drop trigger .*?\bon (?:only\s+)?(?:public\.)?"?(\w+)"?/is, blocks: 'everything', readsTable: false },
  {
    pattern: /^(?:drop table|truncate)(?: table)?(?: if exists)? (?:only\s+)?(?:public\.)?"?(\w+)"?/i,
    blocks: 'everything',
    readsTable: false,
  },
  { pattern: /^lock table (?:only\s+)?(?:public\.)?"?(\w+)"?/i, blocks: 'writes', readsTable: false },
  { pattern: /^reindex (?:index|table) "?(\w+)"?/i, blocks: 'writes', readsTable: true },
  { pattern: /^(?:cluster|vacuum \(?full\)?) "?(\w+)"?/i, blocks: 'everything', readsTable: true },
  {
    pattern: /\bupdate (?:only\s+)?(?:public\.)?"?(\w+)"?(?: (?:as )?\w+)? set\b/is,
    blocks: 'nothing',
    readsTable: true,
  },
  { pattern: /\bdelete from (?:only\s+)?(?:public\.)?"?(\w+)"?/is, blocks: 'nothing', readsTable: true },
  { pattern: /^insert into (?:only\s+)?(?:public\.)?"?(\w+)"?/i, blocks: 'nothing', readsTable: false },
];
/** Bytes of a table that a statement processes in a second: assumes slow disks, so that the estimate is rather too long. */
const BYTES_PER_SECOND = 40 * 1_048_576;
const MOMENT = 0.1;

/** Returns the locks that the migrations take on existing tables, in order. Tables that they create themselves are left out. */
export async function planMigrations(client: pg.Client, migrations: readonly Migration[]): Promise<PlannedLock[]> {
  const planned: PlannedLock[] = [];
  for (const { name, text } of migrations) {
    for (const statement of statementsOf(text, '$$…$$')) {
      const found = lockOf(statement);
      const size = found && (await sizeOf(client, found.table));
      if (!found || !size) continue;
      const seconds = found.readsTable ? Math.max(MOMENT, size.bytes / BYTES_PER_SECOND) : 0;
      const { table, blocks, readsTable } = found;
      const line = statement.replace(/\s+/g, ' ');
      planned.push({
        migration: name,
        statement: line.length > 100 ? `${line.slice(0, 99)}…` : line,
        table,
        blocks,
        reads_table: readsTable,
        bytes: size.bytes,
        rows: size.rows,
        seconds: Math.round(seconds * 10) / 10,
      });
    }
  }
  return planned;
}

export function lockOf(
  statement: string,
): { table: string; blocks: PlannedLock['blocks']; readsTable: boolean } | null {
  for (const { pattern, blocks, readsTable } of RULES) {
    const table = pattern.exec(statement)?.[1];
    if (table !== undefined) {
      return { table, blocks, readsTable: typeof readsTable === 'boolean' ? readsTable : readsTable(statement) };
    }
  }
  return null;
}

async function sizeOf(client: pg.Client, table: string): Promise<{ bytes: number; rows: number } | null> {
  const { rows } = await client.query<{ bytes: string; rows: string }>(
    `select coalesce(sum(pg_table_size(c.oid)), 0) as bytes, coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint as rows
     from pg_class c where c.oid = to_regclass($1) or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass($1))
     having count(*) > 0`,
    [`public.${table}`],
  );
  return rows[0] === undefined ? null : { bytes: Number(rows[0].bytes), rows: Number(rows[0].rows) };
}
