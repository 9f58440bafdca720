-- Carts, and what orders keep of the cart from which they were placed.

create table carts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  status text not null default 'open' check (status in ('open', 'paying', 'placed', 'expired', 'merged', 'cancelled')),
  -- Who began it: the store interface, an API key, a person, a renewal.
  origin text not null check (origin in ('store', 'api', 'staff', 'subscription')),
  revision bigint not null default 1,
  -- Null: a guest's.
  customer_id bigint,
  email text,
  first_name text not null default '',
  last_name text not null default '',
  phone text,
  -- [{id, product_id, qty, added_price, price_override, override_reason}], prices in minor units
  lines jsonb not null default '[]',
  -- The largest id that a line has had.
  last_line_id int not null default 0,
  promo_code text,
  redeem_points bigint not null default 0 check (redeem_points >= 0),
  shipping_address text not null default '',
  shipping_city text not null default '',
  shipping_state text not null default '',
  shipping_zip text not null default '',
  -- Null: not given.
  shipping_country text,
  shipping_method_id bigint,
  location_id bigint,
  billing jsonb,
  custom jsonb not null default '{}',
  metadata jsonb not null default '{}',
  note text,
  -- The price at which it was placed. The amounts of an open cart are calculated when it is read.
  frozen jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id) include (status, origin),
  check ((status = 'placed') = (frozen is not null))
) with (fillfactor = 60);
create index carts_status on carts (company_id, status, id) include (origin);
create index carts_customer on carts (company_id, customer_id, id) include (status, origin) where customer_id is not null;
create index carts_email on carts (company_id, email, id) include (status, origin) where email is not null;
create trigger raise_revision before update on carts for each row execute function raise_revision('updated_at');

alter table orders
  add column cart_id bigint,
  -- Null for orders that were imported, or placed before carts existed.
  add column origin text,
  -- Whether its buyer was not signed in.
  add column guest boolean not null default false,
  add column billing jsonb;
