-- migrate: outside-transaction
-- Finds the messages of a period with their contact and the domain of their recipient; serves what messages_received served.
create index concurrently if not exists messages_handed_over on messages (company_id, handed_over_at)
  include (contact_id, id, channel, recipient) where status = 'sent';
