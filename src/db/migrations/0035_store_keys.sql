-- Keys of the store interface, which browsers and apps of shoppers send.
create table store_keys (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- Not a secret: every visitor of the shop sees it.
  key text not null,
  name text not null,
  -- The sites whose pages may use the key, as browsers name them: `https://shop.example.com`.
  origins text[] not null,
  -- Where what is bought with the key is taken from; null: wherever it is.
  location_id bigint,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, location_id) references locations (company_id, id)
);
create index store_keys_location on store_keys (company_id, location_id) where location_id is not null;
-- The look-up that happens before the company is known.
create unique index store_keys_key on store_keys (key);
call watch_configuration('store_keys');
