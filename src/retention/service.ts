import { recordAuditEntry } from '../access/audit.ts';
import type { Caller } from '../caller.ts';
import { write } from '../db/idempotency.ts';
import type { Db, Queryable } from '../db/pool.ts';
import { formatTimestamp } from '../lib/timestamps.ts';
import type { RetentionPatch, RetentionSettings } from './contract.ts';
import { periodsOf } from './horizon.ts';
import { KINDS } from './kinds.ts';
import * as queries from './queries.ts';

export { type Archived, archive, checkFormat, OtherFormat } from './archive/archive.ts';
export { ARCHIVE_FORMATS, type ArchiveFormat } from './archive/files.ts';
export { findRetention } from './queries.ts';

export type RetentionService = ReturnType<typeof createRetentionService>;

/** How long a company's data is kept, and how far its removal is. */
export function createRetentionService({ db }: { db: Db }) {
  return {
    getRetentionSettings: (companyId: number) => read(db.points(companyId), companyId),

    /** Sets the given periods; a worker looks at the data again at once. */
    async updateRetentionSettings(caller: Caller, patch: RetentionPatch): Promise<RetentionSettings> {
      const { companyId, now, actor } = caller;
      return write(db, caller, async (tx) => {
        const stored = await queries.lockRetention(tx, companyId);
        await queries.saveRetention(tx, companyId, { ...stored, ...patch });
        await queries.resetPasses(tx, companyId);
        const entry = { action: 'retention_settings.update', target: 'retention_settings', details: patch };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return read(tx, companyId);
      });
    },
  };
}

async function read(db: Queryable, companyId: number): Promise<RetentionSettings> {
  const { retention, progress } = await queries.findRetention(db, companyId);
  return {
    ...periodsOf(retention ?? {}),
    progress: KINDS.map((kind) => {
      const found = progress.find((row) => row.kind === kind);
      const before = found?.removed_before ?? null;
      return { kind, removed_before: before === null ? null : formatTimestamp(before), removed: found?.removed ?? 0 };
    }),
  };
}
