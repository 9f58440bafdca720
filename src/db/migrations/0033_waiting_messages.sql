-- When a message was first meant to go, where it was put off since; null: due_at. Lateness is counted from here. Quiet hours move
-- it on, since waiting for their end is meant; pauses, retries and missing settings do not.
alter table messages add column wanted_at timestamptz;

-- By the database's own clock: those of the processes may differ. due_at only says when to look again.
alter table flow_webhook_calls add column lease_until timestamptz;
