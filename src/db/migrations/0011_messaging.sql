-- Templates, the ledger of messages, what happened to each message, and the domains and accounts that messages are sent with.

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
  -- The blocks that the content was made from; null if it was written as HTML or MJML.
  design jsonb,
  revision bigint not null default 1,
  primary key (company_id, id)
);

create trigger raise_revision before update on templates for each row
  execute function raise_revision('updated_at');

-- One row per message to one recipient, from flows, campaigns and the product itself. The content is not stored; it is composed
-- when a worker claims the message. No foreign keys: a check per row would lock the contact, and messages outlive it.
create table messages (
  company_id bigint not null,
  id bigint generated always as identity,
  -- Identifies the message: f:{run}:{step}:{visit}, c:{campaign}:{contact} or t:…
  idem_key text collate "C" not null,
  channel text not null check (channel in ('email', 'sms')),
  transactional boolean not null,
  -- 0 transactional, 1 flow, 2 campaign.
  lane smallint not null check (lane between 0 and 2),
  -- Null if the address belongs to no contact, for example for a test.
  contact_id bigint,
  -- The address it was sent to; set in advance only for messages without a contact. Removed when the contact is erased.
  recipient text,
  status text not null default 'queued'
    check (status in ('queued', 'sent', 'failed', 'skipped', 'unknown')),
  reason text,
  -- The reply of the mail server or provider.
  reply text,
  due_at timestamptz not null,
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
  -- When a postponed message was first due; null: due_at. Lateness counts from here. Quiet hours move it; pauses, retries and
  -- missing settings do not.
  wanted_at timestamptz,
  correlation text,
  primary key (company_id, id),
  unique (company_id, idem_key)
) with (fillfactor = 80);
-- Due messages in the order of lanes. Campaigns are separate, so that a paused campaign with a million rows does not slow down
-- the others.
create index messages_due on messages (company_id, lane, due_at, id) where status = 'queued' and campaign_id is null;
create index messages_campaign_due on messages (company_id, campaign_id, due_at, id)
  where status = 'queued' and campaign_id is not null;
create index messages_contact on messages (company_id, contact_id, id);
create index messages_flow on messages (company_id, flow_id, id) where flow_id is not null;
create index messages_campaign on messages (company_id, campaign_id, status, id) where campaign_id is not null;
create index messages_trouble on messages (company_id, status, id) where status in ('failed', 'unknown');
create index messages_received on messages (company_id, handed_over_at) include (contact_id, id) where status = 'sent';
-- Messages to addresses without a contact, such as tests. There are few, and an erasure reads all of them.
create index messages_nobody on messages (company_id, id) where contact_id is null;

-- Counts messages in all of their kept totals (see list_counts).
create function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, kept.bucket, kept.day, kept.facet, n from (
      select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status,
        case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
        case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, count(*) as n
      from later group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ) sums, lateral (values ('messages', bucket, date '2000-01-01', status || ':' || channel),
      ('flow-messages:' || flow_id, bucket, '2000-01-01', status || ':'),
      ('campaign-messages:' || campaign_id, bucket, '2000-01-01', status || ':' || coalesce(variant, '')),
      ('campaign-days:' || campaign_id, 0, sent_on, 'sent'), ('marketing-days', 0, sent_on, 'sent:' || channel),
      ('campaign-reasons:' || campaign_id, 0, '2000-01-01', status || ':' || why)) as kept (list, bucket, day, facet)
    where kept.list is not null and kept.day is not null and kept.facet is not null;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, kept.bucket, kept.day, kept.facet, n from (
      select company_id, bucket, channel, flow_id, campaign_id, variant, status, sent_on, why, sum(n) as n from (
        select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, -1 as n
        from before
        union all
        select company_id, id / 4096, channel, flow_id, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end, 1
        from later
      ) changes group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum(n) <> 0
    ) sums, lateral (values ('messages', bucket, date '2000-01-01', status || ':' || channel),
      ('flow-messages:' || flow_id, bucket, '2000-01-01', status || ':'),
      ('campaign-messages:' || campaign_id, bucket, '2000-01-01', status || ':' || coalesce(variant, '')),
      ('campaign-days:' || campaign_id, 0, sent_on, 'sent'), ('marketing-days', 0, sent_on, 'sent:' || channel),
      ('campaign-reasons:' || campaign_id, 0, '2000-01-01', status || ':' || why)) as kept (list, bucket, day, facet)
    where kept.list is not null and kept.day is not null and kept.facet is not null;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on messages referencing new table as later for each statement execute function count_messages();
