import { rawSql, type Statement, sql } from '../db/sql.ts';

export interface Table {
  name: string;
  columns: string[];
  /** Columns that the database generates from others. */
  generated: string[];
  /** Columns of type jsonb that are never null: in an export, a JSON null looks like an SQL null. */
  documents: string[];
  /** The columns of the primary key; empty if there is none. */
  key: string[];
  /** Other tables returned by findTables that its foreign keys refer to. */
  parents: string[];
}

/** Returns the tables that belong to companies, ordered by name (see `Table`). */
export function findTables(): Statement {
  return sql`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) as columns,
      coalesce(array_agg(a.attname::text) filter (where a.attgenerated <> ''), '{}') as generated,
      coalesce(array_agg(a.attname::text) filter (where a.atttypid = 'jsonb'::regtype and a.attnotnull), '{}') as documents,
      array(
        select distinct p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid
      ) as parents,
      coalesce((
        select array_agg(k.attname::text order by array_position(i.indkey::int[], k.attnum::int))
        from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any((i.indkey::int[])[0:i.indnkeyatts - 1])
        where i.indrelid = c.oid and i.indisprimary
      ), '{}') as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and exists (
        select from pg_attribute own
        where own.attrelid = c.oid and own.attname = 'company_id' and not own.attisdropped)
    group by c.oid, c.relname order by c.relname`;
}

/** Returns the last migration, and up to when events are in the totals of contacts, as text: a Date would lose microseconds. */
export function findSchema(): Statement {
  return sql`
    select (select max(name) from schema_migrations) as schema,
      (select added_up_to::text from event_totals_state) as events_added_up_to`;
}

/** Opens a cursor over a company's rows of a table as JSON texts. The names come from the catalogue. */
export function openRows(companyId: number, table: string, columns: string[], key: string[]): Statement {
  const listed = columns.map(quoted).join(', ');
  const order = key.length === 0 ? '' : `order by ${key.map(quoted).join(', ')}`;
  return sql`
    declare exported no scroll cursor for
    select row_to_json(t)::text as json from (
      select ${rawSql(listed)} from ${rawSql(quoted(table))} where company_id = ${rawSql(String(companyId))} ${rawSql(order)}
    ) t`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
