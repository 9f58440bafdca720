-- Products, stock, pictures, taxes, shipping and promo codes. Amounts are integers in the minor unit of the company's currency;
-- rates are millionths.
-- Rows that orders write in large numbers have no foreign keys to products and customers. The transaction of an order has read
-- and locked the rows that it refers to, neither is ever deleted, and a key check would lock and rewrite the most contended rows.

-- The JSON members of a product in API responses, as far as they depend on the product's row alone. Stored with the row, because
-- building them takes two thirds of the time of reading a product. Immutable, because the format of the timestamps uses neither a
-- locale nor a time zone other than UTC.
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

-- Lets searches for one or two letters use an index, because such words have no trigrams (reading every row took 296 ms for
-- 40,000 products). Contains each letter and each pair of adjacent letters, prefixed with the company, so that the planner cannot
-- choose another index. Used in the index only: computing it takes 50 µs per row.
create function search_grams(company bigint, value text) returns tsvector
language plpgsql immutable strict parallel safe cost 2000 as $$
declare
  prefix text := company || ':';
  letters text[] := string_to_array(value, null);
  n int := cardinality(letters);
  grams text[] := letters;
begin
  if n = 0 then return null; end if;
  for i in 1 .. n - 1 loop grams[n + i] := letters[i] || letters[i + 1]; end loop;
  -- Each once, before the company is added.
  grams := tsvector_to_array(array_to_tsvector(grams));
  for i in 1 .. cardinality(grams) loop grams[i] := prefix || grams[i]; end loop;
  return array_to_tsvector(grams);
end $$;

create table products (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  -- Sorted by code point, so that slugs with the same prefix are adjacent.
  slug text collate "C" not null,
  description text not null default '',
  price bigint not null check (price between 0 and 99999999900),
  subscription_enabled boolean not null default false,
  sku text,
  tax_class text,
  categories text[] not null default '{}',
  images jsonb not null default '[]',
  search text not null,
  -- Whether stock_qty is above 0, for lists that filter by it. Maintained by a trigger on product_stock.
  in_stock boolean not null default false,
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  record text generated always as (product_record(name, slug, description, subscription_enabled, categories, images, sku,
    tax_class, archived_at, created_at, updated_at)) stored,
  revision bigint not null default 1,
  primary key (company_id, id),
  unique (company_id, slug)
);
create unique index products_sku on products (company_id, sku) where sku is not null;
-- Finds the first row of a page of the product list with an index-only scan.
create index products_listed on products (company_id, id) include (subscription_enabled, in_stock) where archived_at is null;
create index products_sold_out on products (company_id, id) where archived_at is null and not in_stock;
-- With a pending list of at most 512 kB: without one, inserting a product costs four times as much, and a search reads at most 64
-- pages of it.
create index products_search on products using gin (company_id, search gin_trgm_ops) with (fastupdate = off);
alter index products_search set (fastupdate = on, gin_pending_list_limit = 512);
create index products_search_grams on products using gin (search_grams(company_id, search));
-- Without statistics, as contacts_search_pairs.
alter index products_search_grams alter column 1 set statistics 0;
-- Sorted lists (src/db/lists.ts). There is no index by stock, because every order would write to it.
create index products_price
  on products (company_id, price, id) include (archived_at, subscription_enabled, in_stock);
-- Sorted by the folded name, so that case and accents do not matter. The folded search text starts with the name.
create index products_name on products (company_id, (left(search, length(name)) collate "C"), id);

call count_list('products', 'archived_at');
-- For browsers that watch the list (see live_marks).
create trigger count_changed after update on products for each row
  when (old.in_stock <> new.in_stock or old.subscription_enabled <> new.subscription_enabled) execute function count_row('0');

-- Every edit increments `revision`, for If-Match. The trigger's arguments are the columns that the program maintains, such as the
-- progress of a campaign; changes of all other columns are edits.
create function raise_revision() returns trigger language plpgsql as $$
begin
  if to_jsonb(old) - tg_argv is distinct from to_jsonb(new) - tg_argv then new.revision := old.revision + 1; end if;
  return new;
end $$;
create trigger raise_revision before update on products for each row
  execute function raise_revision('search', 'in_stock', 'record', 'updated_at');

