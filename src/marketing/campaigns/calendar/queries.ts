import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { SHOWN_STATUSES } from './contract.ts';

export interface CalendarRow {
  id: number;
  name: string;
  type: 'email' | 'sms';
  status: (typeof SHOWN_STATUSES)[number];
  /** YYYY-MM-DD in the time zone. */
  date: string;
  at: Date;
  recipients: number | null;
}

/** Campaigns on these days, ordered by time. Scans all campaigns of the company: a shop has hundreds. */
export function listBetween(
  db: Queryable,
  companyId: number,
  { from, to, timeZone }: { from: string; to: string; timeZone: string },
  statuses: readonly string[],
  limit: number,
): Promise<CalendarRow[]> {
  return db.query<CalendarRow>(sql`
    select id, name, type, status, to_char(at at time zone ${timeZone}, 'YYYY-MM-DD') as date, at, recipients
    from (
      select k.id, k.name, k.type, k.status, coalesce(k.started_at, k.scheduled_at) as at,
        coalesce(k.recipients, k.counted) as recipients
      from campaigns k where k.company_id = ${companyId} and k.status = any(${[...statuses]}::text[])
    ) dated
    where at >= ${from}::date::timestamp at time zone ${timeZone}
      and at < (${to}::date + 1)::timestamp at time zone ${timeZone}
    order by at, id limit ${limit}`);
}
