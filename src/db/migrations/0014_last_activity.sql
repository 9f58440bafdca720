-- When a message was last opened or clicked, where that was more than once: an order counts for the last time before it.
alter table message_activity add column last_at timestamptz;
