import type { Queryable, Tx } from '../db/pool.ts';
import { rawSql, sql } from '../db/sql.ts';
import type { PageBounds } from '../lib/paging.ts';
import type { FileNotices } from './readings/notices.ts';
import type { Reading } from './readings/readings.ts';
import type { ImportOptions, ImportStatus } from './schemas.ts';

export interface ImportRow {
  id: number;
  format: string;
  file_name: string;
  bytes: number;
  chunks: number;
  status: ImportStatus;
  options: ImportOptions;
  header: string[];
  mapping: (string | null)[];
  /** null until the file was looked through. */
  readings: Reading[] | null;
  /** null until then as well. */
  notices: FileNotices | null;
  position: number;
  total: number | null;
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  refused: number;
  suppressed: number;
  undone: number;
  kept: number;
  findings: number;
  journal: number;
  error: string | null;
  actor: string;
  epoch: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export const columns =
  rawSql(`id, format, file_name, bytes, chunks, status, options, header, mapping, readings, notices, position, total,
  created, updated, unchanged, skipped, refused, suppressed, undone, kept, findings, journal, error, actor, epoch,
  created_at, started_at, finished_at`);

export async function insertImport(
  tx: Tx,
  companyId: number,
  given: { format: string; file_name: string; actor: string },
  now: Date,
): Promise<ImportRow> {
  const rows = await tx.query<ImportRow>(sql`
    insert into imports (company_id, format, file_name, status, actor, created_at)
    values (${companyId}, ${given.format}, ${given.file_name}, 'uploading', ${given.actor}, ${now})
    returning ${columns}`);
  return rows[0]!;
}

/** Counts imports whose file is still needed. If two begin at once, the second waits and sees the first. */
export async function countFiles(tx: Tx, companyId: number): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('imports', ${companyId}))`);
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from imports
    where company_id = ${companyId} and status in ('uploading', 'checking', 'checked', 'running')`);
  return rows[0]!.n;
}

export async function findImport(db: Queryable, companyId: number, id: number): Promise<ImportRow | undefined> {
  const rows = await db.query<ImportRow>(sql`
    select ${columns} from imports where company_id = ${companyId} and id = ${id}`);
  return rows[0];
}

export async function lockImport(tx: Tx, companyId: number, id: number): Promise<ImportRow | undefined> {
  const rows = await tx.query<ImportRow>(sql`
    select ${columns} from imports where company_id = ${companyId} and id = ${id} for update`);
  return rows[0];
}

export async function listImports(
  db: Queryable,
  companyId: number,
  { skip, take }: PageBounds,
): Promise<{ rows: ImportRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    db.query<ImportRow>(sql`
      select ${columns} from imports where company_id = ${companyId} order by id desc offset ${skip} limit ${take}`),
    db.query<{ n: number }>(sql`select count(*) as n from imports where company_id = ${companyId}`),
  ]);
  return { rows, total: counted[0]!.n };
}

/** Appends a chunk after the last one. */
export async function insertChunk(
  tx: Tx,
  companyId: number,
  { id, n, data }: { id: number; n: number; data: Buffer },
): Promise<ImportRow> {
  await tx.query(sql`
    insert into import_chunks (company_id, import_id, n, data) values (${companyId}, ${id}, ${n}, ${data})`);
  const rows = await tx.query<ImportRow>(sql`
    update imports set chunks = chunks + 1, bytes = bytes + ${data.length}
    where company_id = ${companyId} and id = ${id} returning ${columns}`);
  return rows[0]!;
}

export async function findChunk(db: Queryable, companyId: number, id: number, n: number): Promise<Buffer | undefined> {
  const rows = await db.query<{ data: Buffer }>(sql`
    select data from import_chunks where company_id = ${companyId} and import_id = ${id} and n = ${n}`);
  return rows[0]?.data;
}

/**
 * Queues a phase for a worker: resets the counts, and bars a worker that still holds the import from writing. If an earlier run failed, the
 * new run keeps its start time, by which an undo recognises what either wrote.
 */
export async function beginPhase(
  tx: Tx,
  companyId: number,
  { id, status, options, now }: { id: number; status: ImportStatus; options: ImportOptions; now: Date },
): Promise<ImportRow> {
  const fromStart = status !== 'undoing';
  const rows = await tx.query<ImportRow>(sql`
    update imports set status = ${status}, options = ${JSON.stringify(options)}::jsonb, epoch = epoch + 1, lease_until = null,
      error = null, findings = 0, finished_at = null,
      position = case when ${fromStart} then 0 else position end,
      created = case when ${fromStart} then 0 else created end, updated = case when ${fromStart} then 0 else updated end,
      unchanged = case when ${fromStart} then 0 else unchanged end, skipped = case when ${fromStart} then 0 else skipped end,
      refused = case when ${fromStart} then 0 else refused end, suppressed = case when ${fromStart} then 0 else suppressed end,
      total = case when ${status} = 'checking' then null else total end,
      readings = case when ${status} = 'checking' then null else readings end,
      notices = case when ${status} = 'checking' then null else notices end,
      started_at = case
        when ${status} <> 'running' or (journal > 0 and started_at is not null) then started_at else ${now}::timestamptz end
    where company_id = ${companyId} and id = ${id} returning ${columns}`);
  await tx.query(sql`
    delete from import_findings
    where company_id = ${companyId} and import_id = ${id} and phase = ${phaseOf(status)}`);
  return rows[0]!;
}

export type Phase = 'check' | 'run' | 'undo';

export function phaseOf(status: ImportStatus): Phase {
  return status === 'checking' ? 'check' : status === 'undoing' ? 'undo' : 'run';
}

export async function setStatus(
  tx: Tx,
  companyId: number,
  id: number,
  status: ImportStatus,
  now: Date | null,
): Promise<ImportRow> {
  const rows = await tx.query<ImportRow>(sql`
    update imports set status = ${status}, epoch = epoch + 1, lease_until = null, finished_at = ${now}
    where company_id = ${companyId} and id = ${id} returning ${columns}`);
  return rows[0]!;
}

export interface FindingRow {
  n: number;
  phase: Phase;
  row: number;
  field: string | null;
  reason: string;
  cells: string[] | null;
}

export async function listFindings(
  db: Queryable,
  companyId: number,
  id: number,
  { phase, after, limit }: { phase: Phase; after: number; limit: number },
): Promise<FindingRow[]> {
  return db.query<FindingRow>(sql`
    select n, phase, row, field, reason, cells from import_findings
    where company_id = ${companyId} and import_id = ${id} and phase = ${phase} and n >= ${after}
    order by n limit ${limit}`);
}
