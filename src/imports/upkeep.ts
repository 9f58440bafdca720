import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import type { Slice } from '../lib/slice.ts';
import { UNDO_DAYS } from './service.ts';
import * as queries from './upkeep-queries.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A file that is not imported is deleted after this time. */
const UNUSED_MS = DAY;
/** How long an import remains in the list. */
const KEEP_MS = 90 * DAY;

/** Deletes files that were imported or abandoned, and journals and findings of imports that can no longer be undone. */
export function purgeImports(db: Db, clock: Clock): Slice<number> {
  return async () => {
    const now = clock.now().getTime();
    await queries.cancelUnused(db, new Date(now - UNUSED_MS), new Date(now));
    const chunks = await queries.deleteChunks(db);
    const rows = await queries.deleteHistories(db, new Date(now - UNDO_DAYS * DAY));
    const imports = await queries.deleteImports(db, new Date(now - KEEP_MS));
    const done = chunks + rows + imports;
    return { done, next: done === 0 ? null : 0 };
  };
}
