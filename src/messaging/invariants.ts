import type { Invariant } from '../db/invariant.ts';
import { differingTotals } from '../db/kept-totals.ts';
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
        select company_id, substr(list, 18)::bigint as campaign_id, sum(n) as n from (
          select company_id, list, n from list_counts union all select company_id, list, n from list_count_deltas
        ) counts where list like 'campaign-removed:%' group by 1, 2
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
    promise: 'The kept totals of messages are their counts',
    fix: 'Rebuild list_counts from the messages',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id, 'messages ' || facet as subject
      from (
        select company_id, facet, sum(n) as n from (
          select company_id, facet, n from list_counts where list = 'messages'
          union all select company_id, facet, n from list_count_deltas where list = 'messages'
        ) all_rows group by company_id, facet
      ) kept
      full join (
        select company_id, status || ':' || channel as facet, count(*) as n from messages group by 1, 2
      ) counted using (company_id, facet)
      where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
  {
    id: 'lists.campaigns',
    promise: "A campaign's kept numbers are those of its messages and of what happened to them",
    fix: 'Rebuild list_counts from the messages and their activity',
    violations: sql`
      with kept as (
        select company_id, list, facet, sum(n) as n from (
          select company_id, list, facet, n from list_counts
          union all select company_id, list, facet, n from list_count_deltas
        ) all_rows
        where list like 'campaign-messages:%' or list like 'campaign-activity:%' or list like 'campaign-reasons:%'
          or (list like 'campaign-days:%' and facet = 'sent')
        group by company_id, list, facet
      ),
      activity as (
        select a.company_id, 'campaign-activity:' || m.campaign_id as list, a.type, a.reference, a.amount,
          coalesce(m.variant, '') as variant
        from message_activity a join messages m on m.company_id = a.company_id and m.id = a.message_id
        where m.campaign_id is not null
      ),
      counted as (
        select company_id, 'campaign-messages:' || campaign_id as list,
          status || ':' || coalesce(variant, '') as facet, count(*) as n
        from messages where campaign_id is not null group by 1, 2, 3
        union all
        select company_id, 'campaign-reasons:' || campaign_id, status || ':' || coalesce(reason, ''), count(*)
        from messages where campaign_id is not null and status in ('failed', 'skipped', 'unknown') group by 1, 2, 3
        union all
        select company_id, 'campaign-days:' || campaign_id, 'sent', count(*)
        from messages
        where campaign_id is not null and status = 'sent' and coalesce(handed_over_at, ended_at) is not null group by 1, 2
        union all
        select company_id, list, case type when 'link_clicked' then 'link:' || reference else type || ':' || variant end,
          count(*)
        from activity group by 1, 2, 3
        union all
        select company_id, list, 'revenue:' || variant, sum(amount) from activity where amount is not null group by 1, 2, 3
      )
      select coalesce(kept.company_id, counted.company_id) as company_id, list || ' ' || facet as subject
      from kept full join counted using (company_id, list, facet)
      where case
        -- Of messages that were removed for their age, the report keeps what it counted.
        when list not like 'campaign-messages:%' and exists (
          select from (select company_id, list from list_counts union all select company_id, list from list_count_deltas) removed
          where removed.company_id = coalesce(kept.company_id, counted.company_id)
            and removed.list = 'campaign-removed:' || split_part(kept.list, ':', 2))
          then coalesce(kept.n, 0) < coalesce(counted.n, 0)
        else coalesce(kept.n, 0) <> coalesce(counted.n, 0) end
      limit 1000`,
  },
  {
    id: 'lists.marketing_days',
    promise: 'The home page counts the orders of a campaign as its report does',
    fix: 'Rebuild marketing-days and marketing-sources of list_counts from the messages and their activity',
    violations: sql`
      select company_id, 'campaign ' || campaign_id as subject from (
        select company_id, split_part(list, ':', 2) as campaign_id, facet, n from (
          select company_id, list, facet, n from list_counts union all select company_id, list, facet, n from list_count_deltas
        ) kept where list like 'campaign-days:%' and facet in ('converted', 'revenue')
        union all
        select company_id, split_part(facet, ':', 3), case when facet like 'orders:%' then 'converted' else 'revenue' end, -n from (
          select company_id, list, facet, n from list_counts union all select company_id, list, facet, n from list_count_deltas
        ) kept where list = 'marketing-sources' and split_part(facet, ':', 2) = 'campaign'
      ) both_kinds
      group by company_id, campaign_id, facet having sum(n) <> 0 limit 1000`,
  },
  {
    id: 'lists.suppressions',
    promise: 'The kept total of suppressions is their count',
    fix: 'Rebuild list_counts from the suppressions',
    violations: differingTotals({
      lists: "list = 'suppressions'",
      counted: sql`
        select company_id, 'suppressions' as list, '' as facet, count(*) as n
        from suppressions group by 1`,
    }),
  },
];
