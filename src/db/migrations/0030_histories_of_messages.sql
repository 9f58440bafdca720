-- "Opened in the last 30 days", "not clicked for 90 days": by when a message was last opened or clicked.
create index message_activity_latest on message_activity (company_id, type, (coalesce(last_at, created_at)))
  include (contact_id, created_at, last_at) where type in ('opened', 'clicked');
-- What came back was not received.
create index message_activity_bounced on message_activity (company_id, message_id) where type = 'bounced';
create index messages_received on messages (company_id, handed_over_at) include (contact_id, id) where status = 'sent';
