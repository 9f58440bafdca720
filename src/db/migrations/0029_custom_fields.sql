-- Fields that a shop defines for its products, variants, collections, customers and orders. Their values are in the column `custom` of these.
-- migrate: blocks products: no product has custom fields yet, so the index is empty; before the first release
-- migrate: blocks customers: no customer has custom fields yet, so the index is empty; before the first release
-- migrate: blocks orders: no order has custom fields yet, so the index is empty; before the first release
create table custom_fields (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  "on" text not null check ("on" in ('product', 'variant', 'collection', 'customer', 'order')),
  key text collate "C" not null,
  name text not null,
  type text not null check (type in ('text', 'long_text', 'integer', 'decimal', 'boolean', 'date', 'moment', 'choice', 'url', 'color',
    'weight', 'length', 'money', 'media', 'product', 'collection')),
  -- Whether the value is an array.
  list boolean not null default false,
  required boolean not null default false,
  -- {min, max, max_length, choices}, each of them optional.
  rules jsonb not null default '{}',
  -- Who sees the values: staff and API keys alone, or visitors of the store interface too.
  visible text not null default 'staff' check (visible in ('staff', 'store')),
  filterable boolean not null default false,
  position int not null default 0,
  -- It is gone for everybody, and stays until its values are removed.
  deleted boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, "on", key)
);
create index custom_fields_deleted on custom_fields (company_id, id) where deleted;
call watch_configuration('custom_fields');

-- {key: value}, in the form in which the API shows values.
alter table products add column custom jsonb not null default '{}';
alter table collections add column custom jsonb not null default '{}';
alter table customers add column custom jsonb not null default '{}';
alter table orders add column custom jsonb not null default '{}';

-- Changes of a definition read the values that are stored.
create index products_custom on products (company_id, id) where custom <> '{}';
create index customers_custom on customers (company_id, id) where custom <> '{}';
create index orders_custom on orders (company_id, id) where custom <> '{}';
