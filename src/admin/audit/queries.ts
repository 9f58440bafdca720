import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
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
  /** Values of an entry about a customer; null if the customer was erased or the entry has none. */
  shown: { before: Record<string, unknown> | null; after: Record<string, unknown> } | null;
}

/** Includes only the filters in use: each has an index, which a plan for all of them would not use. */
function matches(companyId: number, { actor, action, target }: AuditFilters): Statement {
  const byAction = action === null ? sql`true` : sql`starts_with(a.action, ${action})`;
  const byActor = actor === null ? sql`and true` : sql`and a.actor = ${actor}`;
  const byTarget = target === null ? sql`and true` : sql`and a.target = ${target}`;
  return sql`a.company_id = ${companyId} and ${byAction} ${byActor} ${byTarget}`;
}

const SHOWN = rawSql('a.id, a.at, a.actor, p.name as actor_name, a.action, a.target, a.details, v.shown');
const NAMES = rawSql(`left join persons p on a.actor = 'admin:' || p.id
    left join audit_values v on v.company_id = a.company_id and v.entry_id = a.id`);

interface AuditPage {
  rows: AuditRow[];
  total: number;
}

/** Latest first, with the names of people and the exact total. */
export async function listEntries(
  db: Queryable,
  companyId: number,
  filters: AuditFilters,
  bounds: PageBounds,
): Promise<AuditPage> {
  const { actor, action, target } = filters;
  const from = sql`from audit_log a where ${matches(companyId, filters)}`;
  const isWhole = actor === null && action === null && target === null;
  const rows = await db.query<{ list_total: number } & { [K in keyof AuditRow]: AuditRow[K] | null }>(sql`
    select l.total as list_total, ${SHOWN}
    from (${isWhole ? storedTotal(companyId, 'audit_log') : countRows(from)}) l
    left join (
      (${pageOfKeys(sql`select a.id ${from} order by a.id desc`, bounds)}) keys
      join audit_log a on a.company_id = ${companyId} and a.id = keys.id
    ) on true ${NAMES}
    order by a.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & AuditRow => row.id !== null) };
}

/** Returns the entries before an id, latest first; null: from the latest. */
export function walkEntries(
  db: Queryable,
  companyId: number,
  filters: AuditFilters,
  { before, limit }: { before: number | null; limit: number },
): Promise<AuditRow[]> {
  return db.query<AuditRow>(sql`
    select ${SHOWN} from audit_log a ${NAMES}
    where ${matches(companyId, filters)} ${before === null ? emptySql : sql`and a.id < ${before}`}
    order by a.id desc limit ${limit}`);
}

export interface ActorRow {
  actor: string;
  name: string | null;
  member: boolean;
}

/** Maximum number of people and programs; a longer list would be useless as a choice. */
const MOST_ACTORS = 5_000;

/**
 * Lists members by name, then former members, then programs. Takes one look-up per actor in audit_log_by_actor, however long the log is.
 */
export function listActors(db: Queryable, companyId: number): Promise<ActorRow[]> {
  return db.query<ActorRow>(sql`
    with recursive present as (
      (select actor from audit_log where company_id = ${companyId} order by actor limit 1)
      union all
      select (select a.actor from audit_log a where a.company_id = ${companyId} and a.actor > present.actor order by a.actor limit 1)
      from present where present.actor is not null
    ),
    known as (
      (select actor from present where actor is not null limit ${MOST_ACTORS})
      union
      select 'admin:' || person_id from members where company_id = ${companyId}
    )
    select k.actor, p.name, m.person_id is not null as member
    from known k
      left join persons p on p.id = case when k.actor ~ '^admin:[0-9]{1,18}$' then substr(k.actor, 7)::bigint end
      left join members m on m.company_id = ${companyId} and m.person_id = p.id
    order by member desc, p.name, starts_with(k.actor, 'admin:') desc, k.actor`);
}
