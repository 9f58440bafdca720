-- migrate: outside-transaction
-- messages_handed_over has all of its columns.
drop index concurrently if exists messages_received;
