import type { Db } from '../../db/pool.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import type { AuditEntry, AuditQuery } from './contract.ts';
import * as queries from './queries.ts';

export type AuditService = ReturnType<typeof createAuditService>;

/** The audit log of a company, for people. */
export function createAuditService({ db }: { db: Db }) {
  return {
    async listEntries(companyId: number, query: AuditQuery): Promise<Page<AuditEntry>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const { actor = null, action = null, target = null } = query;
      const filters = { actor, action, target };
      const [total, rows] = await Promise.all([
        queries.countEntries(lane, companyId, filters),
        queries.listEntries(lane, companyId, filters, page),
      ]);
      return { rows: rows.map(entryRecord), total, ...page };
    },
  };
}

/** `values` is the hash of what the entry shows of a person; where that is gone, an erasure took it. */
function entryRecord({ at, details, shown, ...row }: queries.AuditRow): AuditEntry {
  const { before = null, values, ...rest } = details;
  const entry = { ...row, at: at.toISOString(), erased: values !== undefined && shown === null };
  if (shown !== null) return { ...entry, details: { ...rest, ...shown.after }, before: shown.before };
  return { ...entry, details: rest, before: before as Record<string, unknown> | null };
}
