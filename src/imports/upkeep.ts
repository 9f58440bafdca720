import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import type { Slice } from '../lib/slice.ts';
import { UNDO_DAYS } from './service.ts';
import * as queries from './upkeep-queries.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A file that nobody imports is forgotten after so long. */
const UNUSED_MS = DAY;
/** What is left of an import then: its line in the list. */
const KEEP_MS = 90 * DAY;

/** Forgets files that were imported or left lying, and journals and refused rows that nobody may undo any more. */
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
