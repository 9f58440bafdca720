-- The shop. Amounts are integer minor units of the company's currency; rates are millionths.
-- Rows that orders touch in numbers carry no foreign keys to products and customers: the order's transaction has read
-- and locked what it refers to, neither is ever deleted, and a key check would lock and rewrite the hottest rows.

-- What the interface shows of a product and the product alone decides: members of a JSON object. Kept with the row, for
-- building it is two thirds of what reading a product costs. Immutable, since the format of the moments names no locale
-- and no time zone but UTC.
create function product_record(name text, slug text, description text, subscription_enabled boolean, categories text[],
  images jsonb, sku text, tax_class text, archived_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language plpgsql immutable as $$
declare
  record text := json_build_object('name', name, 'slug', slug, 'description', description,
    'subscription_enabled', subscription_enabled, 'categories', categories, 'images', images, 'sku', sku,
    'tax_class', tax_class, 'archived', archived_at is not null,
    'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'updated_at', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
begin
  return substr(record, 2, length(record) - 2);
end $$;

create table products (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  -- In the order of its letters' codes, so that slugs of one beginning lie together.
  slug text collate "C" not null,
  description text not null default '',
  price bigint not null check (price between 0 and 99999999900),
  subscription_enabled boolean not null default false,
  sku text,
  tax_class text,
  categories text[] not null default '{}',
  images jsonb not null default '[]',
  search text not null,
  -- Whether there is stock, for the lists that ask for it: kept by the stock's own trigger.
  in_stock boolean not null default false,
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  record text generated always as (product_record(name, slug, description, subscription_enabled, categories, images, sku,
    tax_class, archived_at, created_at, updated_at)) stored,
  primary key (company_id, id),
  unique (company_id, slug)
);
create unique index products_sku on products (company_id, sku) where sku is not null;
-- Where a page of the shop's list begins is found in the index alone.
create index products_listed on products (company_id, id) include (subscription_enabled, in_stock) where archived_at is null;
create index products_sold_out on products (company_id, id) where archived_at is null and not in_stock;
-- Without a pending list, which searches would have to walk through.
create index products_search on products using gin (company_id, search gin_trgm_ops) with (fastupdate = off);

-- Narrow and half empty, so that an order's update stays on its page and touches no other index.
create table product_stock (
  company_id bigint not null,
  product_id bigint not null,
  stock_qty int not null check (stock_qty >= 0),
  primary key (company_id, product_id)
) with (fillfactor = 50);

-- Only when the stock runs out or comes back: most orders change no product's row.
create function note_stock() returns trigger language plpgsql as $$
begin
  update products set in_stock = new.stock_qty > 0 where company_id = new.company_id and id = new.product_id;
  return null;
end $$;
create trigger note_stock after update on product_stock for each row
  when ((old.stock_qty > 0) <> (new.stock_qty > 0)) execute function note_stock();

create table categories (
  company_id bigint not null references companies,
  slug text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (company_id, slug)
);
create table product_categories (
  company_id bigint not null,
  slug text not null,
  product_id bigint not null,
  primary key (company_id, slug, product_id),
  foreign key (company_id, product_id) references products (company_id, id),
  foreign key (company_id, slug) references categories (company_id, slug)
);

-- One row per cause: (order, order id), (cancel, order id), (initial, 0), (adjust, a number of its own).
create sequence stock_adjustment_id;
create table stock_movements (
  company_id bigint not null,
  product_id bigint not null,
  kind text not null check (kind in ('initial', 'adjust', 'order', 'cancel')),
  reference bigint not null,
  delta int not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, product_id, kind, reference)
);

create table price_history (
  company_id bigint not null,
  id bigint generated always as identity,
  product_id bigint not null,
  old_price bigint,
  new_price bigint not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, product_id, id)
);

create table customers (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  email text,
  first_name text not null default '',
  last_name text not null default '',
  phone text,
  password_hash text,
  accepts_marketing boolean not null default false,
  address text,
  city text,
  state text,
  zip text,
  country text,
  metadata jsonb not null default '{}',
  search text not null,
  erased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
create unique index customers_email on customers (company_id, lower(email)) where email is not null;
create index customers_search on customers using gin (company_id, search gin_trgm_ops) with (fastupdate = off);

-- Attempts at a customer's password in the window that began with the first of them; right ones are taken back.
create table password_attempts (
  company_id bigint not null,
  customer_id bigint not null,
  window_start timestamptz not null,
  attempts int not null,
  primary key (company_id, customer_id)
) with (fillfactor = 50);

-- What every order changes of its customer.
create table customer_accounts (
  company_id bigint not null,
  customer_id bigint not null,
  order_count bigint not null default 0,
  points_balance bigint not null default 0,
  points_lifetime bigint not null default 0,
  primary key (company_id, customer_id)
) with (fillfactor = 50);

create table loyalty_ledger (
  company_id bigint not null,
  customer_id bigint not null,
  id bigint generated always as identity,
  type text not null check (type in ('earn', 'redeem', 'reverse_earn', 'restore', 'adjust')),
  points bigint not null,
  order_id bigint,
  reason text,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, customer_id, id)
);
create unique index loyalty_ledger_order on loyalty_ledger (company_id, order_id, type) where order_id is not null;

