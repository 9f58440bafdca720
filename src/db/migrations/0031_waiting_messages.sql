-- When a message was first meant to go, where it was put off since; null: due_at. Lateness is counted from here. Quiet hours move
-- it on, since waiting for their end is meant; pauses, retries and missing settings do not.
alter table messages add column wanted_at timestamptz;

-- A campaign's message that could not be sent for so long is not sent at all; null: however late.
alter table campaigns add column max_lateness_hours int check (max_lateness_hours > 0);

-- By the database's own clock: those of the processes may differ. due_at only says when to look again.
alter table flow_webhook_calls add column lease_until timestamptz;
