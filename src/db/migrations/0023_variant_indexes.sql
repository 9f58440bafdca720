-- migrate: outside-transaction
-- Lists leave out variants, so their indexes do too.
create index concurrently if not exists products_variants on products (company_id, variant_of, position, id)
  where variant_of is not null;
create index concurrently if not exists products_variant_name
  on products (company_id, (left(search, length(name)) collate "C"), id) where variant_of is not null;
-- Of one parent, no two variants that are not archived have the same option values.
create unique index concurrently if not exists products_combination on products (company_id, variant_of, options)
  where variant_of is not null and archived_at is null;
create index concurrently if not exists products_shown on products (company_id, id) include (subscription_enabled, in_stock)
  where archived_at is null and variant_of is null;
drop index concurrently if exists products_listed;
create index concurrently if not exists products_shown_sold_out on products (company_id, id)
  where archived_at is null and variant_of is null and not in_stock;
drop index concurrently if exists products_sold_out;
create index concurrently if not exists products_shown_price
  on products (company_id, price, id) include (archived_at, subscription_enabled, in_stock) where variant_of is null;
drop index concurrently if exists products_price;
create index concurrently if not exists products_shown_name
  on products (company_id, (left(search, length(name)) collate "C"), id) where variant_of is null;
drop index concurrently if exists products_name;
