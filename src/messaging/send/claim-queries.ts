import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import { type Channel, CLAIM_SECONDS, type ClaimedMessage, FREE, type Origin } from '../ledger/message.ts';

/** Messages that are claimed in the order of their due times: those of a lane of a company, or of one of its campaigns. */
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

interface ClaimedRow {
  id: number;
  epoch: number;
  channel: Channel;
  transactional: boolean;
  contact_id: number | null;
  recipient: string | null;
  attempts: number;
  due_at: Date;
  wanted_at: Date | null;
  origin: Origin['kind'];
  flow_id: number | null;
  flow_version: number | null;
  run_id: number | null;
  step_id: string | null;
  event_id: number | null;
  campaign_id: number | null;
  variant: string | null;
  template: string | null;
  data: Record<string, unknown> | null;
  correlation: Correlation | null;
}

/** Serialises claims of the same work, because the longest due messages are the same for all workers. */
export async function lockClaims(tx: Tx, { company_id, lane, campaign_id }: DueWork): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${`claims ${lane} ${campaign_id}`}, ${company_id}))`);
}

export interface Claim {
  now: Date;
  limit: number;
  channels: readonly Channel[];
  /** Only messages due after this one, in the order of due time and id. */
  behind: Pick<ClaimedMessage, 'dueAt' | 'id'> | null;
}

/** Claims the longest due messages that no worker holds, under `lockClaims`. */
export async function claimMessages(tx: Tx, work: DueWork, claim: Claim): Promise<ClaimedMessage[]> {
  const { company_id: companyId, campaign_id: campaignId, lane } = work;
  const { behind } = claim;
  const source = campaignId === null ? sql`lane = ${lane} and campaign_id is null` : sql`campaign_id = ${campaignId}`;
  const rows = await tx.query<ClaimedRow>(sql`
    with picked as materialized (
      select m.id, m.channel, m.transactional, m.contact_id, m.recipient, m.attempts, m.due_at, m.wanted_at, m.origin,
        m.flow_id, m.flow_version, m.run_id, m.step_id, m.event_id, m.campaign_id, m.variant, m.template, m.data, m.correlation
      from messages m
      where m.company_id = ${companyId} and m.status = 'queued' and ${source} and m.due_at <= ${claim.now}
        and m.channel = any(${claim.channels}::text[]) and ${FREE}
        ${behind === null ? emptySql : sql`and (m.due_at, m.id) > (${behind.dueAt}::timestamptz, ${behind.id}::bigint)`}
      order by m.due_at, m.id limit ${claim.limit}
    ),
    -- Numbered here and not by the table, so that nothing has to be joined: see below. All are taken, or none: whoever else
    -- takes messages there waits.
    numbered as materialized (
      select nextval('message_claims_epoch_seq') as epoch, p.* from picked p order by p.id
    ),
    taken as (
      insert into message_claims (company_id, message_id, epoch, lease_until) overriding system value
      select ${companyId}, id, epoch, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}) from numbered
    )
    select * from numbered order by id`);
  return rows.map((row) => claimedOf(companyId, row));
}

/**
 * Extends claims that are not settled yet: messages that are being composed, waiting for their turn, or waiting for the server's response.
 */
export async function renewClaims(db: Queryable, companyId: number, messages: ClaimedMessage[]): Promise<void> {
  await db.query(sql`
    update message_claims c set lease_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
    from unnest(${messages.map((one) => one.id)}::bigint[], ${messages.map((one) => one.epoch)}::bigint[]) as v (id, epoch)
    where c.company_id = ${companyId} and c.message_id = v.id and c.epoch = v.epoch`);
}

function claimedOf(companyId: number, row: ClaimedRow): ClaimedMessage {
  const { id, epoch, channel, transactional, recipient, attempts } = row;
  return {
    companyId,
    id,
    epoch,
    channel,
    transactional,
    contactId: row.contact_id,
    recipient,
    attempts,
    dueAt: row.due_at,
    wantedAt: row.wanted_at ?? row.due_at,
    origin: originOf(row),
    correlation: row.correlation,
  };
}

function originOf(row: ClaimedRow): Origin {
  if (row.origin === 'flow') {
    const { flow_id, flow_version, run_id, step_id, event_id } = row;
    return {
      kind: 'flow',
      flowId: flow_id!,
      version: flow_version!,
      runId: run_id!,
      stepId: step_id!,
      eventId: event_id,
    };
  }
  if (row.origin === 'campaign') return { kind: 'campaign', campaignId: row.campaign_id!, variant: row.variant };
  return { kind: 'system', template: row.template!, data: row.data ?? {} };
}

/**
 * Ends the claims of dead workers. Messages that were only claimed are released, as are those on their way to the mailbox, which recognises
 * duplicates. Whether any other hand-over happened is unknown, so it is never repeated automatically. Returns the ended claims.
 */
export function endExpiredClaims(tx: Tx, now: Date): Promise<{ company_id: number; message_id: number }[]> {
  return tx.query(sql`
    with expired as (
      delete from message_claims c using companies k
      where c.company_id = k.company_id and c.lease_until < clock_timestamp()
      returning c.company_id, c.message_id, c.step, c.recipient, c.transport, c.handed_over_at
    ),
    written as (
      update messages m
      set status = case when e.transport = 'mailbox' then 'queued' else 'unknown' end,
        reason = case when e.transport = 'mailbox' then m.reason else 'hand_over_interrupted' end,
        ended_at = case when e.transport = 'mailbox' then null else ${now}::timestamptz end,
        recipient = e.recipient, transport = e.transport, handed_over_at = e.handed_over_at
      from expired e
      where m.company_id = e.company_id and m.id = e.message_id and m.status = 'queued' and e.step = 'handing_over'
    )
    select company_id, message_id from expired`);
}
