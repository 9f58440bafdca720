-- What the people of a company are told of: one row for each thing, whoever is told. Who sees it follows from roles and choices when it is
-- read. Holds no data about customers.
create table staff_notices (
  company_id bigint not null references companies,
  kind text not null check (kind in ('new_order', 'low_stock', 'dispute', 'renewal_failed', 'sending_paused')),
  id bigint generated always as identity,
  -- The order, product or subscription; null for the whole company.
  record bigint,
  -- {amount, currency} | {name, stock} | {reason}
  details jsonb not null,
  created_at timestamptz not null,
  -- Every read is about the latest of some kinds.
  primary key (company_id, kind, id)
);

-- A person's choice for a kind; without a row the default of the role holds.
create table staff_notice_choices (
  company_id bigint not null references companies,
  person_id bigint not null,
  kind text not null,
  app boolean not null,
  mail boolean not null,
  primary key (company_id, person_id, kind),
  foreign key (company_id, person_id) references members (company_id, person_id) on delete cascade
);

-- What a person has read: everything up to an id, and single ones above it.
create table staff_notice_reads (
  company_id bigint not null references companies,
  person_id bigint not null,
  up_to bigint not null default 0,
  ids bigint[] not null default '{}' check (cardinality(ids) <= 100),
  primary key (company_id, person_id),
  foreign key (company_id, person_id) references members (company_id, person_id) on delete cascade
);

-- Up to which notice of a kind e-mails were written, and when the next ones may be.
create table staff_notice_mailings (
  company_id bigint not null references companies,
  kind text not null,
  up_to bigint not null,
  next_at timestamptz not null,
  primary key (company_id, kind)
);