create trigger count_updated after update on messages referencing old table as before new table as later for each statement execute function count_messages();

-- Deleted messages leave the lists. Reports of campaigns count them under campaign-removed, so that their figures stay.
create function count_messages_removed() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, list, kept.bucket, '2000-01-01', facet, sum(kept.n) from (
    select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status, count(*) as n
    from gone group by 1, 2, 3, 4, 5, 6, 7
  ) sums, lateral (values ('messages', sums.bucket, status || ':' || channel, -sums.n),
    ('flow-messages:' || flow_id, sums.bucket, status || ':', -sums.n),
    ('campaign-messages:' || campaign_id, sums.bucket, status || ':' || coalesce(variant, ''), -sums.n),
    ('campaign-removed:' || campaign_id, 0, status || ':' || coalesce(variant, ''), sums.n)) as kept (list, bucket, facet, n)
  where kept.list is not null
  group by 1, 2, 3, 5;
  return null;
end $$;
create trigger count_deleted after delete on messages referencing old table as gone for each statement execute function count_messages_removed();


-- Queued messages that a worker holds: claimed or being handed over. Separate from messages, so that their row and all its
-- indexes are written only once, with the outcome (writing them three times made the database half as slow again). Changing the
-- status of a queued message requires its claim.
create table message_claims (
  company_id bigint not null,
  message_id bigint not null,
  -- The right of the worker to continue: writes of an earlier claim match no row.
  epoch bigint generated always as identity,
  step text not null default 'claimed' check (step in ('claimed', 'handing_over')),
  -- By the database's clock, because the clocks of processes may differ.
  lease_until timestamptz not null,
  -- The address, and when the hand-over began.
  recipient text,
  transport text,
  handed_over_at timestamptz,
  primary key (company_id, message_id)
) with (fillfactor = 50);

-- Messages as people see them.
create view ledger with (security_invoker = true) as
select m.company_id, m.id, m.idem_key, m.channel, m.transactional, m.contact_id, m.reason, m.reply, m.due_at, m.attempts,
  m.origin, m.flow_id, m.run_id, m.step_id, m.campaign_id, m.variant, m.created_at, m.ended_at, m.status as state,
  coalesce(c.step, m.status) as status, coalesce(c.recipient, m.recipient) as recipient,
  coalesce(c.transport, m.transport) as transport, coalesce(c.handed_over_at, m.handed_over_at) as handed_over_at
from messages m left join message_claims c on c.company_id = m.company_id and c.message_id = m.id;

-- What happened to a message after it was sent, each fact once. reference distinguishes facts of one type (the link clicked, the
-- order placed).
create table message_activity (
  company_id bigint not null,
  message_id bigint not null,
  -- refused: at hand-over; bounced: reported later; machine_opened: by a program instead of the recipient.
  type text not null
            check (type in ('refused', 'bounced', 'complained', 'unsubscribed', 'opened', 'machine_opened', 'clicked',
      'link_clicked', 'converted')),
  reference bigint not null default 0,
  contact_id bigint,
  -- The value of an order in minor units.
  amount bigint,
  created_at timestamptz not null,
  -- The last time the message was opened or clicked, if more than once. An order is attributed to the last time before it.
  last_at timestamptz,
  primary key (company_id, message_id, type, reference)
);
create index message_activity_contact on message_activity (company_id, contact_id, created_at)
  where type in ('opened', 'clicked');
-- "Opened in the last 30 days", "not clicked for 90 days": by the time of the last open or click.
create index message_activity_latest on message_activity (company_id, type, (coalesce(last_at, created_at)))
  include (contact_id, created_at, last_at) where type in ('opened', 'clicked');
-- Bounced messages count as not received.
create index message_activity_bounced on message_activity (company_id, message_id) where type = 'bounced';

