import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface Uncounted {
  company_id: number;
  id: number;
}

/** Segments without a count for the day; of each company, only those that were changed last. */
export async function findUncounted(
  db: Queryable,
  day: string,
  { ofCompany, limit }: { ofCompany: number; limit: number },
): Promise<Uncounted[]> {
  return db.query<Uncounted>(sql`
    select company_id, id from (
      select s.company_id, s.id, row_number() over (partition by s.company_id order by s.updated_at desc, s.id desc) as place
      from segments s
    ) segments
    where place <= ${ofCompany} and not exists (
      select from segment_counts k
      where k.company_id = segments.company_id and k.segment_id = segments.id and k.day = ${day}::date)
    order by place, company_id limit ${limit}`);
}

/** Keeps the first count of a day; stores nothing for a segment that was deleted meanwhile. */
export async function insertCount(
  tx: Tx,
  companyId: number,
  count: { segmentId: number; day: string; n: number | null },
): Promise<void> {
  await tx.query(sql`
    insert into segment_counts (company_id, segment_id, day, n)
    select company_id, id, ${count.day}::date, ${count.n}::bigint
    from segments where company_id = ${companyId} and id = ${count.segmentId}
    on conflict do nothing`);
}

/** Removes at most `limit` counts of days before `before`. Returns their number. */
export async function removeCounts(db: Queryable, before: string, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from segment_counts where ctid = any(array(
      select ctid from segment_counts where day < ${before}::date limit ${limit} for update skip locked))
    returning 1`);
  return rows.length;
}

/** The counts since that day, oldest first. */
export async function findCounts(
  db: Queryable,
  companyId: number,
  segmentId: number,
  from: string,
): Promise<{ day: string; count: number }[]> {
  return db.query<{ day: string; count: number }>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, n as count from segment_counts
    where company_id = ${companyId} and segment_id = ${segmentId} and day >= ${from}::date and n is not null
    order by segment_counts.day`);
}
