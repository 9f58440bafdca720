import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { JournalEntry } from '../kinds/kind.ts';
import { columns, type ImportRow, type Phase } from '../queries.ts';
import type { FileNotices } from '../readings/notices.ts';
import type { Reading } from '../readings/readings.ts';
import type { Finding } from './reader.ts';

/** A worker that does not renew its lease for this long has died. */
const LEASE = rawSql("interval '30 seconds'");

/** Returns companies with an import that a worker may take, by the database's time. */
export async function companiesWithWork(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select distinct company_id from imports
    where status in ('checking', 'running', 'undoing') and (lease_until is null or lease_until < clock_timestamp())
    order by company_id limit 1000`);
  return rows.map((row) => row.company_id);
}

/** Takes the company's oldest import that nobody holds. */
export async function claimImport(tx: Tx, companyId: number): Promise<ImportRow | undefined> {
  const rows = await tx.query<ImportRow>(sql`
    update imports set epoch = epoch + 1, lease_until = clock_timestamp() + ${LEASE}
    where company_id = ${companyId} and id = (
      select id from imports
      where company_id = ${companyId} and status in ('checking', 'running', 'undoing')
        and (lease_until is null or lease_until < clock_timestamp())
      order by id limit 1 for update skip locked)
    returning ${columns}`);
  return rows[0];
}

export interface Claim {
  companyId: number;
  id: number;
  epoch: number;
}

export interface Progress {
  position: number;
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  refused: number;
  suppressed: number;
  undone: number;
  kept: number;
}

export const NO_PROGRESS: Omit<Progress, 'position'> = {
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  refused: 0,
  suppressed: 0,
  undone: 0,
  kept: 0,
};

/**
 * Adds to the counts and renews the lease, in the transaction that does the counted work. Returns false if another worker holds the import
 * now or it was cancelled: then the transaction must be rolled back.
 */
export async function advance(
  tx: Tx,
  { companyId, id, epoch }: Claim,
  done: Progress,
  { findings, journal }: { findings: number; journal: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update imports set position = ${done.position}, lease_until = clock_timestamp() + ${LEASE},
      created = created + ${done.created}, updated = updated + ${done.updated}, unchanged = unchanged + ${done.unchanged},
      skipped = skipped + ${done.skipped}, refused = refused + ${done.refused}, suppressed = suppressed + ${done.suppressed},
      undone = undone + ${done.undone}, kept = kept + ${done.kept}, findings = findings + ${findings}, journal = journal + ${journal}
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} returning 1 as held`);
  return rows.length > 0;
}

export async function countFindings(tx: Tx, { companyId, id }: Claim): Promise<number> {
  const rows = await tx.query<{ findings: number }>(sql`
    select findings from imports where company_id = ${companyId} and id = ${id} for update`);
  return rows[0]?.findings ?? 0;
}

export async function renewLease(db: Queryable, { companyId, id, epoch }: Claim): Promise<boolean> {
  const rows = await db.query(sql`
    update imports set lease_until = clock_timestamp() + ${LEASE}
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} returning 1 as held`);
  return rows.length > 0;
}

/** Ends the phase, unless another worker holds the import now. */
export async function finish(
  tx: Tx,
  { companyId, id, epoch }: Claim,
  end: { status: 'checked' | 'done' | 'undone' | 'failed'; error: string | null; now: Date },
): Promise<void> {
  await tx.query(sql`
    update imports set status = ${end.status}, error = ${end.error}, lease_until = null, epoch = epoch + 1,
      total = case when ${end.status} = 'checked' then position else total end,
      finished_at = case when ${end.status} = 'checked' then null else ${end.now}::timestamptz end
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch}`);
}

export async function releaseLease(db: Queryable, { companyId, id, epoch }: Claim): Promise<void> {
  await db.query(sql`
    update imports set lease_until = null where company_id = ${companyId} and id = ${id} and epoch = ${epoch}`);
}

export async function setColumns(
  tx: Tx,
  { companyId, id, epoch }: Claim,
  header: string[],
  mapping: (string | null)[],
): Promise<boolean> {
  const rows = await tx.query(sql`
    update imports set header = ${header}, mapping = ${mapping}
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} returning 1 as held`);
  return rows.length > 0;
}

export async function setSurvey(
  db: Queryable,
  { companyId, id, epoch }: Claim,
  { readings, notices }: { readings: Reading[]; notices: FileNotices },
): Promise<boolean> {
  const rows = await db.query(sql`
    update imports set readings = ${JSON.stringify(readings)}::jsonb, notices = ${JSON.stringify(notices)}::jsonb,
      lease_until = clock_timestamp() + ${LEASE}
    where company_id = ${companyId} and id = ${id} and epoch = ${epoch} returning 1 as held`);
  return rows.length > 0;
}

/**
 * Stores findings with the rows' cells, unless somebody was erased since the import began. The erasure may already have passed this
 * import's findings, and empties all of them (erasure/import-queries.ts). An erasure that begins later searches them.
 */
export async function insertFindings(
  tx: Tx,
  { companyId, id }: Claim,
  phase: Phase,
  from: number,
  findings: Omit<Finding, 'outcome'>[],
): Promise<void> {
  if (findings.length === 0) return;
  const rows = findings.map(({ row, field, reason, cells }, i) => ({ n: from + i, row, field, reason, cells }));
  await tx.query(sql`
    insert into import_findings (company_id, import_id, phase, n, row, field, reason, cells)
    select ${companyId}, ${id}, ${phase}, n, row, field,
      case when e.since then regexp_replace(reason, '«.*»', '«…»') else reason end, case when not e.since then cells end
    from json_to_recordset(${JSON.stringify(rows)}::json) as f (n bigint, row bigint, field text, reason text, cells text[])
    cross join (
      select exists (
        select from erasures e join imports i on i.company_id = ${companyId} and i.id = ${id}
        where e.company_id = ${companyId} and coalesce(e.opened_at, e.requested_at) >= i.created_at) as since
    ) e`);
}

export async function insertJournal(
  tx: Tx,
  { companyId, id }: Claim,
  from: number,
  entries: JournalEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ kind, ids, before }, i) => ({ n: from + i, kind, ids, before }));
  await tx.query(sql`
    insert into import_journal (company_id, import_id, n, kind, record_ids, before)
    select ${companyId}, ${id}, n, kind, ids, before
    from json_to_recordset(${JSON.stringify(rows)}::json) as j (n bigint, kind text, ids bigint[], before jsonb)`);
}

export interface JournalRow extends JournalEntry {
  n: number;
}

/** Removes and returns the last journal entries: at most `entries`, and until they hold `records` records. */
export async function takeJournal(
  tx: Tx,
  { companyId, id }: Claim,
  { entries, records }: { entries: number; records: number },
): Promise<JournalRow[]> {
  const rows = await tx.query<JournalRow>(sql`
    delete from import_journal
    where company_id = ${companyId} and import_id = ${id} and n in (
      select n from (
        select n, sum(cardinality(record_ids)) over (order by n desc) - cardinality(record_ids) as behind
        from (
          select n, record_ids from import_journal where company_id = ${companyId} and import_id = ${id}
          order by n desc limit ${entries}
        ) last
      ) counted where behind < ${records})
    returning n, kind, record_ids as ids, before`);
  return rows.map((row) => ({ ...row, ids: row.ids.map(Number) })).sort((a, b) => b.n - a.n);
}
