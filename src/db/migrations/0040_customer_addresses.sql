-- Address books of customers.
create table customer_addresses (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  first_name text not null default '',
  last_name text not null default '',
  company text not null default '',
  phone text not null default '',
  address text not null,
  city text not null,
  state text not null default '',
  zip text not null,
  -- ISO 3166 alpha-2
  country text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
create index customer_addresses_customer on customer_addresses (company_id, customer_id, id);
