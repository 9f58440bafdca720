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

function entryRecord({ at, details: { before = null, ...details }, ...row }: queries.AuditRow): AuditEntry {
  return { ...row, at: at.toISOString(), details, before: before as Record<string, unknown> | null };
}
