-- What a person filtered a list by, kept under a name: of each company their own. Gone with the membership.
create table saved_views (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  person_id bigint not null,
  list text not null check (length(list) between 1 and 50),
  name text not null check (length(name) between 1 and 100),
  -- The search part of the page's address, without the question mark.
  search text not null check (length(search) <= 2000),
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, person_id, list, name),
  foreign key (company_id, person_id) references members (company_id, person_id) on delete cascade
);
