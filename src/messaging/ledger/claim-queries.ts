import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import type { DueWork } from './due-queries.ts';
import { type Channel, type ClaimedMessage, FREE, type Origin } from './message.ts';

/**
 * Seconds until a claim expires unless it is renewed. Then messages claimed by a dead worker are released, and those being handed over
 * become `unknown`.
 */
export const CLAIM_SECONDS = 30;

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

/** Serialises claims at one place, because the longest due messages are the same for all workers. */
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
