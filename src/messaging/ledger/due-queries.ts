import type { Queryable } from '../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import type { Channel } from './message.ts';

/** A place with due work: a lane of a company, or one of its campaigns. */
export interface DueWork {
  company_id: number;
  lane: 0 | 1 | 2;
  campaign_id: number | null;
}

/** Channels whose messages may be claimed for the installation's transports; campaigns may have fewer. */
export interface DueChannels {
  all: readonly Channel[];
  campaigns: readonly Channel[];
}

/** Due work as found by the query. */
export interface FoundWork extends DueWork {
  /** The campaign's channel; null if both may be due. */
  channel: Channel | null;
  /** Channels that the company sends through accounts of its own. */
  own: Channel[];
}

const OWN = rawSql(`coalesce((
      select array_agg(a.channel) from sending_accounts a where a.company_id = w.company_id and a.active), '{}')`);

/** Only evaluated for messages that may not use the installation's transports. */
function goesByOwn(company: string, channel: string): Statement {
  return rawSql(`exists (
        select 1 from sending_accounts a where a.company_id = ${company} and a.channel = ${channel} and a.active)`);
}

/** Returns companies with due work by lane, using one index probe each; the messages may already be claimed. */
export function findDueWork(db: Queryable, now: Date, channels: DueChannels): Promise<FoundWork[]> {
  return db.query<FoundWork>(sql`
    select w.*, ${OWN} as own from (
      select c.company_id, l.lane, null::bigint as campaign_id, null::text as channel
      from companies c cross join (values (0), (1)) as l (lane)
      where exists (
        select 1 from messages m
        where m.company_id = c.company_id and m.lane = l.lane and m.status = 'queued' and m.campaign_id is null
          and m.due_at <= ${now}
          and (m.channel = any(${channels.all}::text[]) or ${goesByOwn('m.company_id', 'm.channel')})
      ) and ${SENDING_ALLOWED}
      union all
      select k.company_id, 2, k.id, k.type
      from campaigns k
      where k.status = 'sending' and ${SENDING_ALLOWED}
        and (k.type = any(${channels.campaigns}::text[]) or ${goesByOwn('k.company_id', 'k.type')}) and exists (
          select 1 from messages m
          where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued' and m.due_at <= ${now}
        )
    ) w
    order by 2, 1, 3`);
}

/** Returns when the next waiting message is due. */
export async function nextDueAt(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    select min(n.due_at) as due_at from (
      select m.due_at from companies c cross join (values (0), (1)) as l (lane), lateral (
        select due_at from messages m
        where m.company_id = c.company_id and m.lane = l.lane and m.status = 'queued' and m.campaign_id is null
          and m.due_at > ${now}
        order by m.due_at limit 1
      ) m
      union all
      select m.due_at from campaigns k, lateral (
        select due_at from messages m
        where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued' and m.due_at > ${now}
        order by m.due_at limit 1
      ) m
      where k.status = 'sending'
    ) n`);
  return rows[0]?.due_at ?? null;
}
