-- Accounts of customers, with which they sign in to the store interface.
-- migrate: blocks customers: before the first release, no shop has many customers

alter table customers
  -- A guest has none. `invited`: asked by the shop to open one.
  add column account text not null default 'none' check (account in ('none', 'invited', 'active', 'closed')),
  -- When a code that was sent to the present address was entered; null: never.
  add column email_verified_at timestamptz;
update customers set account = 'active' where password_hash is not null;

create table customer_sessions (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  -- SHA-256 of the token.
  token_hash bytea not null,
  created_at timestamptz not null,
  -- Exact to an hour.
  used_at timestamptz not null,
  primary key (company_id, id)
);
create unique index customer_sessions_token on customer_sessions (company_id, token_hash);
create index customer_sessions_customer on customer_sessions (company_id, customer_id, id);
create index customer_sessions_used on customer_sessions (used_at);

-- The newest code that was mailed to an address, for each thing that it is good for.
create table customer_codes (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  purpose text not null check (purpose in ('sign_in', 'change_email', 'erase')),
  -- Normalised.
  email text not null,
  -- Null for `sign_in`, which may be for an account that does not exist yet.
  customer_id bigint,
  -- The code is a keyed hash of it (src/lib/codes.ts).
  nonce text not null,
  expires_at timestamptz not null,
  -- How often a code was entered.
  attempts int not null default 0,
  -- How many were mailed since.
  counted_from timestamptz not null,
  mailed int not null default 1,
  -- What was entered at the registration: {first_name, last_name, accepts_marketing}
  registration jsonb,
  primary key (company_id, id)
);
create unique index customer_codes_address on customer_codes (company_id, email, purpose, customer_id) nulls not distinct;
create index customer_codes_customer on customer_codes (company_id, customer_id) where customer_id is not null;
create index customer_codes_expires on customer_codes (expires_at);
