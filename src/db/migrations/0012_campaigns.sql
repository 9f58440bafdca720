-- Campaigns and their recipients.

create table campaigns (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  type text not null check (type in ('email', 'sms')),
  status text not null default 'draft'
    check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed')),
  -- Why the campaign was paused, cancelled or failed automatically.
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
  -- {share, hours, metric}: variants are sent to a share of the recipients first, and the best one to all others.
  ab_test jsonb,
  -- The key of the best variant.
  winner text,
  scheduled_at timestamptz,
  -- The audience is fixed at this time; messages have been written up to this contact.
  started_at timestamptz,
  audience_cursor bigint not null default 0,
  -- The number of recipients, once all messages are written.
  recipients bigint,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A message that is later than this is not sent; null: no limit.
  max_lateness_hours int check (max_lateness_hours > 0),
  -- The last known number of recipients, until all messages are written (see recipients).
  counted bigint,
  -- The recipients must be counted in the background, because counting takes too long for a response.
  count_due boolean not null default false,
  -- {after, until, statuses}: failed messages to queue again, those with ids above `after`.
  retry jsonb,
  -- The percentage of recipients who receive no message, so that orders can be compared.
  holdout_percent smallint not null default 0 check (holdout_percent between 0 and 50),
  -- The number of held-out contacts once all are drawn; null before.
  held_out bigint,
  send_in_contact_time_zone boolean not null default false,
  -- When the first time zone (UTC+14) reaches the local time at which each recipient receives the message. The campaign starts
  -- then. Null: all recipients at scheduled_at.
  first_zone_at timestamptz,
  revision bigint not null default 1,
  primary key (company_id, id)
);
create index campaigns_status on campaigns (company_id, status, id);
create index campaigns_due on campaigns (company_id, scheduled_at) where status = 'scheduled';
create index campaigns_count_due on campaigns (company_id, id) where count_due;
create index campaigns_retry on campaigns (company_id, id) where retry is not null;
-- Campaigns whose orders are counted by group.
create index campaigns_hold_out on campaigns (company_id, started_at) where holdout_percent > 0;

create trigger raise_revision before update on campaigns for each row
  execute function raise_revision('reason', 'winner', 'started_at', 'audience_cursor', 'recipients', 'finished_at', 'counted', 'count_due',
    'retry', 'held_out', 'first_zone_at', 'updated_at');

-- The recipients of a campaign to a segment: the segment is evaluated once, when the campaign starts. Contacts in the order of
-- their ids, many per row, until all messages are written. A last row without contacts marks the audience as complete.
create table campaign_audiences (
  company_id bigint not null references companies,
  campaign_id bigint not null,
  last_id bigint not null,
  contact_ids bigint[] not null,
  primary key (company_id, campaign_id, last_id)
);
-- Consecutive ids hardly compress, and compression takes time.
alter table campaign_audiences alter column contact_ids set storage external;

-- Contacts held out of a campaign. No foreign keys, as in messages.
create table campaign_hold_outs (
  company_id bigint not null references companies,
  campaign_id bigint not null,
  contact_id bigint not null,
  primary key (company_id, campaign_id, contact_id)
);
-- Orders, erasures and merges look for a contact.
create index campaign_hold_outs_contact on campaign_hold_outs (company_id, contact_id);
