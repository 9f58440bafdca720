import type { Db } from '../../db/pool.ts';
import { csvLine } from '../../lib/csv/write.ts';
import { horizonOf, type RetentionPeriods } from '../horizon.ts';
import type { Kind } from '../kinds.ts';
import { type ArchiveFolder, type ArchiveFormat, type ArchiveState, type KindState, openArchive } from './files.ts';
import { type ArchivePage, readPage } from './queries.ts';

export interface ArchiveRequest {
  companyId: number;
  periods: RetentionPeriods;
  kinds: readonly Kind[];
  folder: string;
  format: ArchiveFormat;
  now: Date;
  /** Data that is removed within this many days is archived. */
  aheadDays: number;
  onPage?: (kind: Kind, rows: number) => void;
}

export interface Archived {
  kind: Kind;
  /** Rows archived by this run. */
  rows: number;
  /** Everything that ended before this time is in the archive, or was removed before the archive began. */
  until: Date;
}

/** Rows per statement, and so per gzip member. */
const PAGE_ROWS = 1_000;
const DAY_MS = 86_400_000;

/** The folder has files of another format, in which rows that were already written could not be recognised. */
export class OtherFormat extends Error {
  constructor(kind: Kind, format: ArchiveFormat) {
    super(`The folder has ${kind} as ${format}: name another folder, or --format ${format}`);
  }
}

/** Throws `OtherFormat` if the folder has files of one of the kinds in another format. */
export async function checkFormat(
  request: Pick<ArchiveRequest, 'companyId' | 'kinds' | 'folder' | 'format'>,
): Promise<void> {
  const state = await (await openArchive(request.folder, request.companyId)).readState();
  for (const kind of request.kinds) {
    const kept = state[kind];
    if (kept === undefined || kept.format === request.format) continue;
    if (Object.keys(kept.files).length > 0) throw new OtherFormat(kind, kept.format);
  }
}

/**
 * Writes data that is about to be removed to a file for each kind and month. A run continues where the previous one ended or was
 * interrupted: each row is written once for each time that it ended. Throws `OtherFormat` before anything is written.
 */
export async function archive(db: Db, request: ArchiveRequest): Promise<Archived[]> {
  const { companyId, periods, kinds, now, aheadDays } = request;
  await checkFormat(request);
  const folder = await openArchive(request.folder, companyId);
  const state = await folder.readState();
  const archived: Archived[] = [];
  for (const kind of kinds) {
    const to = horizonOf(kind, periods, new Date(now.getTime() + aheadDays * DAY_MS));
    if (to === null) continue;
    // Does not go past `now`, because rows that have not ended yet would be missing.
    const end = new Date(Math.min(to.getTime(), now.getTime()));
    archived.push(await archiveKind(db, request, folder, { state, kind, to: end }));
  }
  return archived;
}

async function archiveKind(
  db: Db,
  { companyId, format, onPage }: ArchiveRequest,
  folder: ArchiveFolder,
  { state, kind, to }: { state: ArchiveState; kind: Kind; to: Date },
): Promise<Archived> {
  const kept: KindState = state[kind] ?? { format, until: null, open: null, files: {}, rows: 0 };
  state[kind] = kept;
  kept.format = format;
  const before = kept.rows;
  // An interrupted run is finished first, within its original bounds.
  for (const end of kept.open === null ? [to] : [new Date(kept.open.to), to]) {
    const start = kept.until === null ? null : new Date(kept.until);
    if (start !== null && end <= start) continue;
    kept.open ??= { to: end.toISOString(), place: null };
    for (;;) {
      const { place } = kept.open;
      const page = await readPage(db.lists(companyId), companyId, kind, {
        from: start,
        to: end,
        place,
        limit: PAGE_ROWS,
      });
      await appendPage(folder, kept, kind, page);
      onPage?.(kind, kept.rows - before);
      kept.open.place = page.next;
      if (page.next === null) break;
      await folder.writeState(state);
    }
    kept.until = end.toISOString();
    kept.open = null;
    await folder.writeState(state);
  }
  return { kind, rows: kept.rows - before, until: kept.until === null ? to : new Date(kept.until) };
}

async function appendPage(folder: ArchiveFolder, kept: KindState, kind: Kind, page: ArchivePage): Promise<void> {
  const months = Map.groupBy(page.rows, (row) => row.month);
  for (const [month, rows] of months) {
    const lines = rows.map((row) => row.line);
    const [name, text] =
      kept.format === 'csv'
        ? csvOf(kept, `${kind}-${month}`, lines)
        : [`${kind}-${month}.jsonl.gz`, `${lines.join('\n')}\n`];
    kept.files[name] = await folder.append(name, kept.files[name] ?? 0, text);
  }
  kept.rows += page.rows.length;
}

/**
 * Returns the file that has these rows' columns, and their text, including the header if the file is new. If a later version adds columns,
 * the month continues in a further file.
 */
function csvOf(kept: KindState, stem: string, lines: string[]): [string, string] {
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const columns = Object.keys(rows[0]!);
  kept.columns ??= {};
  let name = `${stem}.csv.gz`;
  for (let n = 2; (kept.columns[name] ?? columns).join() !== columns.join(); n++) name = `${stem}-${n}.csv.gz`;
  kept.columns[name] = columns;
  const header = kept.files[name] === undefined ? csvLine(columns) : '';
  return [name, header + rows.map((row) => csvLine(columns.map((column) => row[column]))).join('')];
}
