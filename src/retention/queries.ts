import type { Queryable, Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import type { StoredRetention } from './horizon.ts';
import type { Kind } from './kinds.ts';

/** Returns the company's periods as stored, and locks them until the transaction ends. */
export async function lockRetention(tx: Tx, companyId: number): Promise<StoredRetention> {
  const rows = await tx.query<{ retention: StoredRetention | null }>(sql`
    select settings -> 'retention' as retention from companies where company_id = ${companyId} for no key update`);
  return rows[0]?.retention ?? {};
}

export async function saveRetention(tx: Tx, companyId: number, stored: StoredRetention): Promise<void> {
  await tx.query(sql`
    update companies set settings = settings || jsonb_build_object('retention', ${stored}::jsonb) where company_id = ${companyId}`);
}

/** Makes the worker check the company's data again at once. */
export async function resetPasses(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`update retention_progress set next_at = '-infinity' where company_id = ${companyId}`);
}

export interface ProgressRow {
  kind: Kind;
  removed_before: Date | null;
  removed: number;
}

export async function findRetention(
  db: Queryable,
  companyId: number,
): Promise<{ retention: StoredRetention | null; progress: ProgressRow[] }> {
  const [row] = await db.query<{
    retention: StoredRetention | null;
    progress: (Omit<ProgressRow, 'removed_before'> & { removed_before: string | null })[] | null;
  }>(sql`
    select c.settings -> 'retention' as retention, (
      select json_agg(json_build_object('kind', p.kind, 'removed_before', p.removed_before, 'removed', p.removed))
      from retention_progress p where p.company_id = c.company_id) as progress
    from companies c where c.company_id = ${companyId}`);
  const progress = (row?.progress ?? []).map(({ removed_before, ...rest }) => {
    return { ...rest, removed_before: removed_before === null ? null : new Date(removed_before) };
  });
  return { retention: row?.retention ?? null, progress };
}

export interface StoredPeriods {
  retention: StoredRetention | null;
  /** Hours that the frequency cap of marketing messages looks back. */
  cap_hours: number | null;
}

/** Returns the settings that now decide how long the company's data is kept. */
export async function findPeriods(db: Queryable, companyId: number): Promise<StoredPeriods | undefined> {
  const rows = await db.query<StoredPeriods>(sql`
    select settings -> 'retention' as retention, (settings #>> '{messaging,frequency_cap,hours}')::int as cap_hours
    from companies where company_id = ${companyId}`);
  return rows[0];
}

export interface DueCompany extends StoredPeriods {
  company_id: number;
  /** Kinds that were looked at within the last hours. */
  done: Kind[];
}

/** Returns every company, with the kinds of data that are not due. */
export function findDueCompanies(db: Queryable, now: Date): Promise<DueCompany[]> {
  return db.query<DueCompany>(sql`
    select c.company_id, c.settings -> 'retention' as retention,
      (c.settings #>> '{messaging,frequency_cap,hours}')::int as cap_hours, coalesce((
        select array_agg(p.kind) from retention_progress p where p.company_id = c.company_id and p.next_at > ${now}), '{}') as done
    from companies c order by c.company_id`);
}

/** Records the beginning of a pass that removes what is older than `before`. */
export async function beginPass(
  db: Queryable,
  companyId: number,
  kind: Kind,
  { before, nextAt }: { before: Date; nextAt: Date },
): Promise<void> {
  await db.query(sql`
    insert into retention_progress as p (company_id, kind, removed_before, next_at)
    values (${companyId}, ${kind}, ${before}, ${nextAt})
    on conflict (company_id, kind) do update set next_at = excluded.next_at,
      removed_before = greatest(p.removed_before, excluded.removed_before)`);
}

export async function addRemoved(tx: Tx, companyId: number, kind: Kind, n: number): Promise<void> {
  await tx.query(sql`
    update retention_progress set removed = removed + ${n} where company_id = ${companyId} and kind = ${kind}`);
}
