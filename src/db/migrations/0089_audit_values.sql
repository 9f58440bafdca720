-- migrate: outside-transaction

-- What entries of the audit log show of a shop's customers and contacts. An erasure deletes it; the log holds a salted hash of it, so that
-- its chain of hashes stays whole.
create table if not exists audit_values (
  company_id bigint not null references companies,
  entry_id bigint not null,
  -- Whom it is about: one of them.
  customer_id bigint,
  contact_id bigint,
  salt bytea not null,
  -- {"before": {…}, "after": {…}}
  shown jsonb not null,
  primary key (company_id, entry_id),
  check (num_nonnulls(customer_id, contact_id) = 1)
);
create index if not exists audit_values_customer on audit_values (company_id, customer_id) where customer_id is not null;
create index if not exists audit_values_contact on audit_values (company_id, contact_id) where contact_id is not null;

-- The log has an entry for each write of a person now: it is read by who wrote, and by what was written to.
create index concurrently if not exists audit_log_by_actor on audit_log (company_id, actor, id);
create index concurrently if not exists audit_log_by_target on audit_log (company_id, target, id);
