import { constraintOf, type Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import { moveOutbox } from '../../../outbox/service.ts';
import { lockMergesShared } from '../../../recipients/merge-lock.ts';
import { loadMemberships } from '../../lists/service.ts';
import { keysOf } from '../contact.ts';
import { moveFormerKeys } from '../erasure/queries.ts';
import { moveLastActivity } from '../last-activity.ts';
import { lockKeys } from '../lock-queries.ts';
import * as queries from '../queries.ts';
import { insertActivity } from '../timeline/queries.ts';
import type { Plan } from '../upsert/plan.ts';

/**
 * Merges the plan's losers into its contact: transfers everything that refers to them, and deletes their rows. The caller then writes the
 * contact's own row, once the losers' keys are free.
 * See docs/design/contacts.md.
 */
export async function mergeInto(tx: Tx, companyId: number, plan: Plan, now: Date): Promise<void> {
  const slot = plan.slot!;
  const winner = slot.id!;
  const losers = plan.losers.map((loser) => loser.id!);
  // The losers' keys. Locked after rows, against the usual order: two merges may deadlock, which the database detects, and
  // one of them is retried.
  await lockKeys(tx, companyId, plan.losers.flatMap((loser) => keysOf(loser.current)).sort());
  await moveOutbox(tx, companyId, losers, winner);
  // Before other rows, since it waits for workers that are executing the runs: what they write until then is moved as well.
  await moveRuns(tx, companyId, losers, winner, now);
  // Waits for a part of an audience that is being written, so that its messages are seen below; the next part waits.
  await lockMergesShared(tx, companyId);
  await moveDependents(tx, companyId, losers, winner);
  await moveLastActivity(tx, companyId, losers, winner);
  await moveHoldOuts(tx, companyId, losers, winner);
  await keepOneOfEachCampaign(tx, companyId, winner, now);
  await mergeMemberships(tx, companyId, losers, winner, now);
  await moveFormerKeys(tx, companyId, losers, winner);
  await queries.deleteContacts(tx, companyId, losers);
  await insertActivity(
    tx,
    companyId,
    losers.map((contactId) => ({ contactId: winner, type: 'merged', data: { contact_id: contactId }, at: now })),
  );
  slot.lists = (await loadMemberships(tx, companyId, [winner])).get(winner) ?? [];
}

/** Each flow that the contact enters during the merge requires another attempt. */
const MAX_ATTEMPTS = 5;

async function moveRuns(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tx.savepoint(async () => {
        await exitSecondRuns(tx, companyId, [into, ...from], now);
        await moveLiveRuns(tx, companyId, from, into);
      });
    } catch (error) {
      if (constraintOf(error) !== 'flow_runs_live' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/*
 * Rows of all tables that refer to contacts and must be updated in a merge. A table missing here would keep the id of a contact that
 * no longer exists; erasure.test.ts looks for such tables. What an erasure deletes is in src/erasure.
 */

/** Transfers everything of the contacts `from` to `into`, except runs of flows (see `moveLiveRuns`). */
async function moveDependents(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await Promise.all([
    tx.query(sql`
      update contact_activity set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      update contact_consents set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      update audit_values set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      update form_submissions set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      update events set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    // The remaining totals, of events that were removed. After the update of events, which updates their totals itself.
    tx.query(sql`
      with recursive types as (
        select min(event_type) as event_type from event_totals where company_id = ${companyId}
        union all
        select (select min(t.event_type) from event_totals t where t.company_id = ${companyId} and t.event_type > types.event_type)
        from types where event_type is not null
      ),
      rest as (
        delete from event_totals where company_id = ${companyId} and contact_id = any(${from}::bigint[])
          and event_type = any(array(select event_type from types where event_type is not null))
        returning event_type, n, amount, first_at, last_at
      )
      insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
      select ${companyId}, event_type, ${into}, sum(n), sum(amount), min(first_at), max(last_at) from rest where n > 0
      group by event_type
      on conflict (company_id, event_type, contact_id) do update set n = t.n + excluded.n, amount = t.amount + excluded.amount,
        first_at = case when t.n > 0 then least(t.first_at, excluded.first_at) else excluded.first_at end,
        last_at = case when t.n > 0 then greatest(t.last_at, excluded.last_at) else excluded.last_at end`),
    tx.query(sql`
      with moved as (
        delete from message_totals where company_id = ${companyId} and contact_id = any(${from}::bigint[])
        returning type, n, first_at, last_at
      )
      insert into message_totals as t (company_id, type, contact_id, n, first_at, last_at)
      select ${companyId}, type, ${into}, sum(n), min(first_at), max(last_at) from moved group by type
      on conflict (company_id, type, contact_id) do update set n = t.n + excluded.n,
        first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)`),
    // Before the update of messages, through which the rows are found.
    tx.query(sql`
      update message_activity set contact_id = ${into}
      where company_id = ${companyId} and message_id in (
        select id from messages where company_id = ${companyId} and contact_id = any(${from}::bigint[]))`),
    tx.query(sql`
      update messages set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      update mailbox_messages set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`delete from soft_bounces where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
    tx.query(sql`
      with gone as (
        delete from flow_entries where company_id = ${companyId} and contact_id = any(${from}::bigint[]) returning *
      )
      insert into flow_entries as e (company_id, flow_id, contact_id, entered_at, not_after)
      select company_id, flow_id, ${into}, max(entered_at), max(not_after) from gone group by company_id, flow_id
      on conflict (company_id, flow_id, contact_id) do update
      set entered_at = greatest(e.entered_at, excluded.entered_at), not_after = greatest(e.not_after, excluded.not_after)`),
    tx.query(sql`
      with gone as (
        delete from flow_segment_members where company_id = ${companyId} and contact_id = any(${from}::bigint[])
        returning segment_id
      )
      insert into flow_segment_members (company_id, segment_id, contact_id)
      select distinct ${companyId}::bigint, segment_id, ${into}::bigint from gone
      on conflict do nothing`),
    tx.query(sql`
      update flow_emissions set contact_id = ${into}
      where company_id = ${companyId} and contact_id = any(${from}::bigint[])`),
  ]);
}

/**
 * Transfers memberships of hold-out groups, after the messages: a contact that has a message of a campaign was not held out of it.
 */
async function moveHoldOuts(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await tx.query(sql`
    with moved as (
      delete from campaign_hold_outs where company_id = ${companyId} and contact_id = any(${from}::bigint[])
      returning campaign_id
    )
    insert into campaign_hold_outs (company_id, campaign_id, contact_id)
    select distinct ${companyId}::bigint, campaign_id, ${into}::bigint from moved
    on conflict do nothing`);
  await tx.query(sql`
    delete from campaign_hold_outs h
    where h.company_id = ${companyId} and h.contact_id = ${into} and exists (
      select from messages m
      where m.company_id = ${companyId} and m.contact_id = ${into} and (m.campaign_id = h.campaign_id) is true)`);
}

/**
 * Leaves the contact at most one queued message per campaign, and none if one was handed over; the others are skipped. While the
 * audience is being written, the remaining message gets the contact's key, so that no second message is written.
 */
async function keepOneOfEachCampaign(tx: Tx, companyId: number, contactId: number, now: Date): Promise<void> {
  await tx.query(sql`
    with own as materialized (
      select m.id, m.campaign_id, m.idem_key, 'c:' || m.campaign_id || ':' || m.contact_id as own_key,
        m.status = 'queued' and c.step is distinct from 'handing_over' as waits,
        row_number() over (
          partition by m.campaign_id
          order by (m.status in ('sent', 'unknown') or c.step is not distinct from 'handing_over') desc,
            m.status = 'queued' desc, m.id) as place
      from messages m left join message_claims c on c.company_id = m.company_id and c.message_id = m.id
      where m.company_id = ${companyId} and m.contact_id = ${contactId} and m.campaign_id is not null
    ),
    released as (
      delete from message_claims c using own
      where c.company_id = ${companyId} and c.message_id = own.id and own.waits and own.place > 1
    ),
    skipped as (
      update messages m set status = 'skipped', reason = 'merged', ended_at = ${now}
      from own
      where m.company_id = ${companyId} and m.id = own.id and m.status = 'queued' and own.waits and own.place > 1
    )
    update messages m set idem_key = own.own_key
    from own join campaigns k on k.company_id = ${companyId} and k.id = own.campaign_id and k.recipients is null
    where m.company_id = ${companyId} and m.id = own.id and own.place = 1
      and not exists (select 1 from own other where other.idem_key = own.own_key)`);
}

/** In flows that allow one run at a time, the earliest of the contacts' runs continues, and the others exit. */
async function exitSecondRuns(tx: Tx, companyId: number, contactIds: number[], now: Date): Promise<void> {
  await tx.query(sql`
    select exit_flow_runs(${companyId}, array(
      select id from (
        select id, row_number() over (partition by flow_id order by entered_at, id) as place from flow_runs
        where company_id = ${companyId} and contact_id = any(${contactIds}::bigint[]) and slot = 0
          and status in ('active', 'paused')
      ) runs where place > 1), 'merged', ${now})`);
}

/** Violates the unique index flow_runs_live if `into` has meanwhile entered a flow in which another of the contacts is. */
async function moveLiveRuns(tx: Tx, companyId: number, from: number[], into: number): Promise<void> {
  await tx.query(sql`
    update flow_runs set contact_id = ${into}
    where company_id = ${companyId} and contact_id = any(${from}::bigint[])`);
}

/** The ids of the contacts, and of those that were merged into them. */
export function idsWithMerged(companyId: number, ids: number[]): Statement {
  return sql`
    select unnest(${ids}::bigint[]) as id
    union
    select (data ->> 'contact_id')::bigint from contact_activity
    where company_id = ${companyId} and contact_id = any(${ids}::bigint[]) and type = 'merged'`;
}

/** Merges the memberships: unsubscribed if either is, otherwise active if either is. */
function mergeMemberships(tx: Tx, companyId: number, from: number[], into: number, now: Date): Promise<unknown> {
  return tx.query(sql`
    insert into list_memberships as m (company_id, list_id, contact_id, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, updated_at)
    select distinct on (list_id) company_id, list_id, ${into}, status, consent_at, consent_source, consent_ip,
      confirmation_queued_at, created_at, ${now}
    from list_memberships
    where company_id = ${companyId} and contact_id = any(${from}::bigint[])
    order by list_id, array_position(array['unsubscribed', 'active', 'pending'], status)
    on conflict (company_id, list_id, contact_id) do update
    set status = excluded.status, consent_at = excluded.consent_at, consent_source = excluded.consent_source,
      consent_ip = excluded.consent_ip, updated_at = excluded.updated_at
    where array_position(array['unsubscribed', 'active', 'pending'], excluded.status)
      < array_position(array['unsubscribed', 'active', 'pending'], m.status)`);
}
