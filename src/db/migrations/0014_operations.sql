-- Imports, bulk actions, erasures, retention and monitoring.

-- Uploaded files, the outcome of their rows, and what is needed to undo them.
create table imports (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  format text not null,
  file_name text not null,
  -- The size of the chunks uploaded so far.
  bytes bigint not null default 0,
  chunks int not null default 0,
  status text not null check (status in
    ('uploading', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'failed', 'cancelled')),
  -- Choices that are not part of the file.
  options jsonb not null default '{}',
  -- The columns of the file and the field of each; known once the check has begun.
  header text[] not null default '{}',
  mapping text[] not null default '{}',
  -- The number of rows checked or imported. The transaction that writes the rows increases it.
  position bigint not null default 0,
  -- The number of rows, known after the check.
  total bigint,
  created bigint not null default 0,
  updated bigint not null default 0,
  unchanged bigint not null default 0,
  skipped bigint not null default 0,
  refused bigint not null default 0,
  -- New contacts whose address is suppressed; they receive no marketing.
  suppressed bigint not null default 0,
  -- By an undo: records removed or restored, and records left alone because they changed later.
  undone bigint not null default 0,
  kept bigint not null default 0,
  findings bigint not null default 0,
  journal bigint not null default 0,
  error text,
  actor text not null,
  -- By the database's clock. The holder of the lease names the epoch in every write.
  lease_until timestamptz,
  epoch bigint not null default 0,
  created_at timestamptz not null,
  checked_at timestamptz,
  -- All records written by the import have this updated_at; a different value means that the record changed later.
  started_at timestamptz,
  finished_at timestamptz,
  -- The formats of dates and numbers, detected from all columns by the check; null before.
  readings jsonb,
  -- Findings about the whole file: ignored columns, products without stock, repeated SKUs.
  notices jsonb,
  primary key (company_id, id)
);
create index imports_open on imports (company_id, id) where status in ('checking', 'running', 'undoing');
create index imports_with_file on imports (company_id, id) where chunks > 0;

create table import_chunks (
  company_id bigint not null,
  import_id bigint not null,
  n int not null,
  data bytea not null,
  primary key (company_id, import_id, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);
-- Compressing a chunk takes longer than writing it.
alter table import_chunks alter column data set storage external;

-- Findings about single rows, from the check, the import and the undo.
create table import_findings (
  company_id bigint not null,
  import_id bigint not null,
  phase text not null check (phase in ('check', 'run', 'undo')),
  n bigint not null,
  row bigint not null,
  field text,
  reason text not null,
  -- The row as it was in the file; null if it was too long to keep.
  cells text[],
  primary key (company_id, import_id, phase, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);

-- What the import wrote: ids of new records by batch, and the previous state of each changed record.
create table import_journal (
  company_id bigint not null,
  import_id bigint not null,
  n bigint not null,
  kind text not null check (kind in ('contact', 'customer', 'product', 'order')),
  record_ids bigint[] not null,
  before jsonb,
  primary key (company_id, import_id, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);
create index import_journal_before on import_journal (company_id, kind, (record_ids[1])) where before is not null;

-- One action on all records that match filters, executed in the background. Its row contains the progress.
create table bulk_actions (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  action text not null
    check (action in ('ship_orders', 'archive_products', 'restore_products', 'tag_contacts', 'untag_contacts', 'undo_tagging')),
  filters jsonb not null,
  status text not null check (status in ('running', 'done', 'cancelled')),
  -- The last id processed, and the last matching id at the start: later records are not changed.
  position bigint not null default 0,
  upto bigint not null,
  total int not null,
  changed int not null default 0,
  refused int not null default 0,
  -- The first hundred: [{id, message}].
  refusals jsonb not null default '[]',
  actor text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Incremented by each worker that takes the action; only the latest may continue.
  epoch int not null default 0,
  lease_until timestamptz,
  input jsonb not null default '{}',
  primary key (company_id, id)
);
create index bulk_actions_running on bulk_actions (company_id, id) where status = 'running';

-- Contacts changed by a bulk tagging, one row per transaction, kept for 7 days so that it can be undone.
create table bulk_action_changes (
  company_id bigint not null references companies,
  bulk_action_id bigint not null,
  -- The highest of the ids.
  last_id bigint not null,
  contact_ids bigint[] not null,
  created_at timestamptz not null,
  primary key (company_id, bulk_action_id, last_id)
);
create index bulk_action_changes_age on bulk_action_changes (created_at);

-- A journal of erasures and their progress. The data needed to find a person is encrypted, and deleted when the erasure is
-- finished.
create table erasures (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- Names the erasure in the journal file beside the database.
  key uuid not null,
  -- Null if only marketing data is erased.
  customer_id bigint,
  -- The contacts, including those merged into them.
  contact_ids bigint[] not null default '{}',
  requested_at timestamptz not null,
  -- Keyed hashes of the addresses that must not be written to: [{channel, hash, cause, source}].
  suppressed jsonb not null default '[]',
  -- Transactions that were open when the person was deleted and may still write data they had read; null until determined.
  open_transactions text[],
  -- The time of that: responses to later requests concern other people.
  opened_at timestamptz,
  -- The next step, and the row after which it continues.
  step text not null default '',
  place text not null default '',
  -- E-mail addresses, numbers and ids to search for: AES-256-GCM with the master key.
  texts bytea,
  finished_at timestamptz,
  primary key (company_id, id),
  unique (company_id, key),
  check (finished_at is null or texts is null)
);
create index erasures_requested on erasures (requested_at);
create index erasures_open on erasures (company_id, id) where finished_at is null;
create index erasures_customer on erasures (company_id, customer_id) where customer_id is not null;

-- The progress of deleting old rows, by company and kind of data (src/retention).
create table retention_progress (
  company_id bigint not null references companies,
  kind text not null,
  -- Rows finished before this time have been deleted, or are being deleted.
  removed_before timestamptz,
  removed bigint not null default 0,
  -- The next run, by the program's clock.
  next_at timestamptz not null,
  primary key (company_id, kind)
);

-- The latest requests of API keys and signed webhooks: target and outcome, without queries, bodies and headers. Written in
-- batches after the response, so that a crash may lose the last second. Used for display only.
create table api_requests (
  company_id bigint not null,
  id bigint generated always as identity,
  at timestamptz not null,
  -- Null for a signed webhook.
  key_id bigint,
  api text not null check (api in ('commerce', 'marketing')),
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms real not null,
  request_id text not null,
  -- For failed requests: the error code and the names of invalid fields.
  error text,
  fields text,
  -- The number of preceding requests of the company that were not recorded.
  left_out int not null,
  primary key (company_id, id)
);

-- The last report of the doctor requested in the admin app; one row.
create table health_reports (
  one boolean primary key default true check (one),
  started_at timestamptz not null,
  finished_at timestamptz,
  -- Why there is no report.
  error text,
  report jsonb
);
