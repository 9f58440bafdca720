import { rawSql, type Statement, sql } from '../db/sql.ts';
import { quoted, type Table } from './queries.ts';

/** Inserts the company's own row, with its old id if that id is free here. Returns the id. */
export function insertCompany(row: string): Statement {
  return sql`
    insert into companies overriding system value
    select (jsonb_populate_record(null::companies, ${row}::jsonb || jsonb_build_object('company_id', (
      select case when exists (select from companies c where c.company_id = asked) then nextval(pg_get_serial_sequence('companies', 'company_id')) else asked end
      from (select (${row}::jsonb ->> 'company_id')::bigint as asked) given
    )))).*
    returning company_id`;
}

/** Inserts the rows, a JSON array as text, into the company's table. Columns that are not listed get their defaults. */
export function insertRows(
  companyId: number,
  { name: table, documents }: Table,
  columns: string[],
  rows: string,
): Statement {
  const listed = columns.map(quoted);
  const given = columns.map((column) => {
    if (column === 'company_id') return String(companyId);
    return documents.includes(column) ? `coalesce(r.${quoted(column)}, 'null')` : `r.${quoted(column)}`;
  });
  return sql`
    insert into ${rawSql(quoted(table))} (${rawSql(listed.join(', '))}) overriding system value
    select ${rawSql(given.join(', '))} from json_populate_recordset(null::${rawSql(quoted(table))}, ${rows}::json) r`;
}

export function findForms(publicIds: string[]): Statement {
  return sql`select public_id from forms where public_id = any(${publicIds})`;
}

/** Removes what triggers made for a company that is being loaded. */
export function removeRows(companyId: number, table: string): Statement {
  return sql`delete from ${rawSql(quoted(table))} where company_id = ${companyId}`;
}

/** Returns the sequences behind the identity columns of the tables. */
export function findSequences(tables: string[]): Statement {
  return sql`
    select c.relname::text as table, a.attname::text as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relname = any(${tables})`;
}

/** Gap between the loaded ids and the next one, for ids that other companies take at the same time. */
const ROOM = 10_000;

/** Advances a sequence past the ids of the company's rows; never lowers it. */
export function raiseSequence(
  companyId: number,
  { sequence, table, column }: { sequence: string; table: string; column: string },
  room = ROOM,
): Statement {
  return sql`
    select setval(${sequence}::regclass, loaded.highest + ${room})
    from (select max(${rawSql(quoted(column))}) as highest from ${rawSql(quoted(table))} where company_id = ${companyId}) loaded
    where loaded.highest >= coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;
}

/** Creates the partition for a month of events, unless it exists. */
export function makeMonth(first: string): Statement {
  return sql`select ensure_event_partitions(${first}::date, 0)`;
}

/** Blocks add_up_events until the end of the transaction. Returns the time up to which events are added up, as text. */
export function holdEventTotals(): Statement {
  return sql`
    select (select added_up_to::text from event_totals_state) as until
    from (select pg_advisory_xact_lock(7265319406)) held`;
}

/** Returns whether events of the company were removed because of their age: then only their totals are left. */
export function findRemoved(companyId: number): Statement {
  return sql`
    select exists (
      select from retention_progress p join companies c using (company_id)
      where p.company_id = ${companyId} and p.kind = 'events' and p.removed_before > c.created_at) as removed`;
}

/** Adds the events received from `from` (inclusive) to `until` (exclusive) to the totals of contacts, or subtracts them if `sign` is -1. */
export function addEvents(companyId: number, from: string, until: string, sign: 1 | -1): Statement {
  return sql`
    insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
    select company_id, event_type, contact_id, ${sign} * count(*), ${sign} * coalesce(sum(event_amount(event_type, amount, data)), 0), min(occurred_at), max(occurred_at)
    from events
    where company_id = ${companyId} and received_at >= ${from}::timestamptz and received_at < ${until}::timestamptz
    group by company_id, event_type, contact_id
    on conflict (company_id, event_type, contact_id) do update set n = t.n + excluded.n, amount = t.amount + excluded.amount,
      first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)`;
}

/** Moves the job that derives last activities back to the first contact of this company, unless it has yet to reach that. */
export function goThroughActivity(companyId: number): Statement {
  return sql`
    update contact_activity_state set passed_company = ${companyId}, passed_contact = 0
    where passed_company is null or (passed_company, passed_contact) > (${companyId}::bigint, 0)`;
}
