-- migrate: outside-transaction
-- Indexes that contain every filter of the list of messages, so that its filtered totals and pages are found by index-only scans
-- (docs/design/lists-and-totals.md).
create unique index concurrently if not exists messages_listed on messages (company_id, id) include (status, channel);
create index concurrently if not exists messages_of_campaign on messages (company_id, campaign_id, id) include (status, channel)
  where campaign_id is not null;
create index concurrently if not exists messages_of_flow on messages (company_id, flow_id, id) include (status, channel)
  where flow_id is not null;
drop index concurrently if exists messages_campaign;
drop index concurrently if exists messages_flow;
