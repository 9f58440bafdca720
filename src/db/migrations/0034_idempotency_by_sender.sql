-- An Idempotency-Key belongs to the API key that sent it (sent_by is its id, for the signed webhook the company's id made
-- negative). 0 is of before: such an answer stands for every key of its company, for the day that it is kept, so that no
-- retry around the upgrade does anything twice. A program of before cannot write answers any more; what it is asked with an
-- Idempotency-Key fails and changes nothing.
alter table idempotency_keys add column sent_by bigint not null default 0;
alter table idempotency_keys drop constraint idempotency_keys_pkey;
alter table idempotency_keys add primary key (company_id, sent_by, key);

-- When a company last took a webhook whose signature has no timestamp, to the hour: such a request can be sent again by
-- whoever saw it.
create table webhook_senders (
  company_id bigint primary key references companies,
  body_only_at timestamptz not null
);
