-- Variants are products of their own, which can be ordered; their parent only holds what they share.
-- migrate: incompatible
-- migrate: blocks products: rewritten before the first release, when no shop has many products
alter table products
  -- The parent of a variant. Without a foreign key: a company is loaded in slices, and a variant may be older than its parent.
  add column variant_of bigint,
  -- Of a variant: its option values joined by " / ".
  add column title text,
  -- Of a variant: its place among the variants of its parent.
  add column position int,
  -- Of a parent: `[{name, values}]`. Of a variant: `[{name, value}]`, in the order of its parent's options.
  add column options jsonb not null default '[]',
  -- Of a parent: the number of its variants, archived ones too. Other products have 0.
  add column variant_count int not null default 0,
  -- Of a parent: the highest price of its active variants, or of all if none is active.
  add column price_max bigint;

-- The JSON members of a product that depend on its own row alone: all but amounts of money, which depend on the currency.
alter table products drop column record;
drop function product_record(text, text, text, boolean, text[], jsonb, text, text, timestamptz, timestamptz, timestamptz);
create function product_record(name text, slug text, description text, subscription_enabled boolean, categories text[],
  images jsonb, sku text, tax_class text, barcode text, weight_g int, requires_shipping boolean, track_stock boolean,
  low_stock_at int, draft boolean, archived_at timestamptz, variant_of bigint, title text, place int, options jsonb,
  variant_count int, created_at timestamptz, updated_at timestamptz)
returns text language plpgsql immutable as $$
declare
  record text := json_build_object('name', name, 'slug', slug, 'description', description,
    'subscription_enabled', subscription_enabled, 'categories', categories, 'images', images, 'sku', sku,
    'tax_class', tax_class, 'barcode', barcode, 'weight_g', weight_g,
    'requires_shipping', case when variant_count = 0 then requires_shipping end,
    'track_stock', case when variant_count = 0 then track_stock end, 'low_stock_at', low_stock_at,
    'status', case when archived_at is null then 'active' when draft then 'draft' else 'archived' end,
    'archived', archived_at is not null, 'active', archived_at is null, 'has_variants', variant_count > 0,
    'variant_count', variant_count, 'options', options, 'variant_of', variant_of, 'title', title, 'position', place,
    'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'updated_at', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
begin
  return substr(record, 2, length(record) - 2);
end $$;
alter table products add column record text generated always as (product_record(name, slug, description, subscription_enabled,
  categories, images, sku, tax_class, barcode, weight_g, requires_shipping, track_stock, low_stock_at, draft, archived_at,
  variant_of, title, position, options, variant_count, created_at, updated_at)) stored;

alter table order_items
  -- Of a variant, as it was when it was ordered.
  add column parent_id bigint,
  add column title text,
  add column options jsonb;

-- Sets what a parent keeps of its variants: price, price_max, variant_count, in_stock, subscription_enabled. Locks the parent
-- first, so that of two transactions that change variants of one parent the second sees what the first wrote.
create function update_parent(company bigint, parent bigint) returns void language plpgsql as $$
begin
  perform from products where company_id = company and id = parent for no key update;
  update products p
  set price = kept.price, price_max = kept.price_max, variant_count = kept.n, in_stock = kept.in_stock,
    subscription_enabled = kept.subscription_enabled
  from (
    select coalesce(min(price) filter (where archived_at is null), min(price)) as price,
      coalesce(max(price) filter (where archived_at is null), max(price)) as price_max, count(*) as n,
      coalesce(bool_or(in_stock) filter (where archived_at is null), false) as in_stock,
      coalesce(bool_or(subscription_enabled) filter (where archived_at is null), false) as subscription_enabled
    from products where company_id = company and variant_of = parent
  ) kept
  where p.company_id = company and p.id = parent and kept.n > 0
    and (p.price, p.price_max, p.variant_count, p.in_stock, p.subscription_enabled)
      is distinct from (kept.price, kept.price_max, kept.n, kept.in_stock, kept.subscription_enabled);
end $$;

create or replace function note_stock() returns trigger language plpgsql as $$
declare
  parent bigint;
begin
  update products set in_stock = new.stock_qty > 0
  where company_id = new.company_id and id = new.product_id and track_stock
  returning variant_of into parent;
  if parent is not null then perform update_parent(new.company_id, parent); end if;
  return null;
end $$;

-- What a parent keeps of its variants is no edit of the parent.
drop trigger raise_revision on products;
create trigger raise_revision before update on products for each row when (new.variant_count = 0)
  execute function raise_revision('search', 'in_stock', 'record', 'updated_at', 'variant_count', 'price_max');
create trigger raise_revision_of_parent before update on products for each row when (new.variant_count > 0)
  execute function raise_revision('search', 'in_stock', 'record', 'updated_at', 'price', 'price_max', 'variant_count',
    'subscription_enabled', 'options');

-- The counter `products` has two keys: '' counts what the list shows, 'variant' the variants, both without archived products.
create function count_products() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'products', case when variant_of is null then '' else 'variant' end, count(*) from added
    where archived_at is null group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'products', case when variant_of is null then '' else 'variant' end, -count(*) from removed
    where archived_at is null group by 1, 3;
  else
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'products', case when variant_of is null then '' else 'variant' end, n
    from (values (old.company_id, old.variant_of, old.archived_at, -1), (new.company_id, new.variant_of, new.archived_at, 1))
      as changed (company_id, variant_of, archived_at, n)
    where archived_at is null;
  end if;
  return null;
end $$;
drop trigger count_added on products;
drop trigger count_removed on products;
drop trigger count_added_gone on products;
drop trigger count_removed_gone on products;
drop trigger count_leaving on products;
drop trigger count_returning on products;
create trigger count_added after insert on products referencing new table as added
  for each statement execute function count_products();
create trigger count_removed after delete on products referencing old table as removed
  for each statement execute function count_products();
create trigger count_moved after update on products for each row
  when ((old.archived_at is null) <> (new.archived_at is null) or (old.variant_of is null) <> (new.variant_of is null))
  execute function count_products();
