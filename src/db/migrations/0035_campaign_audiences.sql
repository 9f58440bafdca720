-- Whom a campaign to a segment goes to: the segment is evaluated once, when the campaign starts. Contacts in the order of their
-- ids, so many to a row, until all are written into the ledger. The last row is of nobody: with it, it is known who they are.
create table campaign_audiences (
  company_id bigint not null references companies,
  campaign_id bigint not null,
  last_id bigint not null,
  contact_ids bigint[] not null,
  primary key (company_id, campaign_id, last_id)
);
-- Of ids in a row a compressed array is hardly smaller, and takes its time.
alter table campaign_audiences alter column contact_ids set storage external;

alter table campaigns
  -- How many recipients there were when they were last counted, until all are written (see recipients).
  add column counted bigint,
  -- To be counted in the background: it takes too long for a response.
  add column count_due boolean not null default false,
  -- {after, until, statuses}: failed messages that are still to be queued again, those with ids behind `after`.
  add column retry jsonb;
create index campaigns_count_due on campaigns (company_id, id) where count_due;
create index campaigns_retry on campaigns (company_id, id) where retry is not null;
