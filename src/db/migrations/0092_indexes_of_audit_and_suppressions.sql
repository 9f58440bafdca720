-- migrate: outside-transaction

-- Lists under filters are read in their order: entries of one action, suppressions of one cause.
create index concurrently if not exists audit_log_by_action on audit_log (company_id, action, id);
create index concurrently if not exists suppressions_by_cause on suppressions (company_id, channel, cause, created_at, hash);
