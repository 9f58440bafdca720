import type { Db } from '../../db/pool.ts';
import { horizonOf, type RetentionPeriods } from '../horizon.ts';
import type { Kind } from '../kinds.ts';
import { type ArchiveFolder, type ArchiveState, type KindState, openArchive } from './files.ts';
import { type ArchivePage, readPage } from './queries.ts';

export interface ArchiveRequest {
  companyId: number;
  periods: RetentionPeriods;
  kinds: readonly Kind[];
  folder: string;
  now: Date;
  /** What is removed within so many days is archived. */
  aheadDays: number;
  onPage?: (kind: Kind, rows: number) => void;
}

export interface Archived {
  kind: Kind;
  /** Rows of this run. */
  rows: number;
  /** Everything that ended before is in the archive, or was removed before the archive began. */
  until: Date;
}

/** Rows of a statement, and so of a gzip member. */
const PAGE_ROWS = 1_000;
const DAY_MS = 86_400_000;

/**
 * Writes what is about to be removed to a file for each kind and month. A run continues where the one before ended, or was
 * interrupted: each row is written once for each time that it ended.
 */
export async function archive(db: Db, request: ArchiveRequest): Promise<Archived[]> {
  const { companyId, periods, kinds, now, aheadDays } = request;
  const folder = await openArchive(request.folder, companyId);
  const state = await folder.readState();
  const archived: Archived[] = [];
  for (const kind of kinds) {
    const to = horizonOf(kind, periods, new Date(now.getTime() + aheadDays * DAY_MS));
    if (to === null) continue;
    // Rows that have not ended yet would be missing.
    const end = new Date(Math.min(to.getTime(), now.getTime()));
    archived.push(await archiveKind(db, request, folder, { state, kind, to: end }));
  }
  return archived;
}

async function archiveKind(
  db: Db,
  { companyId, onPage }: ArchiveRequest,
  folder: ArchiveFolder,
  { state, kind, to }: { state: ArchiveState; kind: Kind; to: Date },
): Promise<Archived> {
  const kept: KindState = state[kind] ?? { until: null, open: null, files: {}, rows: 0 };
  state[kind] = kept;
  const before = kept.rows;
  // An interrupted run is finished first, within the bounds that it had.
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
    const name = `${kind}-${month}.jsonl.gz`;
    const lines = rows.map((row) => row.line);
    kept.files[name] = await folder.append(name, kept.files[name] ?? 0, lines);
  }
  kept.rows += page.rows.length;
}
