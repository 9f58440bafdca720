-- migrate: outside-transaction
-- Finds the orders of a period that messages led to, and what was given back of them.
create index concurrently if not exists message_activity_attributed on message_activity (company_id, created_at)
  include (message_id, type, amount) where type in ('converted', 'refunded');
