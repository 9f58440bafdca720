-- The queued messages that a worker holds: claimed, or on their way to the other side. Narrow and apart from the messages,
-- whose rows with all their indexes are written once, when it is known what became of them (with three writes for each
-- message the database took half again as long). Whoever changes the status of a queued message holds its claim.
create table message_claims (
  company_id bigint not null,
  message_id bigint not null,
  -- The worker's right to go on: what an earlier claim still writes finds nothing.
  epoch bigint generated always as identity,
  step text not null default 'claimed' check (step in ('claimed', 'handing_over')),
  -- By the database's own clock: those of the processes may differ.
  lease_until timestamptz not null,
  -- Where it is going, and since when.
  recipient text,
  transport text,
  handed_over_at timestamptz,
  primary key (company_id, message_id)
) with (fillfactor = 50);

insert into message_claims (company_id, message_id, step, lease_until, recipient, transport, handed_over_at)
select company_id, id, status, lease_until, recipient, transport, handed_over_at from messages
where status in ('claimed', 'handing_over');

drop trigger count_updated on messages;
update messages set status = 'queued', lease_until = null where status in ('claimed', 'handing_over');
alter table messages
  drop constraint messages_status_check,
  drop column lease_until,
  drop column epoch,
  add constraint messages_status_check check (status in ('queued', 'sent', 'failed', 'skipped', 'unknown'));

-- Messages as people see them.
create view ledger with (security_invoker = true) as
select m.company_id, m.id, m.idem_key, m.channel, m.transactional, m.contact_id, m.reason, m.reply, m.due_at, m.attempts,
  m.origin, m.flow_id, m.run_id, m.step_id, m.campaign_id, m.variant, m.created_at, m.ended_at, m.status as state,
  coalesce(c.step, m.status) as status, coalesce(c.recipient, m.recipient) as recipient,
  coalesce(c.transport, m.transport) as transport, coalesce(c.handed_over_at, m.handed_over_at) as handed_over_at
from messages m left join message_claims c on c.company_id = m.company_id and c.message_id = m.id;

-- Kept totals (see list_counts): of all messages by status and channel, of a flow's and a campaign's by status and variant.
create or replace function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', status || ':' || part, n from (
      select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status, count(*) as n
      from later group by 1, 2, 3, 4, 5, 6, 7
    ) sums, lateral (values ('messages', channel), ('flow-messages:' || flow_id, ''),
      ('campaign-messages:' || campaign_id, coalesce(variant, ''))) as kept (list, part)
    where list is not null;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', status || ':' || part, n from (
      select company_id, bucket, channel, flow_id, campaign_id, variant, status, sum(n) as n from (
        select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status, -1 as n from before
        union all
        select company_id, id / 4096, channel, flow_id, campaign_id, variant, status, 1 from later
      ) changes group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0
    ) sums, lateral (values ('messages', channel), ('flow-messages:' || flow_id, ''),
      ('campaign-messages:' || campaign_id, coalesce(variant, ''))) as kept (list, part)
    where list is not null;
  end if;
  return null;
end $$;
create trigger count_updated after update on messages referencing old table as before new table as later for each statement execute function count_messages();
drop function message_state(text);