-- Kept totals of activity: of a campaign by variant, day (UTC) and link, of a flow by step. Revenue in minor units.
create function count_message_activity() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(kept.n)
  from (
    select a.company_id, a.type, a.amount, a.message_id, a.reference, (a.created_at at time zone 'UTC')::date as at,
      m.campaign_id, m.flow_id, m.step_id, m.channel, coalesce(m.variant, '') as variant,
      case when a.type <> 'converted' then null when m.flow_id is not null then 'flow' when m.campaign_id is not null then 'campaign' end as source,
      coalesce(m.flow_id, m.campaign_id) as source_id
    from added a join messages m on m.company_id = a.company_id and m.id = a.message_id
  ) happened, lateral (values
    ('campaign-activity:' || campaign_id,
      case when type in ('opened', 'clicked', 'bounced', 'refused') then message_id / 4096 else 0 end, date '2000-01-01',
      case type when 'link_clicked' then 'link:' || reference else type || ':' || variant end, 1),
    ('campaign-activity:' || campaign_id, 0, '2000-01-01', 'revenue:' || variant, amount),
    ('campaign-days:' || campaign_id, 0, at, nullif(type, 'link_clicked'), 1),
    ('campaign-days:' || campaign_id, 0, at, 'revenue', amount),
    ('flow-activity:' || flow_id, 0, '2000-01-01', type || ':' || step_id, 1),
    ('flow-activity:' || flow_id, 0, '2000-01-01', 'revenue:' || step_id, amount),
    ('marketing-days', 0, at, case when type in ('refused', 'bounced', 'complained') then type || ':' || channel end, 1),
    ('marketing-days', 0, at, 'orders:' || source, 1),
    ('marketing-days', 0, at, 'revenue:' || source, amount),
    ('marketing-sources', 0, at, 'orders:' || source || ':' || source_id, 1),
    ('marketing-sources', 0, at, 'revenue:' || source || ':' || source_id, amount)) as kept (list, bucket, day, facet, n)
  where kept.list is not null and kept.facet is not null and kept.n is not null
  group by 1, 2, 3, 4, 5;
  return null;
end $$;
create trigger count_inserted after insert on message_activity referencing new table as added for each statement execute function count_message_activity();

-- Totals of deleted messages, for conditions such as "opened five times ever" or "has never received one". Readers add the
-- messages that still exist.
create table message_totals (
  company_id bigint not null,
  type text not null check (type in ('received', 'opened', 'clicked')),
  contact_id bigint not null,
  n bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Includes the totals, so that counting uses an index-only scan.
  primary key (company_id, type, contact_id) include (n, first_at, last_at)
) with (fillfactor = 85);
create index message_totals_contact on message_totals (company_id, contact_id);

-- The coupons in messages: a message that is composed again contains the same ones. No foreign keys, as in messages.
create table message_coupons (
  company_id bigint not null references companies,
  message_id bigint not null,
  template_id bigint not null,
  code text not null,
  primary key (company_id, message_id, template_id)
);

-- The addresses that clicks lead to. A tracked link contains the id of a row instead of an address.
create table tracked_links (
  company_id bigint not null,
  id bigint generated always as identity,
  url text not null,
  -- SHA-256 of the address, which may be too long for an index.
  hash bytea not null,
  -- One row stands for all addresses that differ only by recipient. url is the address as written in the template, shown in
  -- reports; the part after the prefix is contained, signed, in each recipient's link. Null: all clicks lead to url.
  prefix text,
  primary key (company_id, id),
  unique (company_id, hash)
);

-- Consecutive temporary refusals of one contact's address; a delivery deletes the row.
create table soft_bounces (
  company_id bigint not null,
  contact_id bigint not null,
  in_a_row int not null,
  updated_at timestamptz not null,
  -- The address concerned, and the time of the last refusal that was reported after another server had accepted the message: a
  -- relay that accepts the next message says nothing about the recipient's address.
  email text,
  reported_at timestamptz,
  primary key (company_id, contact_id)
);

-- Messages kept by the built-in transport; id is that of the message.
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
  -- For e-mails only if given; otherwise derived from the HTML when read.
  text text,
  headers jsonb not null default '{}',
  message_id text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index mailbox_messages_recipient on mailbox_messages (company_id, recipient, id);
create index mailbox_messages_contact on mailbox_messages (company_id, contact_id) where contact_id is not null;

call count_list('mailbox_messages');

