import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { counter } from '../../lib/measures.ts';
import { CLAIM_SECONDS } from './message.ts';

const messagesSettled = counter(
  'tradeloom_messages_settled_total',
  'Claimed messages by what became of them; queued ones are tried again or wait',
  { status: ['sent', 'failed', 'skipped', 'unknown', 'queued'] },
);

/** A claimed message to deliver now. */
export interface HandOver {
  id: number;
  epoch: number;
  recipient: string;
  transport: string;
}

/**
 * Changes claims to `handing_over`. Returns the ids that are still claimed and still queued: a claim may come from a statement that began
 * before another worker had finished the message.
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

/** What becomes of a claimed message. A queued one is released; `dueAt` and `reason` are set if it was postponed. */
export interface Outcome {
  status: 'sent' | 'failed' | 'skipped' | 'unknown' | 'queued';
  reason?: string;
  reply?: string;
  /** For a queued message: when it is tried again. */
  dueAt?: Date;
  /** Set with `dueAt` if lateness is now measured from another time. */
  wantedAt?: Date;
  /** Whether it counts as an attempt. */
  attempt?: boolean;
}

/** The outcome of the message that was claimed with the epoch. */
export interface Settled extends Outcome {
  id: number;
  epoch: number;
}

/** Ends claims and writes the outcomes of the messages still held. Returns their ids. */
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
      -- Without a recipient it was not handed over, or its contact was erased meanwhile: replies contain the address.
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
  const ended = new Set(rows.map((row) => row.id));
  for (const { id, status } of settled) if (ended.has(id)) messagesSettled.inc({ status });
  return ended;
}

function byId(one: { id: number }, other: { id: number }): number {
  return one.id - other.id;
}
