import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import { type Channel, type ClaimedMessage, FREE, LANES, type Origin, type QueuedMessage } from './message.ts';

/**
 * Seconds that a claim is held, unless it is renewed: what a dead worker held is taken back after them, and what it was
 * handing over is known to be in doubt.
 */
const CLAIM_SECONDS = 30;

export async function insertMessages(
  tx: Tx,
  companyId: number,
  messages: QueuedMessage[],
  now: Date,
): Promise<{ id: number }[]> {
  const rows = messages.map(rowOf);
  return tx.query<{ id: number }>(sql`
    insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, recipient, due_at, origin, flow_id,
      flow_version, run_id, step_id, event_id, campaign_id, variant, template, data, created_at)
    select ${companyId}, idem_key, channel, transactional, lane, contact_id, recipient, due_at, origin, flow_id, flow_version,
      run_id, step_id, event_id, campaign_id, variant, template, data, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as v (idem_key text, channel text, transactional boolean,
      lane smallint, contact_id bigint, recipient text, due_at timestamptz, origin text, flow_id bigint, flow_version int,
      run_id bigint, step_id text, event_id bigint, campaign_id bigint, variant text, template text, data jsonb)
    on conflict (company_id, idem_key) do nothing
    returning id`);
}

function rowOf({ idemKey, channel, contactId, recipient, origin, transactional, dueAt }: QueuedMessage) {
  const lane = transactional ? LANES.transactional : origin.kind === 'campaign' ? LANES.campaign : LANES.flow;
  const row = { idem_key: idemKey, channel, transactional, lane, contact_id: contactId, recipient, due_at: dueAt };
  return { ...row, origin: origin.kind, ...originColumns(origin) };
}

function originColumns(origin: Origin): Record<string, unknown> {
  switch (origin.kind) {
    case 'flow': {
      const { flowId, version, runId, stepId, eventId } = origin;
      return { flow_id: flowId, flow_version: version, run_id: runId, step_id: stepId, event_id: eventId };
    }
    case 'campaign':
      return { campaign_id: origin.campaignId, variant: origin.variant };
    case 'system':
      return { template: origin.template, data: origin.data };
  }
}

/** Where something is due: a lane of a company, or one of its campaigns. */
export interface DueWork {
  company_id: number;
  lane: 0 | 1 | 2;
  campaign_id: number | null;
}

/** Whose messages may be claimed; of campaigns perhaps fewer. */
export interface DueChannels {
  all: readonly Channel[];
  campaigns: readonly Channel[];
}

/** The companies that have due work, by lane; it may be held already. One probe of an index each. */
export function findDueWork(db: Queryable, now: Date, channels: DueChannels): Promise<DueWork[]> {
  return db.query<DueWork>(sql`
    select c.company_id, l.lane, null::bigint as campaign_id
    from companies c cross join (values (0), (1)) as l (lane)
    where exists (
      select 1 from messages m
      where m.company_id = c.company_id and m.lane = l.lane and m.status = 'queued' and m.campaign_id is null
        and m.due_at <= ${now} and m.channel = any(${channels.all}::text[])
    ) and ${SENDING_ALLOWED}
    union all
    select k.company_id, 2, k.id
    from campaigns k
    where k.status = 'sending' and ${SENDING_ALLOWED} and k.type = any(${channels.campaigns}::text[]) and exists (
      select 1 from messages m
      where m.company_id = k.company_id and m.campaign_id = k.id and m.status = 'queued' and m.due_at <= ${now}
    )
    order by 2, 1, 3`);
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
}

