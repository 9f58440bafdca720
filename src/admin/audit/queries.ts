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
  const byActor = actor === null ? sql`and true` : sql`and a.actor = ${actor}`;
  const byTarget = target === null ? sql`and true` : sql`and a.target = ${target}`;
  return sql`a.company_id = ${companyId} and (${action}::text is null or starts_with(a.action, ${action})) ${byActor} ${byTarget}`;
}

const SHOWN = rawSql('a.id, a.at, a.actor, p.name as actor_name, a.action, a.target, a.details, v.shown');
const NAMES = rawSql(`left join persons p on a.actor = 'admin:' || p.id
    left join audit_values v on v.company_id = a.company_id and v.entry_id = a.id`);

interface AuditPage {
  rows: AuditRow[];
  total: number;
}

/** Latest first, with the names of people. The totals per actor and per action are precomputed (see list_counts). */
export async function listEntries(
  db: Queryable,
  companyId: number,
  { actor, action }: Pick<AuditFilters, 'actor' | 'action'>,
  { skip, take }: PageBounds,
): Promise<AuditPage> {
  const list = actor === null ? 'audit' : `audit-actor:${actor}`;
  const byActor = actor === null ? emptySql : sql`and e.actor = ${actor}`;
  const located =
    action === null
      ? sql`
        place as (select l.*, l.lowest as from_id from locate_page(${companyId}, ${list}, null, null, null, ${skip}) l),
        page as (
          select e.id from place l cross join lateral (
            select e.id from audit_log e
            where e.company_id = ${companyId} ${byActor} and e.id < l.below and e.id >= l.from_id
            order by e.id desc offset l.rest limit ${take}) e)`
      : sql`
        -- The actions that begin with the text. Each is read in its index, no further than the bucket in which the page ends.
        actions as materialized (
          select array(
            select distinct facet from (
              select facet from list_spans where company_id = ${companyId} and list = ${list}
              union all
              select facet from list_count_deltas where company_id = ${companyId} and list = ${list}) kept
            where starts_with(facet, ${action})) as named),
        place as (
          select l.*, n.below - 4096 as from_id
          from actions, locate_page(${companyId}, ${list}, actions.named, null, null, ${skip}) l,
            locate_page(${companyId}, ${list}, actions.named, null, null, least(${skip}::bigint + ${take}::bigint, l.total) - 1) n),
        page as (
          select e.id from place l, actions, unnest(actions.named) named (action) cross join lateral (
            select e.id from audit_log e
            where e.company_id = ${companyId} ${byActor} and e.action = named.action and e.id < l.below and e.id >= l.from_id
            order by e.id desc limit l.rest + ${take}::bigint) e
          order by e.id desc offset (select rest from place) limit ${take})`;
  const rows = await db.query<{ list_total: number } & { [K in keyof AuditRow]: AuditRow[K] | null }>(sql`
    with ${located}
    select l.total as list_total, ${SHOWN}
    from place l left join audit_log a on a.company_id = ${companyId} and a.id = any(array(select id from page)) ${NAMES}
    order by a.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & AuditRow => row.id !== null) };
}

/** The same with any filters; rows are counted and skipped one by one. */
export async function listCounted(
  db: Queryable,
  companyId: number,
  filters: AuditFilters,
  { skip, take }: PageBounds,
): Promise<AuditPage> {
  const [rows, counted] = await Promise.all([
    db.query<AuditRow>(sql`
      select ${SHOWN} from audit_log a ${NAMES}
      where ${matches(companyId, filters)} order by a.id desc offset ${skip} limit ${take}`),
    db.query<{ n: number }>(sql`select count(*) as n from audit_log a where ${matches(companyId, filters)}`),
  ]);
  return { rows, total: counted[0]!.n };
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
