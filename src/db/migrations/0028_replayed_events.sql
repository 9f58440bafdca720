-- An event that was refused can be replayed: it goes back into the outbox under its id, and says whether its webhooks were
-- queued before.
alter table outbox add column deliveries_queued boolean not null default false;
alter table outbox_refusals add column deliveries_queued boolean not null default false;
-- Only what failed as a whole was refused without its webhooks.
update outbox_refusals set deliveries_queued = reason <> 'an internal error';
