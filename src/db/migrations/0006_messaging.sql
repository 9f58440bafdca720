-- What is sent: the ledger of messages, what became of them, the built-in mailbox; templates and campaigns.

-- One row for each message to one recipient, of flows, campaigns and the product itself. No content: it is made when the
-- message is claimed. No foreign keys: a check per row would lock the contact, and the ledger outlives it.
create table messages (
  company_id bigint not null,
  id bigint generated always as identity,
  -- What the message is: f:{run}:{step}:{visit}, c:{campaign}:{contact} or t:…
  idem_key text collate "C" not null,
  channel text not null check (channel in ('email', 'sms')),
  transactional boolean not null,
  -- 0 transactional, 1 flow, 2 campaign
  lane smallint not null check (lane between 0 and 2),
  -- null where it goes to an address that is nobody's, such as a test
  contact_id bigint,
  -- Where it went; given beforehand only without a contact. Taken away when the contact is erased.
  recipient text,
  status text not null default 'queued'
    check (status in ('queued', 'claimed', 'handing_over', 'sent', 'failed', 'skipped', 'unknown')),
  reason text,
  -- What the other side said.
  reply text,
  due_at timestamptz not null,
  -- By the database's own clock: those of the processes may differ.
  lease_until timestamptz,
  -- Raised by every claim: what an earlier one still writes finds nothing.
  epoch int not null default 0,
  attempts int not null default 0,
  transport text,
  origin text not null check (origin in ('flow', 'campaign', 'system')),
  flow_id bigint,
  flow_version int,
  run_id bigint,
  step_id text,
  event_id bigint,
  campaign_id bigint,
  variant text,
  template text,
  data jsonb,
  created_at timestamptz not null,
  handed_over_at timestamptz,
  ended_at timestamptz,
  primary key (company_id, id),
  unique (company_id, idem_key),
  check ((lease_until is not null) = (status in ('claimed', 'handing_over')))
) with (fillfactor = 80);
-- What is due, in the order of lanes; campaigns apart, so that a paused one with a million rows stands in nobody's way.
create index messages_due on messages (company_id, lane, due_at, id) where status = 'queued' and campaign_id is null;
create index messages_campaign_due on messages (company_id, campaign_id, due_at, id)
  where status = 'queued' and campaign_id is not null;
create index messages_leased on messages (company_id, lease_until) where lease_until is not null;
create index messages_contact on messages (company_id, contact_id, id);
create index messages_flow on messages (company_id, flow_id, id) where flow_id is not null;
create index messages_campaign on messages (company_id, campaign_id, status, id) where campaign_id is not null;
create index messages_trouble on messages (company_id, status, id) where status in ('failed', 'unknown');

-- The state that lists count by: whatever is on its way is queued.
create function message_state(status text) returns text language sql immutable parallel safe as $$
  select case when status in ('claimed', 'handing_over') then 'queued' else status end
$$;

-- Kept totals (see list_counts): of all messages by state and channel, of a flow's and a campaign's by state and variant.
-- Summed up before they are spread over the lists: a claim changes no state, and so ends with nothing to write.
create function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', state || ':' || part, n from (
      select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, message_state(status) as state,
        count(*) as n
      from later group by 1, 2, 3, 4, 5, 6, 7
    ) sums, lateral (values ('messages', channel), ('flow-messages:' || flow_id, ''),
      ('campaign-messages:' || campaign_id, coalesce(variant, ''))) as kept (list, part)
    where list is not null;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', state || ':' || part, n from (
      select company_id, bucket, channel, flow_id, campaign_id, variant, state, sum(n) as n from (
        select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, message_state(status) as state, -1 as n
        from before
        union all
        select company_id, id / 4096, channel, flow_id, campaign_id, variant, message_state(status), 1 from later
      ) changes group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0
    ) sums, lateral (values ('messages', channel), ('flow-messages:' || flow_id, ''),
      ('campaign-messages:' || campaign_id, coalesce(variant, ''))) as kept (list, part)
    where list is not null;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on messages referencing new table as later for each statement execute function count_messages();
create trigger count_updated after update on messages referencing old table as before new table as later for each statement execute function count_messages();

-- What happened to a message after it was sent, each thing once: reference tells things of one kind apart (the link that
-- was clicked, the order that was placed).
create table message_activity (
  company_id bigint not null,
  message_id bigint not null,
  type text not null
    -- refused: at the hand-over; bounced: reported afterwards
    -- machine_opened: by a program and not by the recipient
    check (type in ('refused', 'bounced', 'complained', 'unsubscribed', 'opened', 'machine_opened', 'clicked',
      'link_clicked', 'converted')),
  reference bigint not null default 0,
  contact_id bigint,
  -- Of an order: minor units.
  amount bigint,
  created_at timestamptz not null,
  primary key (company_id, message_id, type, reference)
);
create index message_activity_contact on message_activity (company_id, contact_id, created_at)
  where type in ('opened', 'clicked');

