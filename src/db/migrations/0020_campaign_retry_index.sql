-- migrate: outside-transaction
-- A retry of a campaign reads its failed and unknown messages in the order of their ids.
create index concurrently if not exists messages_campaign_trouble on messages (company_id, campaign_id, id) include (status)
  where campaign_id is not null and status in ('failed', 'unknown');
