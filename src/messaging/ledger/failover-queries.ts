import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** A message that this process has handed over, in a transaction whose commit was acknowledged. */
export interface HandedOver {
  company_id: number;
  id: number;
  epoch: number;
  /** Before this one. */
  attempts: number;
  contact_id: number | null;
  campaign_id: number | null;
  flow_id: number | null;
  step_id: string | null;
  /** Whether its result was recorded as well. */
  settled: boolean;
}

/** What a process that sends has last written. */
export interface SenderState {
  /** The database it writes to; on a new timeline it writes the new one when it has missed nothing there. */
  home: string;
  at: number;
}

export interface MoveState {
  senders: Record<string, SenderState>;
  held_because: string | null;
}

/** Senders that have not written for so long have ended. */
const ENDED_AFTER_MS = 60_000;

export async function findSenders(db: Queryable): Promise<MoveState> {
  const rows = await db.query<MoveState>(sql`select senders, sending_held_because as held_because from installation`);
  return rows[0] ?? { senders: {}, held_because: null };
}

/** Writes that the process sends from this database, and returns when; removes those that have ended. null on another database. */
export async function writeSender(db: Queryable, id: string, home: string): Promise<number | null> {
  const rows = await db.query<{ at: number }>(sql`
    with present as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as at)
    update installation set senders = coalesce((
        select jsonb_object_agg(s.key, s.value) from jsonb_each(senders) s
        where (s.value ->> 'at')::bigint > present.at - ${ENDED_AFTER_MS}), '{}')
      || jsonb_build_object(${id}::text, jsonb_build_object('home', ${home}::text, 'at', present.at))
    from present where home = ${home} returning present.at`);
  return rows[0]?.at ?? null;
}

/** Writes that the process has missed nothing on the new timeline. */
export async function writeChecked(db: Queryable, id: string, home: string): Promise<void> {
  await db.query(sql`
    update installation set senders = senders || jsonb_build_object(${id}::text,
      jsonb_build_object('home', ${home}::text, 'at', (extract(epoch from clock_timestamp()) * 1000)::bigint))`);
}

export async function removeSender(db: Queryable, id: string): Promise<void> {
  await db.query(sql`update installation set senders = senders - ${id}::text where senders ? ${id}::text`);
}

/** Returns those of the messages that the database does not know as handed over. A message that is queued after another attempt is known. */
export async function findLost(db: Queryable, messages: readonly HandedOver[]): Promise<HandedOver[]> {
  if (messages.length === 0) return [];
  const rows = await db.query<{ n: number }>(sql`
    select v.n::int as n from unnest(${messages.map((one) => one.company_id)}::bigint[], ${messages.map((one) => one.id)}::bigint[],
      ${messages.map((one) => one.epoch)}::bigint[], ${messages.map((one) => one.attempts)}::int[],
      ${messages.map((one) => one.settled)}::boolean[]) with ordinality as v (company_id, id, epoch, attempts, settled, n)
    left join messages m on m.company_id = v.company_id and m.id = v.id
    where m.id is null or (m.status = 'queued' and m.attempts <= v.attempts and (v.settled or not exists (
      select 1 from message_claims c where c.company_id = v.company_id and c.message_id = v.id and c.epoch = v.epoch
        and c.step = 'handing_over')))`);
  return rows.map(({ n }) => messages[n - 1]!);
}

/** Holds sending because of a failover that lost commits, and adds to the messages concerned. Returns true if it is held since now. */
export async function holdForFailover(db: Queryable, lost: readonly HandedOver[], now: Date): Promise<boolean> {
  const ids = lost.map(({ company_id, id, contact_id, campaign_id, flow_id, step_id }) => ({
    company_id,
    id,
    contact_id,
    campaign_id,
    flow_id,
    step_id,
  }));
  const rows = await db.query<{ before: string | null }>(sql`
    with held as (select sending_held_because as before from installation for update)
    update installation set sending_held_at = case when before = 'failover' then sending_held_at else ${now}::timestamptz end,
      sending_held_because = 'failover', lost_messages = coalesce(lost_messages, '[]') || ${JSON.stringify(ids)}::jsonb
    from held where before is distinct from 'restored' returning before`);
  return rows.length > 0 && rows[0]!.before !== 'failover';
}

/** Makes the new timeline the database that may send, unless commits were lost. Returns whether it did. */
export async function followTimeline(db: Queryable, from: string, home: string): Promise<boolean> {
  const rows = await db.query(sql`
    update installation set home = ${home}
    where home = ${from} and (sending_held_because is null or sending_held_because not in ('failover', 'restored'))
    returning 1`);
  return rows.length > 0;
}

/** How many seconds ago the last transaction was committed that this server replayed as a standby; null if it was none since its start. */
export async function replayedAgo(db: Queryable): Promise<number | null> {
  const rows = await db.query<{ seconds: number | null }>(sql`
    select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as seconds`);
  return rows[0]!.seconds;
}

/** The number of messages that may have been sent by commits that were lost; null unless sending is held because of a failover. */
export async function countLost(db: Queryable): Promise<number | null> {
  const rows = await db.query<{ n: number | null }>(sql`
    select jsonb_array_length(lost_messages) as n from installation where sending_held_because = 'failover'`);
  return rows[0]?.n ?? null;
}

/**
 * Sets waiting messages to unknown that may have been sent by commits that were lost: those that are queued again, and those that
 * their campaign or flow has written again.
 */
export async function markLostUnknown(db: Queryable, companyId: number, now: Date): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with lost as materialized (
      select l.* from installation i,
        jsonb_to_recordset(i.lost_messages) as l (company_id bigint, id bigint, contact_id bigint, campaign_id bigint, flow_id bigint, step_id text)
      where l.company_id = ${companyId}
    ),
    same as (
      select m.id from lost l join messages m on m.company_id = ${companyId} and m.id = l.id
        and m.contact_id is not distinct from l.contact_id
      union
      select m.id from lost l join messages m on m.company_id = ${companyId} and m.contact_id = l.contact_id
        and m.campaign_id is not distinct from l.campaign_id and m.flow_id is not distinct from l.flow_id
        and m.step_id is not distinct from l.step_id
      where coalesce(l.campaign_id, l.flow_id) is not null
    ),
    waiting as materialized (
      select m.id from messages m
      where m.company_id = ${companyId} and m.status = 'queued' and m.id = any(array(select id from same)) for update
    ),
    released as (
      delete from message_claims c using waiting where c.company_id = ${companyId} and c.message_id = waiting.id
    ),
    marked as (
      update messages m set status = 'unknown', reason = 'hand_over_interrupted', ended_at = ${now}
      from waiting where m.company_id = ${companyId} and m.id = waiting.id returning 1
    )
    select count(*) as n from marked`);
  return rows[0]!.n;
}