create table tax_rules (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  country text not null,
  state text,
  zip_from text,
  zip_to text,
  rate bigint not null check (rate >= 0),
  priority int not null default 1,
  compound boolean not null default false,
  applies_to_shipping boolean not null default false,
  tax_class text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
call watch_configuration('tax_rules');

create table shipping_zones (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  position int not null default 0,
  countries text[] not null default '{}',
  states text[] not null default '{}',
  zip_patterns text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
call watch_configuration('shipping_zones');

create table shipping_methods (
  company_id bigint not null,
  id bigint generated always as identity,
  zone_id bigint not null,
  name text not null,
  position int not null default 0,
  type text not null check (type in ('flat', 'by_subtotal', 'free_over')),
  config jsonb not null,
  active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, zone_id) references shipping_zones (company_id, id) on delete cascade
);
call watch_configuration('shipping_methods');

create table promo_codes (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  code text not null,
  type text not null check (type in ('percent', 'fixed', 'free_shipping', 'buy_x_get_y')),
  value jsonb not null,
  scope text not null default 'order' check (scope in ('order', 'products', 'categories')),
  product_ids bigint[] not null default '{}',
  category_slugs text[] not null default '{}',
  min_subtotal bigint,
  max_discount bigint,
  starts_at timestamptz,
  ends_at timestamptz,
  usage_limit int,
  per_customer_limit int,
  first_order_only boolean not null default false,
  active boolean not null default true,
  used_count int not null default 0 check (used_count >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  check (usage_limit is null or used_count <= usage_limit)
) with (fillfactor = 70);
create unique index promo_codes_code on promo_codes (company_id, upper(code));

create table orders (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'shipped', 'delivered', 'cancelled')),
  subtotal bigint not null check (subtotal >= 0),
  discount bigint not null check (discount >= 0),
  tax bigint not null check (tax >= 0),
  shipping bigint not null check (shipping >= 0),
  total bigint not null check (total >= 0),
  promo_code_id bigint,
  promo_code text,
  points_redeemed bigint not null default 0,
  shipping_address text not null,
  shipping_city text not null,
  shipping_state text not null default '',
  shipping_zip text not null,
  shipping_country text not null,
  shipping_method text,
  tax_lines jsonb not null default '[]',
  tracking_number text,
  external_id text,
  metadata jsonb not null default '{}',
  subscription_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  check (total = subtotal - discount + tax + shipping)
) with (fillfactor = 85);
-- With what the list filters by, so that a customer with 100,000 orders is counted from the index alone.
create index orders_customer on orders (company_id, customer_id, id) include (status, subscription_id, created_at);
create index orders_status on orders (company_id, status, id);
create index orders_renewals on orders (company_id, id) where subscription_id is not null;
create index orders_subscription on orders (company_id, subscription_id, id) where subscription_id is not null;
create index orders_promo on orders (company_id, promo_code_id, customer_id) where promo_code_id is not null;
create unique index orders_external_id on orders (company_id, external_id) where external_id is not null;

create table order_items (
  company_id bigint not null,
  order_id bigint not null,
  line smallint not null,
  product_id bigint not null,
  product_name text not null,
  qty int not null check (qty > 0),
  price bigint not null check (price >= 0),
  subtotal bigint not null,
  discount bigint not null default 0 check (discount >= 0),
  tax bigint not null default 0 check (tax >= 0),
  primary key (company_id, order_id, line)
);

create table order_history (
  company_id bigint not null,
  order_id bigint not null,
  id bigint generated always as identity,
  type text not null,
  from_status text,
  to_status text,
  actor text not null,
  message text,
  created_at timestamptz not null,
  primary key (company_id, order_id, id)
);

-- Kept totals of the lists (see list_counts).
create function count_orders_inserted() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, 'orders', id / 4096, (created_at at time zone 'UTC')::date,
    status || case when subscription_id is null then ':single' else ':subscription' end, count(*)
  from added group by 1, 3, 4, 5;
  return null;
end $$;
create trigger count_inserted after insert on orders referencing new table as added
  for each statement execute function count_orders_inserted();

create function count_orders_updated() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, 'orders', bucket, day, facet, sum(n) from (
    select company_id, id / 4096 as bucket, (created_at at time zone 'UTC')::date as day,
      status || case when subscription_id is null then ':single' else ':subscription' end as facet, -1 as n from before
    union all
    select company_id, id / 4096, (created_at at time zone 'UTC')::date,
      status || case when subscription_id is null then ':single' else ':subscription' end, 1 from later
  ) changes
  group by company_id, bucket, day, facet having sum(n) <> 0;
  return null;
end $$;
create trigger count_updated after update on orders referencing old table as before new table as later
  for each statement execute function count_orders_updated();

create function product_facet(archived_at timestamptz, subscription_enabled boolean, in_stock boolean) returns text
language plpgsql immutable as $$
begin
  return case when archived_at is null then 'listed' else 'archived' end
    || case when subscription_enabled then ':subscription' else ':single' end || case when in_stock then ':in' else ':out' end;
end $$;

create function count_products() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'products', id / 4096, '2000-01-01', product_facet(archived_at, subscription_enabled, in_stock), count(*)
    from later group by 1, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'products', bucket, '2000-01-01', facet, sum(n) from (
      select company_id, id / 4096 as bucket, product_facet(archived_at, subscription_enabled, in_stock) as facet, -1 as n from before
      union all
      select company_id, id / 4096, product_facet(archived_at, subscription_enabled, in_stock), 1 from later
    ) changes
    group by company_id, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on products referencing new table as later for each statement execute function count_products();
create trigger count_updated after update on products referencing old table as before new table as later for each statement execute function count_products();

create function count_customers_inserted() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, 'customers', id / 4096, '2000-01-01', '', count(*) from added group by 1, 3;
  return null;
end $$;
create trigger count_inserted after insert on customers referencing new table as added
  for each statement execute function count_customers_inserted();
