import type { Db } from '../../db/pool.ts';
import { type Page, type PageBehind, pageBehind, pageOf } from '../../lib/paging.ts';
import type { AuditActor, AuditEntry, AuditQuery } from './contract.ts';
import * as queries from './queries.ts';

export type AuditService = ReturnType<typeof createAuditService>;

/** The audit log of a company, for people. */
export function createAuditService({ db }: { db: Db }) {
  return {
    async listEntries(companyId: number, query: AuditQuery): Promise<Page<AuditEntry>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const filters = filtersOf(query);
      const found = await queries.listEntries(lane, companyId, filters, page);
      return { rows: found.rows.map(entryRecord), total: found.total, ...page };
    },

    listActors(companyId: number): Promise<AuditActor[]> {
      return queries.listActors(db.lists(companyId), companyId);
    },

    /** Returns a part of the list, for an export. */
    async walkEntries(
      companyId: number,
      query: AuditQuery,
      place: string | null,
      limit: number,
    ): Promise<PageBehind<AuditEntry>> {
      const from = { before: place === null ? null : Number(place), limit };
      const rows = await queries.walkEntries(db.lists(companyId), companyId, filtersOf(query), from);
      return pageBehind(rows, limit, entryRecord, ({ id }) => String(id));
    },
  };
}

function filtersOf(query: AuditQuery): queries.AuditFilters {
  const { actor = null, action = null, target = null } = query;
  return { actor, action, target };
}

/** `values` is the hash of the personal values; if those are missing, an erasure deleted them. */
function entryRecord({ at, details, shown, ...row }: queries.AuditRow): AuditEntry {
  const { before = null, values, ...rest } = details;
  const entry = { ...row, at: at.toISOString(), erased: values !== undefined && shown === null };
  if (shown !== null) return { ...entry, details: { ...rest, ...shown.after }, before: shown.before };
  return { ...entry, details: rest, before: before as Record<string, unknown> | null };
}
