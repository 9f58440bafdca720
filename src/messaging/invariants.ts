import { differingCounters } from '../db/counters.ts';
import type { Invariant } from '../db/invariant.ts';
import { sql } from '../db/sql.ts';

export const messagingInvariants: Invariant[] = [
  {
    id: 'I8.leases',
    promise: 'Where a worker runs, no message stays longer than its lease with one that has died',
    fix: 'See the log of the workers: each takes such messages back every two seconds',
    violations: sql`
      select company_id, 'message ' || message_id as subject from message_claims
      where lease_until < now() - interval '1 minute' and exists (
        select 1 from installation i, jsonb_each(i.senders) s
        where (s.value ->> 'at')::bigint > extract(epoch from now() - interval '1 minute') * 1000)
      limit 1000`,
  },
  {
    id: 'I8.campaigns',
    promise: 'No message waits for a campaign that was deleted',
    fix: 'This must not happen: report it with the message',
    violations: sql`
      select m.company_id, 'message ' || m.id as subject from messages m
      where m.status = 'queued' and m.campaign_id is not null and not exists (
        select 1 from campaigns k where k.company_id = m.company_id and k.id = m.campaign_id)
      limit 1000`,
  },
  {
    id: 'I9.audience',
    promise: 'A campaign has one message for each of its frozen audience, whatever their states',
    fix: 'Compare campaigns.recipients with the messages of the campaign',
    violations: sql`
      select k.company_id, 'campaign ' || k.id as subject
      from campaigns k
      left join (
        select company_id, campaign_id, count(*) as n, count(distinct contact_id) as contacts
        from messages where campaign_id is not null group by company_id, campaign_id
      ) m on m.company_id = k.company_id and m.campaign_id = k.id
      left join (
        -- Removed for their age.
        select company_id, substr(counter, 18)::bigint as campaign_id, sum(n) as n
        from counters where counter like 'campaign-removed:%' group by 1, 2
      ) r on r.company_id = k.company_id and r.campaign_id = k.id
      where k.recipients is not null
        and (k.recipients <> coalesce(m.n, 0) + coalesce(r.n, 0) or coalesce(m.contacts, 0) > coalesce(m.n, 0))
      limit 1000`,
  },
  {
    id: 'I9.held_out',
    promise: 'Nobody who was held out of a campaign has a message of it',
    fix: 'Delete the row of campaign_hold_outs: the contact got the campaign',
    violations: sql`
      select h.company_id, 'campaign ' || h.campaign_id || ', contact ' || h.contact_id as subject
      from campaign_hold_outs h join campaigns k on k.company_id = h.company_id and k.id = h.campaign_id
      -- Before all are drawn, a contact into which another was merged may be in both groups.
      where k.held_out is not null and exists (
        select 1 from messages m
        where m.company_id = h.company_id and m.contact_id = h.contact_id and (m.campaign_id = h.campaign_id) is true)
      limit 1000`,
  },
  {
    id: 'I9.finished',
    promise: 'A campaign that is sent has nothing left on its way',
    fix: 'Set the campaign to sending: the sender goes on with it',
    violations: sql`
      select k.company_id, 'campaign ' || k.id as subject from campaigns k
      where k.status = 'sent' and exists (
        select 1 from messages m where m.company_id = k.company_id and m.campaign_id = k.id
          and m.status = 'queued')
      limit 1000`,
  },
  {
    id: 'I10.mailbox',
    promise: 'What was sent through the mailbox is in it, and what was not handed over is not',
    fix: 'Look at the message with GET /messages/{id}; POST /messages/retry/{id} sends it again',
    violations: sql`
      select m.company_id, 'message ' || m.id as subject
      from ledger m
      left join mailbox_messages b on b.company_id = m.company_id and b.id = m.id
      -- An erased contact's mails are gone from the mailbox, its rows of the ledger have no address; old ones are forgotten.
      where (m.status = 'sent' and m.transport = 'mailbox' and m.recipient is not null and b.id is null
          and m.handed_over_at >= coalesce((
            select p.removed_before + interval '1 hour' from retention_progress p
            where p.company_id = m.company_id and p.kind = 'mailbox'), '-infinity'))
        or (b.id is not null and m.handed_over_at is null)
      limit 1000`,
  },
  {
    id: 'I11.unsubscribed',
    promise: 'No marketing message was handed over to somebody who had unsubscribed or bounced before',
    fix: 'This must not happen: report it with the message',
    violations: sql`
      select m.company_id, 'message ' || m.id as subject
      from ledger m
      -- Moments are those at which requests came in; what was committed first is known to the minute. Whoever came back within it is in order.
      left join lateral (
        select h.state from contact_consents h
        where h.company_id = m.company_id and h.contact_id = m.contact_id and h.channel = m.channel
          and (h.created_at < m.handed_over_at - interval '1 minute'
            or (h.created_at < m.handed_over_at + interval '1 minute' and h.state = 'subscribed'))
        order by h.created_at desc, h.id desc limit 1
      ) consent on not m.transactional
      left join lateral (
        select a.data ->> 'to' as status from contact_activity a
        where a.company_id = m.company_id and a.contact_id = m.contact_id and a.type = 'status_changed'
          and (a.created_at < m.handed_over_at - interval '1 minute'
            or (a.created_at < m.handed_over_at + interval '1 minute' and a.data ->> 'to' <> 'bounced'))
        order by a.created_at desc, a.id desc limit 1
      ) standing on m.channel = 'email'
      where m.handed_over_at is not null and (consent.state <> 'subscribed' or standing.status = 'bounced')
      limit 1000`,
  },
  {
    id: 'lists.messages',
    promise: 'The stored total of messages is their count',
    fix: 'Rebuild counter_totals from the messages',
    violations: differingCounters({
      counters: "counter = 'messages'",
      counted: sql`select company_id, 'messages' as counter, '' as key, count(*) as n from messages group by 1`,
    }),
  },
  {
    id: 'lists.campaigns',
    promise: "A campaign's kept numbers are those of its messages and of what happened to them",
    fix: 'Rebuild counter_totals from the messages and their activity',
    violations: sql`
      with kept as (
        select company_id, counter, key, sum(n) as n from counters
        where counter like 'campaign-messages:%' or counter like 'campaign-activity:%' or counter like 'campaign-links:%'
          or counter like 'campaign-reasons:%' or (counter like 'campaign-days:%' and key = 'sent')
        group by company_id, counter, key
      ),
      activity as (
        select a.company_id, m.campaign_id, a.type, a.reference, a.amount,
          coalesce(m.variant, '') as variant
        from message_activity a join messages m on m.company_id = a.company_id and m.id = a.message_id
        where m.campaign_id is not null
      ),
      counted as (
        select company_id, 'campaign-messages:' || campaign_id as counter,
          status || ':' || coalesce(variant, '') as key, count(*) as n
        from messages where campaign_id is not null group by 1, 2, 3
        union all
        select company_id, 'campaign-reasons:' || campaign_id, status || ':' || coalesce(reason, ''), count(*)
        from messages where campaign_id is not null and status in ('failed', 'skipped', 'unknown') group by 1, 2, 3
        union all
        select company_id, 'campaign-days:' || campaign_id, 'sent', count(*)
        from messages
        where campaign_id is not null and status = 'sent' and coalesce(handed_over_at, ended_at) is not null group by 1, 2
        union all
        select company_id, 'campaign-activity:' || campaign_id, type || ':' || variant, count(*)
        from activity where type not in ('link_clicked', 'refunded') group by 1, 2, 3
        union all
        select company_id, 'campaign-links:' || campaign_id, reference::text, count(*)
        from activity where type = 'link_clicked' group by 1, 2, 3
        union all
        select company_id, 'campaign-activity:' || campaign_id, case type when 'refunded' then 'refunded:' else 'revenue:' end || variant, sum(amount)
        from activity where amount is not null group by 1, 2, 3
      )
      select coalesce(kept.company_id, counted.company_id) as company_id, counter || ' ' || key as subject
      from kept full join counted using (company_id, counter, key)
      where case
        -- Of messages that were removed for their age, the report keeps what it counted.
        when counter not like 'campaign-messages:%' and exists (
          select from counters removed
          where removed.company_id = coalesce(kept.company_id, counted.company_id)
            and removed.counter = 'campaign-removed:' || split_part(kept.counter, ':', 2))
          then coalesce(kept.n, 0) < coalesce(counted.n, 0)
        else coalesce(kept.n, 0) <> coalesce(counted.n, 0) end
      limit 1000`,
  },
  {
    id: 'lists.marketing_days',
    promise: 'The home page counts the orders of a campaign as its report does',
    fix: 'Rebuild marketing-days and marketing-sources of counter_totals from the messages and their activity',
    violations: sql`
      select company_id, 'campaign ' || campaign_id as subject from (
        select company_id, split_part(counter, ':', 2) as campaign_id, key, n from counters
        where counter like 'campaign-days:%' and key in ('converted', 'revenue', 'refunded')
        union all
        select company_id, split_part(key, ':', 3), case when key like 'orders:%' then 'converted' else split_part(key, ':', 1) end, -n from counters
        where counter = 'marketing-sources' and split_part(key, ':', 2) = 'campaign'
      ) both_kinds
      group by company_id, campaign_id, key having sum(n) <> 0 limit 1000`,
  },
  {
    id: 'lists.suppressions',
    promise: 'The stored total of suppressions is their count',
    fix: 'Rebuild counter_totals from the suppressions',
    violations: differingCounters({
      counters: "counter = 'suppressions'",
      counted: sql`select company_id, 'suppressions' as counter, '' as key, count(*) as n from suppressions group by 1`,
    }),
  },
];
