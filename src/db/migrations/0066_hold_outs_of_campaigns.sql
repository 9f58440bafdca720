alter table campaigns
  -- Of the recipients, how many in a hundred get no message, so that their orders can be compared.
  add column holdout_percent smallint not null default 0 check (holdout_percent between 0 and 50),
  -- How many were held out, once all are drawn; null before.
  add column held_out bigint,
  add column send_in_contact_time_zone boolean not null default false,
  -- When the first time zone of the earth (UTC+14) shows the wall-clock time at which each recipient gets it in theirs. The
  -- campaign starts then. Null: all at scheduled_at.
  add column first_zone_at timestamptz;
-- Whose orders are counted by group.
create index campaigns_hold_out on campaigns (company_id, started_at) where holdout_percent > 0;

-- Who was held out of a campaign. Without foreign keys, as the messages of the others.
create table campaign_hold_outs (
  company_id bigint not null references companies,
  campaign_id bigint not null,
  contact_id bigint not null,
  primary key (company_id, campaign_id, contact_id)
);
-- An order, an erasure and a merge look for a contact.
create index campaign_hold_outs_contact on campaign_hold_outs (company_id, contact_id);
