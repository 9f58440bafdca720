import type { Tx } from '../db/pool.ts';
import { rawSql, type Statement, sql } from '../db/sql.ts';

/*
 * What hangs on contacts that are gone, in slices: each takes everything personal out of some rows that stay as numbers, or away
 * what would be nothing without it, and gives the last row that it looked at; null where there are no more.
 */

/** Runs end by themselves: their contact is gone. Waits for workers that move them. */
export async function eraseRuns(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with runs as materialized (
        select id from flow_runs where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and id > ${after}
        order by id limit 200 for update
      ),
      emptied as (
        update flow_runs r set event = null, state = jsonb_set(state - 'why', '{vars}', '{}') from runs
        where r.company_id = ${companyId} and r.id = runs.id
      ),
      unheard as (delete from flow_signals s using runs where s.company_id = ${companyId} and s.run_id = runs.id),
      unlogged as (
        update flow_run_log l set entries = '[]' from runs where l.company_id = ${companyId} and l.run_id = runs.id
      ),
      calls as (
        -- What is called at this moment finds that the call is no longer its own, and tells the run nothing.
        update flow_webhook_calls c set error = null, status = case c.status when 'pending' then 'failed' else c.status end
        from runs where c.company_id = ${companyId} and c.run_id = runs.id and (c.error is not null or c.status = 'pending')
      )
      select max(id) as id from runs`),
  );
}

/** What is on its way is settled without the address: whoever settles it finds none with the claim. */
export async function eraseMessages(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with found as materialized (
        select id from messages where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and id > ${after}
        order by id limit 500
      ),
      claims as (
        update message_claims c set recipient = null from found
        where c.company_id = ${companyId} and c.message_id = found.id and c.recipient is not null
      ),
      emptied as (
        update messages m set recipient = null, data = null, reply = null from found
        where m.company_id = ${companyId} and m.id = found.id and num_nonnulls(m.recipient, m.data, m.reply) > 0
      )
      select max(id) as id from found`),
  );
}

/** Tests of campaigns that were made to look as theirs, or went to their addresses. */
export async function eraseTests(
  tx: Tx,
  companyId: number,
  { ids, addresses }: { ids: number[]; addresses: string[] },
  after: number,
): Promise<number | null> {
  return lastOf(
    tx.query(sql`
      with looked as materialized (
        select id, recipient, data from messages where company_id = ${companyId} and contact_id is null and id > ${after}
        order by id limit 1000
      ),
      found as materialized (
        select id from looked
        where data ->> 'as_contact_id' = any(${ids.map(String)}::text[]) or recipient = any(${addresses}::text[])
      ),
      mails as (delete from mailbox_messages b using found where b.company_id = ${companyId} and b.id = found.id),
      claims as (
        update message_claims c set recipient = null from found where c.company_id = ${companyId} and c.message_id = found.id
      ),
      emptied as (
        update messages m set recipient = null, data = null, reply = null from found
        where m.company_id = ${companyId} and m.id = found.id
      )
      select max(id) as id from looked`),
  );
}

/** What happened when stays, as numbers. */
export async function eraseEvents(tx: Tx, companyId: number, ids: number[], after: number): Promise<number | null> {
  return lastOf(
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
}

/** Tables of which nothing stays, with what names the contact. */
const NOTHING_STAYS = [
  'mailbox_messages',
  'flow_notifications',
  'flow_emissions',
  'flow_entries',
  'contact_consents',
  'contact_activity',
  'contact_former_keys',
  'form_submissions',
  'soft_bounces',
] as const;

/** Gives whether there may be more. */
export async function eraseRest(tx: Tx, companyId: number, ids: number[]): Promise<boolean> {
  const counts = await Promise.all(NOTHING_STAYS.map((table) => deleteSome(tx, companyId, rawSql(table), ids)));
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