/** Others who claim there wait: the longest due messages are the same for all. */
export async function lockClaims(tx: Tx, { company_id, lane, campaign_id }: DueWork): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${`claims ${lane} ${campaign_id}`}, ${company_id}))`);
}

export interface Claim {
  now: Date;
  limit: number;
  channels: readonly Channel[];
  /** Only what is due behind it, in the order of due time and id. */
  behind: Pick<ClaimedMessage, 'dueAt' | 'id'> | null;
}

/** Takes the longest due messages that nobody holds, under `lockClaims`. */
export async function claimMessages(tx: Tx, work: DueWork, claim: Claim): Promise<ClaimedMessage[]> {
  const { company_id: companyId, campaign_id: campaignId, lane } = work;
  const { behind } = claim;
  const source = campaignId === null ? sql`lane = ${lane} and campaign_id is null` : sql`campaign_id = ${campaignId}`;
  const rows = await tx.query<ClaimedRow>(sql`
    with picked as materialized (
      select m.id, m.channel, m.transactional, m.contact_id, m.recipient, m.attempts, m.due_at, m.wanted_at, m.origin,
        m.flow_id, m.flow_version, m.run_id, m.step_id, m.event_id, m.campaign_id, m.variant, m.template, m.data
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
 * Holds on to what is not settled yet: its contents are being made, it waits for its turn, or for the other side's answer.
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

/** A claimed message that is to be delivered now. */
export interface HandOver {
  id: number;
  epoch: number;
  recipient: string;
  transport: string;
}

/**
 * Moves claims on to `handing_over`. Gives the ids of those that are still held, and still queued: a claim may have been
 * made by a statement that began before another worker was done with the message.
 */
export async function handOverMessages(
  tx: Tx,
  companyId: number,
  messages: HandOver[],
  now: Date,
): Promise<Set<number>> {
  const sorted = messages.toSorted(byId);
  const ids = sql`${sorted.map((one) => one.id)}::bigint[]`;
  const place = sql`width_bucket(c.message_id, ${ids})`;
  const rows = await tx.query<{ id: number }>(sql`
    -- By arrays and without joins: of a table that is empty now and then, the planner knows how large it was at some time,
    -- and had each claim compared with each row of the input. The arrays are sorted: width_bucket finds a place by halves.
    update message_claims c
    set step = 'handing_over', handed_over_at = ${now},
      recipient = (${sorted.map((one) => one.recipient)}::text[])[${place}],
      transport = (${sorted.map((one) => one.transport)}::text[])[${place}],
      lease_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
    where c.company_id = ${companyId} and c.message_id = any(${ids}) and c.step = 'claimed'
      and c.epoch = (${sorted.map((one) => one.epoch)}::bigint[])[${place}]
      and (select m.status from messages m where m.company_id = ${companyId} and m.id = c.message_id) = 'queued'
    returning c.message_id as id`);
  return new Set(rows.map((row) => row.id));
}

/** What became of a message that was held. A queued one is free again; `dueAt` and `reason` where it was put off. */
export interface Settled {
  id: number;
  epoch: number;
  status: 'sent' | 'failed' | 'skipped' | 'unknown' | 'queued';
  reason?: string;
  reply?: string;
  /** Of a queued one: when it is tried again. */
  dueAt?: Date;
  /** With it, where its lateness counts from another moment than before. */
  wantedAt?: Date;
  /** Whether it counts as an attempt. */
  attempt?: boolean;
}

/** Ends claims and writes what became of their messages, those that are still held. Gives the ids of these. */
export async function settleMessages(
  db: Queryable,
  companyId: number,
  settled: Settled[],
  now: Date,
): Promise<Set<number>> {
  const sorted = settled.toSorted(byId);
  const ids = sql`${sorted.map((s) => s.id)}::bigint[]`;
  const place = sql`width_bucket(c.message_id, ${ids})`;
  const rows = await db.query<{ id: number }>(sql`
    with ended as (
      delete from message_claims c
      where c.company_id = ${companyId} and c.message_id = any(${ids})
        and c.epoch = (${sorted.map((s) => s.epoch)}::bigint[])[${place}]
      returning c.message_id, c.recipient, c.transport, c.handed_over_at, ${place} as place
    ),
    decided as (
      select e.*, (${sorted.map((s) => s.status)}::text[])[place] as status,
        (${sorted.map((s) => s.reason ?? null)}::text[])[place] as reason,
        (${sorted.map((s) => s.reply ?? null)}::text[])[place] as reply,
        (${sorted.map((s) => s.dueAt ?? null)}::timestamptz[])[place] as due_at,
        (${sorted.map((s) => s.wantedAt ?? null)}::timestamptz[])[place] as wanted_at,
        (${sorted.map((s) => s.attempt ?? false)}::boolean[])[place] as attempt
      from ended e
    ),
    written as (
      update messages m
      -- Without a recipient it was not handed over, or its contact was erased meanwhile: answers name the address.
      set status = d.status, reason = d.reason, attempts = m.attempts + d.attempt::int,
        reply = coalesce(case when d.recipient is not null then d.reply end, m.reply),
        due_at = coalesce(d.due_at, m.due_at),
        wanted_at = case when d.due_at is null then m.wanted_at else coalesce(d.wanted_at, m.wanted_at, m.due_at) end,
        recipient = coalesce(d.recipient, m.recipient),
        transport = coalesce(d.transport, m.transport), handed_over_at = coalesce(d.handed_over_at, m.handed_over_at),
        ended_at = case when d.status <> 'queued' then ${now}::timestamptz end
      from decided d
      where m.company_id = ${companyId} and m.id = d.message_id and m.status = 'queued'
        and (d.status <> 'queued' or d.attempt or d.due_at is not null)
        -- The contact that was claimed has become part of another: it is free again, for that one.
        and (d.reason is distinct from 'contact_erased' or (
          select k.id from contacts k where k.company_id = ${companyId} and k.id = m.contact_id) is null)
    )
    select message_id as id from ended`);
  return new Set(rows.map((row) => row.id));
}

/**
 * Ends what dead workers held: what was only claimed is free again, and so is what was on its way to the mailbox, which
 * knows a message again. Of any other hand-over nobody can say whether it happened: it is never repeated by itself. Gives what
 * was held.
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

/** When the next message that waits for its time is due. */
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

function byId(one: { id: number }, other: { id: number }): number {
  return one.id - other.id;
}
