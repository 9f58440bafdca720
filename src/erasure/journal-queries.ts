import type { Queryable, Tx } from '../db/pool.ts';
import { rawSql, sql } from '../db/sql.ts';
import type { SuppressionEntry } from '../messaging/suppressions/suppressions.ts';
import type { JournalEntry } from './journal-file.ts';

export interface NewErasure {
  key: string;
  customerId: number | null;
  contactIds: number[];
  /** The person's keys, sealed with the master key. */
  texts: Buffer;
  suppressed: SuppressionEntry[];
}

/** Stores the erasure, in the transaction that deletes the person's own row. */
export async function insertErasure(
  tx: Tx,
  companyId: number,
  { key, customerId, contactIds, texts, suppressed }: NewErasure,
  now: Date,
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into erasures (company_id, key, customer_id, contact_ids, texts, suppressed, requested_at)
    values (${companyId}, ${key}, ${customerId}, ${contactIds}, ${texts}, ${JSON.stringify(suppressed)}::jsonb, ${now})
    returning id`);
  return rows[0]!.id;
}

/**
 * The open transactions of this database's clients, except for pg_dump, which only reads and may take hours. Only the program's own
 * database user sees all of them, so do not use this behind the tenant barrier.
 */
const OPEN = rawSql(`array(
  select l.virtualtransaction from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.pid <> pg_backend_pid()
    and a.datname = current_database() and a.usename is not null and a.application_name is distinct from 'pg_dump')`);

/**
 * The first time, records the transactions that are open after the person's row was deleted; later, which of them still are. When
 * all have ended, everything is searched for what they have written. Returns whether the work may begin or continue.
 */
export async function noteOpenTransactions(db: Queryable, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await db.query<{ ready: boolean }>(sql`
    with noted as (
      select company_id, id, case when open_transactions is null then ${OPEN}
        else array(select unnest(open_transactions) intersect select unnest(${OPEN})) end as still_open
      from erasures
      where company_id = ${companyId} and id = ${id} and finished_at is null
        and (step = 'settling' or step = '' and open_transactions is distinct from '{}')
    )
    update erasures e set open_transactions = n.still_open, opened_at = coalesce(e.opened_at, ${now}),
      step = case when n.still_open = '{}' then '' else e.step end
    from noted n where e.company_id = ${companyId} and e.id = n.id
    returning n.still_open = '{}' as ready`);
  // No row: the work is already in progress.
  return rows[0]?.ready ?? true;
}

export interface ErasureRow {
  id: number;
  customer_id: number | null;
  contact_ids: number[];
  opened_at: Date;
  settled: boolean;
  step: string;
  place: string;
  /** Null if the erasure was finished once and is being repeated. */
  texts: Buffer | null;
}

/** The most erasures at the same place that are worked on together, so that tables are searched once for all. */
const TOGETHER = 100;

/** Locks the erasure and others at the same place; returns none if another worker has it or there is nothing to do. */
export async function claimErasures(tx: Tx, companyId: number, id: number): Promise<ErasureRow[]> {
  const columns = rawSql(
    `id, customer_id, contact_ids, opened_at, open_transactions = '{}' as settled, step, place, texts`,
  );
  const [own] = await tx.query<ErasureRow>(sql`
    select ${columns} from erasures
    where company_id = ${companyId} and id = ${id} and finished_at is null and step <> 'settling' and opened_at is not null
    for update skip locked`);
  if (own === undefined) return [];
  const others = await tx.query<ErasureRow>(sql`
    select ${columns} from erasures
    where company_id = ${companyId} and id <> ${id} and finished_at is null and step = ${own.step} and place = ${own.place}
      and opened_at is not null and (step <> '' or open_transactions = '{}')
    order by id limit ${TOGETHER - 1} for update skip locked`);
  return [own, ...others];
}

export async function moveErasures(
  tx: Tx,
  companyId: number,
  ids: number[],
  to: { step: string; place: string },
): Promise<void> {
  await tx.query(sql`
    update erasures set step = ${to.step}, place = ${to.place}
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/** Finishes erasures that had no open transactions left when they began; the others are repeated once more. */
export async function endErasures(tx: Tx, companyId: number, ids: number[], now: Date): Promise<void> {
  await tx.query(sql`
    update erasures set place = '',
      step = case when open_transactions = '{}' then 'done' else 'settling' end,
      texts = case when open_transactions = '{}' then null else texts end,
      finished_at = case when open_transactions = '{}' then ${now}::timestamptz end
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}

/**
 * `hidden`: the API shows nothing of what is left. `over`: everything was searched, and may be searched once more because of open
 * transactions.
 */
export type Progress = 'searching' | 'hidden' | 'over';

export async function progressOf(db: Queryable, companyId: number, id: number): Promise<Progress> {
  const rows = await db.query<{ progress: Progress }>(sql`
    select case when step in ('settling', 'done') then 'over' when step = 'events' then 'hidden' else 'searching' end as progress
    from erasures where company_id = ${companyId} and id = ${id}`);
  return rows[0]?.progress ?? 'over';
}

/** Companies with unfinished erasures. */
export async function companiesWithErasures(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select distinct company_id from erasures where finished_at is null order by company_id`);
  return rows.map((row) => row.company_id);
}

/** Unfinished erasures of the company, the oldest first. */
export async function openErasures(db: Queryable, companyId: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from erasures where company_id = ${companyId} and finished_at is null order by id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Returns which of the keys the database does not have; none for a company that does not exist. */
export async function findUnknownKeys(db: Queryable, companyId: number, keys: string[]): Promise<Set<string>> {
  const rows = await db.query<{ key: string }>(sql`
    select key from companies c, unnest(${keys}::uuid[]) key
    where c.company_id = ${companyId} and not exists (
      select from erasures e where e.company_id = ${companyId} and e.key = key.key)`);
  return new Set(rows.map((row) => row.key));
}

/** Returns erasures of all companies, as entries of the journal file. */
export async function findErasuresSince(db: Queryable, since: Date): Promise<JournalEntry[]> {
  const rows = await db.query<Omit<JournalEntry, 'at'> & { requested_at: Date }>(sql`
    select key, requested_at, company_id, customer_id, contact_ids, suppressed from erasures
    where requested_at >= ${since} order by company_id, id`);
  return rows.map(({ requested_at, ...row }) => ({ ...row, at: requested_at.toISOString() }));
}