-- Domains that a company sends from: the key that signs its e-mails, and the DNS records found by the last check.
create table sending_domains (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- In ASCII, lower case.
  domain text not null check (length(domain) between 4 and 253),
  -- The DKIM record is at <selector>._domainkey.<domain>.
  selector text not null check (length(selector) <= 63),
  -- RSA; DER in base64, as in the record.
  public_key text not null,
  -- PEM, encrypted with the master key, in base64.
  sealed_key text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failing')),
  -- By purpose of the record: {"dkim": {"state": "found", "found": "v=DKIM1; …"}}
  findings jsonb not null default '{}',
  verified_at timestamptz,
  failing_since timestamptz,
  checked_at timestamptz,
  -- The next check.
  due_at timestamptz not null,
  created_at timestamptz not null,
  -- The warm-up plan; null without one: {"starts_on": "2026-03-02", "messages": 50, "growth": 1.5, "ends_on": "2026-03-31"}
  warm_up jsonb,
  -- The host of links in e-mails, a subdomain of the sending domain. Replaces the host of the installation.
  tracking_host text check (length(tracking_host) between 4 and 253),
  -- Since when the host has had its current state: added, verified, or no longer verified.
  tracking_since timestamptz,
  primary key (company_id, id),
  unique (company_id, domain),
  check ((state = 'failing') = (failing_since is not null)),
  check (state = 'pending' or verified_at is not null),
  check ((tracking_host is null) = (tracking_since is null))
);
create index sending_domains_due on sending_domains (company_id, due_at);
create unique index sending_domains_tracking on sending_domains (company_id, tracking_host);
-- Finds the company that owns the domain of a sender.
create index sending_domains_domain on sending_domains (domain) where state <> 'pending';
call watch_configuration('sending_domains');

-- Accounts at mail and SMS providers that a company sends with instead of those of the installation.
create table sending_accounts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  channel text not null check (channel in ('email', 'sms')),
  provider text not null check (provider in ('smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'twilio')),
  -- Settings that are not secret: {"host": "smtp.example.com", "port": 587, …}
  settings jsonb not null,
  -- Encrypted with the master key, in base64.
  sealed_secret text not null,
  -- The last four characters of a secret that is long enough to show them.
  secret_end text,
  -- Messages per second; null: unlimited.
  rate integer check (rate between 1 and 100000),
  connections integer check (connections between 1 and 100),
  active boolean not null default false,
  -- Incremented by every change that affects how messages are sent.
  revision bigint not null default 1,
  -- Since when the provider has refused everything, and its reply.
  failing_since timestamptz,
  failure text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  check ((provider = 'twilio') = (channel = 'sms')),
  check ((failing_since is null) = (failure is null))
);
create unique index sending_accounts_active on sending_accounts (company_id, channel) where active;
call watch_configuration('sending_accounts');

-- Verified hosts, including previous ones: links in e-mails already sent lead to them.
create table tracking_hosts (
  company_id bigint not null references companies,
  -- In ASCII, lower case.
  host text not null check (length(host) between 4 and 253),
  -- Whether it is verified now and used in new e-mails. Active for at most one company.
  active boolean not null,
  -- When it was last verified.
  verified_at timestamptz not null,
  primary key (company_id, host)
);
create unique index tracking_hosts_active on tracking_hosts (host) where active;
call watch_configuration('tracking_hosts');

-- Marketing e-mails sent from a domain during its warm-up, by day in the company's time zone.
create table warm_up_days (
  company_id bigint not null references companies,
  domain_id bigint not null,
  day date not null,
  -- The number that the plan allows on that day, as last requested.
  quota bigint not null,
  handed_over bigint not null,
  -- How many of the last request were granted.
  granted bigint not null,
  primary key (company_id, domain_id, day)
) with (fillfactor = 50);

-- Until when the rate of a provider has been used up, for all processes and companies; by the database's clock.
create table provider_rates (
  provider text primary key,
  free_at timestamptz not null
);

-- Usage of the hourly limits by domain of the recipients.
create table domain_rates (
  company_id bigint not null references companies,
  domain text not null check (length(domain) <= 253),
  -- Until when the limit is used up.
  free_at timestamptz not null,
  -- Until when postponed messages are spread.
  put_off_to timestamptz not null,
  primary key (company_id, domain)
) with (fillfactor = 50);

-- Automatic pauses of a company's marketing e-mails, caused by complaints or hard bounces above the limits. The row remains when
-- a person ends the pause: the rates are measured from then on.
create table marketing_pauses (
  company_id bigint primary key references companies,
  -- Null: not paused.
  paused_at timestamptz,
  reason text check (reason in ('complaint_rate', 'bounce_rate')),
  -- Measured when the pause began.
  sent bigint not null default 0,
  refused bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  resumed_at timestamptz,
  -- The day (UTC) when the pause ended, and the totals of that day at that time (see list_counts, marketing-days).
  counted_from date,
  base_sent bigint not null default 0,
  base_refused bigint not null default 0,
  base_bounced bigint not null default 0,
  base_complained bigint not null default 0,
  check (paused_at is null or reason is not null)
);
call watch_configuration('marketing_pauses');
