import type { Queryable } from '../../db/pool.ts';
import { type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';

export interface AuditFilters {
  actor: string | null;
  action: string | null;
  target: string | null;
}

export interface AuditRow {
  id: number;
  at: Date;
  actor: string;
  actor_name: string | null;
  action: string;
  target: string;
  details: Record<string, unknown>;
  /** Of an entry about a person of the shop; null where they were erased, or it has none. */
  shown: { before: Record<string, unknown> | null; after: Record<string, unknown> } | null;
}

/** Only with the filters that are given: each has an index, which a plan for all of them would not take. */
function matches(companyId: number, { actor, action, target }: AuditFilters): Statement {
  const byActor = actor === null ? sql`and true` : sql`and a.actor = ${actor}`;
  const byTarget = target === null ? sql`and true` : sql`and a.target = ${target}`;
  return sql`a.company_id = ${companyId} and (${action}::text is null or starts_with(a.action, ${action})) ${byActor} ${byTarget}`;
}

export async function countEntries(db: Queryable, companyId: number, filters: AuditFilters): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from audit_log a where ${matches(companyId, filters)}`);
  return rows[0]!.n;
}

/** The latest first, with the names of people. */
export async function listEntries(
  db: Queryable,
  companyId: number,
  filters: AuditFilters,
  { skip, take }: PageBounds,
): Promise<AuditRow[]> {
  return db.query<AuditRow>(sql`
    select a.id, a.at, a.actor, p.name as actor_name, a.action, a.target, a.details, v.shown
    from audit_log a left join persons p on a.actor = 'admin:' || p.id
    left join audit_values v on v.company_id = a.company_id and v.entry_id = a.id
    where ${matches(companyId, filters)} order by a.id desc offset ${skip} limit ${take}`);
}
