import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface ListSettings {
  id: number;
  name: string;
  double_opt_in: boolean;
  internal: boolean;
}

/** The settings of those lists that exist. */
export function findListSettings(db: Queryable, companyId: number, ids: number[]): Promise<ListSettings[]> {
  return db.query<ListSettings>(sql`
    select id, name, double_opt_in, internal from lists
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and deleted_at is null`);
}

export interface ListRow {
  id: number;
  name: string;
  description: string;
  double_opt_in: boolean;
  internal: boolean;
  created_at: Date;
  updated_at: Date;
  active: number;
  pending: number;
  unsubscribed: number;
}

/** The columns of a list (alias l) with its stored totals. */
const listColumns = sql`l.id, l.name, l.description, l.double_opt_in, l.internal, l.created_at, l.updated_at,
  coalesce(n.active, 0) as active, coalesce(n.pending, 0) as pending, coalesce(n.unsubscribed, 0) as unsubscribed`;

const keptTotals = sql`left join lateral (
  select (sum(n) filter (where key = 'active'))::bigint as active,
    (sum(n) filter (where key = 'pending'))::bigint as pending,
    (sum(n) filter (where key = 'unsubscribed'))::bigint as unsubscribed
  from counters where company_id = l.company_id and counter = 'list:' || l.id
) n on true`;

export async function findList(db: Queryable, companyId: number, id: number): Promise<ListRow | undefined> {
  const rows = await db.query<ListRow>(sql`
    select ${listColumns} from lists l ${keptTotals}
    where l.company_id = ${companyId} and l.id = ${id} and l.deleted_at is null`);
  return rows[0];
}

export async function findLists(
  db: Queryable,
  companyId: number,
  bounds: { skip: number; take: number },
): Promise<{ total: number; rows: ListRow[] }> {
  const rows = await db.query<(ListRow | { id: null }) & { total: number }>(sql`
    select n.total, page.*
    from (select count(*) as total from lists where company_id = ${companyId} and deleted_at is null) n
    left join lateral (
      select ${listColumns}
      from (
        select * from lists where company_id = ${companyId} and deleted_at is null
        order by id desc offset ${bounds.skip} limit ${bounds.take}
      ) l ${keptTotals}
      order by l.id desc
    ) page on true`);
  return { total: rows[0]!.total, rows: rows.filter((row): row is ListRow & { total: number } => row.id !== null) };
}

export async function insertList(
  tx: Tx,
  companyId: number,
  list: { name: string; description: string; doubleOptIn: boolean; internal: boolean; now: Date },
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into lists (company_id, name, description, double_opt_in, internal, created_at, updated_at)
    values (${companyId}, ${list.name}, ${list.description}, ${list.doubleOptIn}, ${list.internal}, ${list.now}, ${list.now})
    returning id`);
  return rows[0]!.id;
}

/** Undefined fields are unchanged. */
export function updateList(
  tx: Tx,
  companyId: number,
  id: number,
  change: {
    name: string | undefined;
    description: string | undefined;
    doubleOptIn: boolean | undefined;
    internal: boolean | undefined;
    now: Date;
  },
): Promise<unknown> {
  return tx.query(sql`
    update lists set name = coalesce(${change.name}, name), description = coalesce(${change.description}, description),
      double_opt_in = coalesce(${change.doubleOptIn}, double_opt_in),
      internal = coalesce(${change.internal}, internal), updated_at = ${change.now}
    where company_id = ${companyId} and id = ${id} and deleted_at is null`);
}

/** Returns whether the list existed. */
export async function markDeleted(tx: Tx, companyId: number, id: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update lists set deleted_at = ${now} where company_id = ${companyId} and id = ${id} and deleted_at is null
    returning id`);
  return rows.length > 0;
}
