import type { Db } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { type CalendarQuery, type CampaignCalendar, SHOWN_STATUSES } from './contract.ts';
import * as queries from './queries.ts';

const DAY_MS = 86_400_000;
/** A calendar shows a month as six weeks. */
const USUAL_DAYS = 42;
const MOST_DAYS = 62;
const MOST_CAMPAIGNS = 500;

/** @throws AppError validation_failed */
export async function getCalendar(
  db: Db,
  companyId: number,
  timeZone: string,
  now: Date,
  query: CalendarQuery,
): Promise<CampaignCalendar> {
  const from = query.from ?? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  const to = query.to ?? new Date(Date.parse(from) + (USUAL_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidField('to', 'to must not be before from');
  if (days > MOST_DAYS) throw invalidField('to', `to must be at most ${MOST_DAYS - 1} days after from`);
  const period = { from, to, timeZone };
  const rows = await queries.listBetween(db, companyId, period, SHOWN_STATUSES, MOST_CAMPAIGNS + 1);
  return {
    from,
    to,
    time_zone: timeZone,
    campaigns: rows
      .slice(0, MOST_CAMPAIGNS)
      .map(({ id, at, ...row }) => ({ campaign_id: id, ...row, at: formatTimestamp(at) })),
    complete: rows.length <= MOST_CAMPAIGNS,
  };
}