-- Kept numbers of what happened, of a campaign by variant, by day (UTC) and by link, of a flow by step; revenue in minor
-- units.
create function count_message_activity() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select m.company_id, kept.list, 0, kept.day, kept.facet, sum(kept.n)
  from added a join messages m on m.company_id = a.company_id and m.id = a.message_id, lateral (values
    ('campaign-activity:' || m.campaign_id, date '2000-01-01',
      case a.type when 'link_clicked' then 'link:' || a.reference else a.type || ':' || coalesce(m.variant, '') end, 1),
    ('campaign-activity:' || m.campaign_id, '2000-01-01', 'revenue:' || coalesce(m.variant, ''), a.amount),
    ('campaign-days:' || m.campaign_id, (a.created_at at time zone 'UTC')::date, nullif(a.type, 'link_clicked'), 1),
    ('campaign-days:' || m.campaign_id, (a.created_at at time zone 'UTC')::date, 'revenue', a.amount),
    ('flow-activity:' || m.flow_id, '2000-01-01', a.type || ':' || m.step_id, 1),
    ('flow-activity:' || m.flow_id, '2000-01-01', 'revenue:' || m.step_id, a.amount)) as kept (list, day, facet, n)
  where kept.list is not null and kept.facet is not null and kept.n is not null
  group by 1, 2, 4, 5;
  return null;
end $$;
create trigger count_inserted after insert on message_activity referencing new table as added for each statement execute function count_message_activity();

-- The addresses that clicks lead to. A link in a mail names one of these rows, never an address.
create table tracked_links (
  company_id bigint not null,
  id bigint generated always as identity,
  url text not null,
  -- SHA-256 of the address, which itself may be too long for an index.
  hash bytea not null,
  primary key (company_id, id),
  unique (company_id, hash)
);

-- Who must not be written to, by a keyed hash of the address, so that it outlives the erasure of the contact. It
-- goes when the contact comes back (see marketing/contacts/standing.ts).
create table suppressions (
  company_id bigint not null,
  channel text not null check (channel in ('email', 'sms')),
  hash bytea not null,
  cause text not null check (cause in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at timestamptz not null,
  primary key (company_id, channel, hash)
);

-- Temporary refusals in a row of one contact's address; a delivery takes the row away.
create table soft_bounces (
  company_id bigint not null,
  contact_id bigint not null,
  in_a_row int not null,
  updated_at timestamptz not null,
  primary key (company_id, contact_id)
);

-- What the built-in transport kept; the id is the message's.
create table mailbox_messages (
  company_id bigint not null,
  id bigint not null,
  channel text not null check (channel in ('email', 'sms')),
  contact_id bigint,
  sender text not null,
  recipient text not null,
  subject text,
  preview_text text,
  html text,
  -- Of an e-mail only where it was given; otherwise made from the HTML when it is read.
  text text,
  headers jsonb not null default '{}',
  message_id text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index mailbox_messages_recipient on mailbox_messages (company_id, recipient, id);
create index mailbox_messages_age on mailbox_messages (created_at);
create index mailbox_messages_contact on mailbox_messages (company_id, contact_id) where contact_id is not null;

create function count_mailbox() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'mailbox', id / 4096, '2000-01-01', channel, count(*) from rows group by 1, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'mailbox', id / 4096, '2000-01-01', channel, -count(*) from rows group by 1, 3, 5;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on mailbox_messages referencing new table as rows for each statement execute function count_mailbox();
create trigger count_deleted after delete on mailbox_messages referencing old table as rows for each statement execute function count_mailbox();

create table templates (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  channel text not null check (channel in ('email', 'sms')),
  subject text,
  preview_text text,
  content text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

create table campaigns (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  type text not null check (type in ('email', 'sms')),
  status text not null default 'draft'
    check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed')),
  -- Why it is paused, cancelled or failed, where nobody asked for it.
  reason text,
  subject text,
  preview_text text,
  content text,
  template_id bigint,
  sender text,
  list_id bigint,
  segment_id bigint,
  -- [{key, weight, subject, preview_text, content}]
  variants jsonb not null default '[]',
  -- {share, hours, metric}: the variants go to a share first, the best of them to all others.
  ab_test jsonb,
  -- The key of the variant that did best.
  winner text,
  scheduled_at timestamptz,
  -- The audience is who was on the list at this moment; up to which contact it has been written into the ledger.
  started_at timestamptz,
  audience_cursor bigint not null default 0,
  -- How many they are, once all are written.
  recipients bigint,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
create index campaigns_status on campaigns (company_id, status, id);
create index campaigns_due on campaigns (company_id, scheduled_at) where status = 'scheduled';

-- Up to when a provider's rate is given out, for all processes and companies; by the database's clock.
create table provider_rates (
  provider text primary key,
  free_at timestamptz not null
);
