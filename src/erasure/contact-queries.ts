import type { Tx } from '../db/pool.ts';
import { rawSql, type Statement, sql } from '../db/sql.ts';
import { GIVEN_BACK } from '../outbox/given-back.ts';
import { TABLES } from '../tables.ts';

/*
 * Erases data of deleted contacts in slices. Rows that are counted stay without their personal fields; others are deleted. Each function
 * returns the id of the last row that it scanned, or null when there are no more.
 */

/**
 * Empties runs of flows, which end by themselves without their contact. The first statement waits for workers that execute the runs, so
 * that the next ones see what these have written.
 */
export async function eraseRuns(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  const found = tx.query<{ id: number }>(sql`
    select id from flow_runs where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and id > ${after}
    order by id limit 200 for update`);
  const runs = (await found).map((row) => row.id);
  await Promise.all([
    tx.query(sql`
      update flow_runs set event = null, state = jsonb_set(state - 'why', '{vars}', '{}')
      where company_id = ${companyId} and id = any(${runs}::bigint[])`),
    tx.query(sql`delete from flow_signals where company_id = ${companyId} and run_id = any(${runs}::bigint[])`),
    tx.query(sql`
      update flow_run_log set entries = '[]' where company_id = ${companyId} and run_id = any(${runs}::bigint[])`),
    // A call that is in progress finds that it is no longer pending, and does not continue the run.
    tx.query(sql`
      update flow_webhook_calls set error = null, status = case status when 'pending' then 'failed' else status end
      where company_id = ${companyId} and run_id = any(${runs}::bigint[]) and (error is not null or status = 'pending')`),
  ]);
  return runs.at(-1) ?? null;
}

export async function eraseMessages(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  const found = await tx.query<{ id: number }>(sql`
    select id from messages where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and id > ${after}
    order by id limit 500`);
  const messages = found.map((row) => row.id);
  await emptyMessages(tx, companyId, messages);
  return messages.at(-1) ?? null;
}

/**
 * Removes addresses and content. The address is removed from the claim first, so that a message held by a worker is settled without it.
 * That statement waits for a settlement in progress, and the next one sees its result.
 */
async function emptyMessages(tx: Tx, companyId: number, ids: number[]): Promise<void> {
  await Promise.all([
    tx.query(sql`
      update message_claims set recipient = null
      where company_id = ${companyId} and message_id = any(${ids}::bigint[]) and recipient is not null`),
    tx.query(sql`
      update messages set recipient = null, data = null, reply = null
      where company_id = ${companyId} and id = any(${ids}::bigint[]) and num_nonnulls(recipient, data, reply) > 0`),
  ]);
}

/** Erases test messages of campaigns that were rendered for these contacts or sent to their addresses. */
export async function eraseTests(
  tx: Tx,
  companyId: number,
  { ids, addresses }: { ids: number[]; addresses: string[] },
  after: number,
): Promise<number | null> {
  const looked = await tx.query<{ id: number; theirs: boolean }>(sql`
    select id, coalesce(data ->> 'as_contact_id' = any(${ids.map(String)}::text[]), false)
      or coalesce(recipient = any(${addresses}::text[]), false) as theirs
    from messages where company_id = ${companyId} and contact_id is null and id > ${after} order by id limit 1000`);
  const theirs = looked.filter((row) => row.theirs).map((row) => row.id);
  await emptyMessages(tx, companyId, theirs);
  await tx.query(sql`delete from mailbox_messages where company_id = ${companyId} and id = any(${theirs}::bigint[])`);
  return looked.at(-1)?.id ?? null;
}

/** The types whose events have amounts. */
const TYPES_WITH_AMOUNTS = ['order_placed', ...GIVEN_BACK.keys()];

/** Events stay as counts, without data. */
export async function eraseEvents(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  const last = await lastOf(
    tx.query(sql`
      with found as materialized (
        select event_id, received_at from events
        where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and event_id > ${after}
        order by event_id limit 500
      ),
      emptied as (
        update events e set data = '{}', external_id = null from found
        where e.company_id = ${companyId} and e.event_id = found.event_id and e.received_at = found.received_at
          and (e.data <> '{}' or e.external_id is not null)
      )
      select max(event_id) as id from found`),
  );
  // Clears amounts of events that were removed because of their age; the other amounts went with the events' data.
  if (last === null) {
    await tx.query(sql`
      update event_totals t set amount = 0
      where t.company_id = ${companyId} and t.event_type = any(${TYPES_WITH_AMOUNTS}::text[])
        and t.contact_id = any(${ids}::bigint[]) and t.amount <> 0
        and not exists (
          select from events e
          where e.company_id = ${companyId} and e.contact_id = t.contact_id and e.event_type = t.event_type
            and event_amount(e.event_type, e.amount, e.data) is not null)`);
  }
  return last;
}

/** Tables in which the contacts' rows are deleted. */
const DELETED_TABLES = TABLES.filter(({ erasure }) => erasure !== undefined && 'deleteBy' in erasure).map(
  ({ name }) => name,
);

/** Returns whether there may be more rows. */
export async function eraseRest(tx: Tx, companyId: number, ids: number[]): Promise<boolean> {
  const counts = await Promise.all(DELETED_TABLES.map((table) => deleteSome(tx, companyId, rawSql(table), ids)));
  return counts.some((count) => count === AT_ONCE);
}

const AT_ONCE = 500;

async function deleteSome(tx: Tx, companyId: number, table: Statement, ids: number[]): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    with gone as (
      delete from ${table} where company_id = ${companyId} and ctid = any(array(
        select ctid from ${table} where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) limit ${AT_ONCE}))
      returning 1
    )
    select count(*) as n from gone`);
  return rows[0]!.n;
}

export async function lastOf(rows: Promise<{ id: number | null }[]>): Promise<number | null> {
  return (await rows)[0]!.id;
}
