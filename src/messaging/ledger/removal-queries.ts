import type { Tx } from '../../db/pool.ts';
import { type Looked, type RemovalSlice, type Removed, removedOf } from '../../db/removal.ts';
import { sql } from '../../db/sql.ts';
import { lockMerges } from '../../recipients/merge-lock.ts';

/**
 * Deletes settled messages with their activity, if their campaign or run is over: until then, the row in the ledger keeps a message from
 * being written twice. Messages with an unknown outcome stay until someone settles them. Adds the deleted ones to `message_totals` by
 * contact.
 */
export async function removeMessages(tx: Tx, { companyId, before, place, limit }: RemovalSlice): Promise<Removed> {
  // A concurrent merge would miss totals that are not written yet.
  await lockMerges(tx, companyId);
  const [slice] = await tx.query<Looked>(sql`
    with looked as materialized (
      select m.id, m.created_at, m.created_at < ${before} and m.ended_at < ${before} and m.status in ('sent', 'failed', 'skipped')
        and (m.campaign_id is null or not exists (
          select from campaigns k where k.company_id = ${companyId} and k.id = m.campaign_id
            and (k.status in ('draft', 'scheduled', 'sending', 'paused') or k.retry is not null)))
        and (m.run_id is null or not exists (
          select from flow_runs r where r.company_id = ${companyId} and r.id = m.run_id and r.status in ('active', 'paused')))
          as is_old
      from messages m
      where m.company_id = ${companyId} and m.id > ${place?.id ?? 0} order by m.id limit ${limit}
    ),
    old as materialized (
      select m.id, m.contact_id, case when m.status = 'sent' then m.handed_over_at end as received_at
      from messages m
      where m.company_id = ${companyId} and m.id = any(array(select id from looked where is_old))
        and m.status in ('sent', 'failed', 'skipped')
      for update skip locked
    ),
    happened as (
      delete from message_activity where company_id = ${companyId} and message_id = any(array(select id from old))
      returning message_id, type, contact_id, created_at, coalesce(last_at, created_at) as last_at
    ),
    kept as (
      insert into message_totals as t (company_id, type, contact_id, n, first_at, last_at)
      select ${companyId}, type, contact_id, count(*), min(first_at), max(last_at) from (
        select type, contact_id, created_at as first_at, last_at from happened where type in ('opened', 'clicked')
        union all
        -- What came back was not received.
        select 'received', contact_id, received_at, received_at from old
        where received_at is not null and not exists (
          select from message_activity b where b.company_id = ${companyId} and b.message_id = old.id and b.type = 'bounced')
      ) sums
      where exists (select from contacts c where c.company_id = ${companyId} and c.id = contact_id)
      group by type, contact_id order by type, contact_id
      on conflict (company_id, type, contact_id) do update set n = t.n + excluded.n,
        first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)
    ),
    gone as (
      delete from messages where company_id = ${companyId} and id = any(array(select id from old)) returning 1
    )
    select (select count(*) from gone) as removed, max(id) as last, count(*) as looked,
      coalesce(bool_or(created_at < ${before}), false) as some_old
    from looked`);
  return removedOf(slice!, limit);
}
