create table customer_passkeys (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  -- Base64url, made by the device.
  credential_id text not null,
  -- COSE.
  public_key bytea not null,
  -- How often the device has signed, if it counts.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (company_id, id)
);
create unique index customer_passkeys_credential on customer_passkeys (company_id, credential_id);
create index customer_passkeys_customer on customer_passkeys (company_id, customer_id, id);

-- A challenge is stored once it is used, so that it is accepted once.
create table customer_passkey_challenges (
  company_id bigint not null references companies,
  -- SHA-256.
  hash bytea not null,
  expires_at timestamptz not null,
  primary key (company_id, hash)
);
create index customer_passkey_challenges_expires on customer_passkey_challenges (expires_at);

-- From which networks they were asked for since `counted_from`: keyed hashes.
alter table customer_codes add column asked_from text[] not null default '{}';
