import type { Queryable } from '../../db/pool.ts';
import { type Statement, sql } from '../../db/sql.ts';

export interface GrowthRow {
  /** YYYY-MM-DD, UTC. */
  date: string;
  subscribed: number;
  unsubscribed: number;
  /** Active members that the day added or took away. */
  net: number;
}

/** What is counted of a list, or of all contacts: the counter of its days with its keys, and that of what is active now. */
function countersOf(listId: number | null) {
  const of = listId === null ? '' : `:${listId}`;
  return {
    days: listId === null ? 'marketing-days' : 'list-growth',
    subscribed: `subscribed${of}`,
    unsubscribed: `unsubscribed${of}`,
    net: `active${of}`,
    now: listId === null ? 'contacts' : `list:${listId}`,
    active: listId === null ? 'subscribed' : 'active',
  };
}

const sumOf = (key: string): Statement => sql`coalesce(sum(n) filter (where key = ${key}), 0)::bigint`;

/**
 * Returns what is active now, and the changes of each day from `from` on, the days on which nothing changed left out: a range of the
 * primary key of the counters. One statement, so that both are of one moment.
 */
export async function findGrowth(
  db: Queryable,
  companyId: number,
  listId: number | null,
  from: string,
): Promise<{ active: number; days: GrowthRow[] }> {
  const of = countersOf(listId);
  const rows = await db.query<{ active: number; days: GrowthRow[] }>(sql`
    select
      (select coalesce(sum(n), 0)::bigint from counters
        where company_id = ${companyId} and counter = ${of.now} and key = ${of.active}) as active,
      (select coalesce(json_agg(changes order by date), '[]'::json) from (
        select to_char(day, 'YYYY-MM-DD') as date, ${sumOf(of.subscribed)} as subscribed,
          ${sumOf(of.unsubscribed)} as unsubscribed, ${sumOf(of.net)} as net
        from counters
        where company_id = ${companyId} and counter = ${of.days} and day >= ${from}::date
          and key = any(${[of.subscribed, of.unsubscribed, of.net]}::text[])
        group by day
      ) changes) as days`);
  return rows[0]!;
}
