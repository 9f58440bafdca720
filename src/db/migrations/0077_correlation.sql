-- What work in the background goes back to: the id of the request that caused it, and where the request is traced, a space
-- and the position in its trace as a `traceparent` of W3C Trace Context. Null for what no request caused, and for what was
-- there before. Read with the row, never searched for: no index.
alter table outbox add column correlation text;
alter table outbox_refusals add column correlation text;
alter table webhook_deliveries add column correlation text;
alter table flow_runs add column correlation text;
alter table flow_emissions add column correlation text;
alter table messages add column correlation text;
