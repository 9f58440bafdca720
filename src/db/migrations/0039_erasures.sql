-- Erasures of people: a journal of who was erased and how far the work is. What it takes to find their data is in it encrypted,
-- and only until the work is done.
create table erasures (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- By which the journal file beside the database names it.
  key uuid not null,
  -- Null where only the marketing side was asked to forget.
  customer_id bigint,
  -- The contacts, and those that had become part of them.
  contact_ids bigint[] not null default '{}',
  requested_at timestamptz not null,
  -- Keyed hashes of their addresses that must not be written to: [{channel, hash, cause, source}].
  suppressed jsonb not null default '[]',
  -- Transactions that were open after the person was gone, which may still write what they had read; null until asked for.
  open_transactions text[],
  -- The clock's time then: what is answered to requests from later is about somebody else.
  opened_at timestamptz,
  -- What is to be done next, and behind which row.
  step text not null default '',
  place text not null default '',
  -- E-mail addresses, numbers and ids to search for: AES-256-GCM under the master key.
  texts bytea,
  finished_at timestamptz,
  primary key (company_id, id),
  unique (company_id, key),
  check (finished_at is null or texts is null)
);
create index erasures_requested on erasures (requested_at);
create index erasures_open on erasures (company_id, id) where finished_at is null;
create index erasures_customer on erasures (company_id, customer_id) where customer_id is not null;

-- Addresses, numbers and ids that contacts had before: an erasure looks for them as well.
create table contact_former_keys (
  company_id bigint not null,
  contact_id bigint not null,
  kind text not null check (kind in ('email', 'phone', 'external_id')),
  value text not null,
  primary key (company_id, contact_id, kind, value)
);
create function remember_former_keys() returns trigger language plpgsql as $$
begin
  insert into contact_former_keys (company_id, contact_id, kind, value)
  select old.company_id, old.id, k.kind, k.was
  from (values ('email', old.email, new.email), ('phone', old.phone, new.phone),
    ('external_id', old.external_id, new.external_id)) as k (kind, was, becomes)
  where k.was is not null and k.was is distinct from k.becomes
  on conflict do nothing;
  return null;
end $$;
create trigger keys_changed after update on contacts for each row
  when (old.email <> new.email or old.phone <> new.phone or old.external_id <> new.external_id
    or (old.email is not null and new.email is null) or (old.phone is not null and new.phone is null)
    or (old.external_id is not null and new.external_id is null))
  execute function remember_former_keys();

-- Messages to addresses that were nobody's, such as tests: few, and looked through by an erasure.
create index messages_nobody on messages (company_id, id) where contact_id is null;

-- What an erasure looks through. Responses to single events, of which there are many, show ids alone.
create index idempotency_keys_shown on idempotency_keys (company_id, key) where not starts_with(body, '{"event_id":');

-- Customers who were erased are in no list.
create function count_customer_erased() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  values (new.company_id, 'customers', new.id / 4096, '2000-01-01', '', -1);
  return null;
end $$;
create trigger count_erased after update on customers for each row
  when (old.erased_at is null and new.erased_at is not null) execute function count_customer_erased();