-- Narrow rows on half-empty pages: the update by an order stays on its page and writes to no other index.
create table product_stock (
  company_id bigint not null,
  product_id bigint not null,
  stock_qty int not null check (stock_qty >= 0),
  primary key (company_id, product_id)
) with (fillfactor = 50);

-- Called only when stock runs out or comes back: most orders do not change the row of a product.
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
-- Changes the categories of a product by its id: reads 4 pages instead of 724 with 80,000 rows of 40,000 products.
create index product_categories_product on product_categories (company_id, product_id);

-- Numbers the manual adjustments in stock_movements.
create sequence stock_adjustment_id;

-- One row per cause: (order, order id), (cancel, order id), (initial, 0), (adjust, a number from the sequence).
create table stock_movements (
  company_id bigint not null,
  product_id bigint not null,
  kind text not null check (kind in ('initial', 'adjust', 'order', 'cancel')),
  reference bigint not null,
  delta int not null,
  actor text not null,
  created_at timestamptz not null,
  -- Why a person changed the stock, if given.
  reason text check (length(reason) <= 500),
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

-- Pictures that people uploaded for products. The shop shows variants that are made on upload; the upload itself is not kept.
create table pictures (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- The first half of the SHA-256 of the upload in hexadecimal: part of the address, and finds repeated uploads of the same file.
  hash text not null,
  width int not null,
  height int not null,
  -- The size of all variants together.
  bytes bigint not null,
  stored_in text not null check (stored_in in ('database', 'bucket')),
  -- Whether the variants are stored. Pictures that are not ready are never shown.
  ready boolean not null default false,
  -- Null while a product shows the picture.
  delete_after timestamptz,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index pictures_hash on pictures (company_id, hash);
create index pictures_delete_after on pictures (delete_after) where delete_after is not null;

-- The content of pictures stored in the database.
create table picture_contents (
  company_id bigint not null,
  picture_id bigint not null,
  variant text not null check (variant in ('thumb', 'medium', 'large')),
  content bytea not null check (octet_length(content) <= 10485760),
  primary key (company_id, picture_id, variant)
);
-- WebP is already compressed.
alter table picture_contents alter column content set storage external;

create table product_pictures (
  company_id bigint not null,
  product_id bigint not null,
  picture_id bigint not null,
  primary key (company_id, product_id, picture_id)
);
create index product_pictures_picture on product_pictures (company_id, picture_id);

-- Pictures that imported products refer to by URL. A worker fetches and stores them; the product then shows the stored picture.
create table picture_fetches (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  product_id bigint not null,
  -- The URL as given in the file. Later imports find the stored picture by it.
  url text not null,
  state text not null check (state in ('pending', 'done', 'failed')),
  attempts int not null default 0,
  -- Also the lease: a worker that claims the row moves this forward.
  due_at timestamptz not null,
  -- What the product shows instead of `url` once the picture is stored.
  stored_url text,
  primary key (company_id, id)
);
-- By hash, because a URL may be too long for an index.
create unique index picture_fetches_url on picture_fetches (company_id, md5(url), product_id);
create index picture_fetches_product on picture_fetches (company_id, product_id);
create index picture_fetches_due on picture_fetches (company_id, due_at) where state = 'pending';

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
  -- Coupons are promo codes made from a template, each with its own code and for a single use. A template cannot be used in an
  -- order; its code is the prefix of its coupons.
  is_template boolean not null default false,
  -- Templates only: the number of days that a coupon is valid.
  valid_days int check (valid_days > 0),
  -- Coupons only.
  template_id bigint,
  primary key (company_id, id),
  check (usage_limit is null or used_count <= usage_limit),
  foreign key (company_id, template_id) references promo_codes (company_id, id),
  check (not (is_template and template_id is not null)),
  check (valid_days is null or is_template)
) with (fillfactor = 70);
create unique index promo_codes_code on promo_codes (company_id, upper(code));
-- Lists of promo codes leave out coupons, which may number a million.
create index promo_codes_own on promo_codes (company_id, id) where template_id is null;
create index promo_codes_coupons on promo_codes (company_id, template_id, id) where template_id is not null;
