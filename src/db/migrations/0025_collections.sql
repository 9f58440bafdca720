-- Collections: products that staff listed in an order of theirs, or that rules select.
create table collections (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  slug text collate "C" not null,
  name text not null,
  description text not null default '',
  kind text not null check (kind in ('manual', 'rules')),
  -- A group of rules (src/rules/language.ts).
  rules jsonb,
  sort text not null check (sort in ('manual', 'newest', 'price_asc', 'price_desc', 'name_asc', 'best_selling')),
  -- While the rules have not been applied to all products.
  updating boolean not null default false,
  -- Raised by each change of the rules, so that a slice that applies earlier ones writes nothing.
  rules_version int not null default 0,
  -- The moment from which `within_last_days` counts back.
  rules_at timestamptz not null,
  -- While updating: the rules have been applied to the products up to this id.
  applied_to bigint not null default 0,
  -- When rules with `within_last_days` are applied again.
  refresh_at timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, slug),
  check ((kind = 'rules') = (rules is not null)),
  check (kind = 'rules' or not updating),
  check (kind = 'manual' or sort <> 'manual')
);
-- Each change of a product reads the company's rules.
create index collections_rules on collections (company_id, id) where kind = 'rules';
create index collections_updating on collections (company_id, id) where updating;
create index collections_refresh on collections (refresh_at) where refresh_at is not null;

create trigger raise_revision before update on collections for each row
  execute function raise_revision('updating', 'rules_version', 'rules_at', 'applied_to', 'refresh_at', 'updated_at');

-- The members of collections: parents and simple products.
create table collection_products (
  company_id bigint not null,
  collection_id bigint not null,
  product_id bigint not null,
  -- The place in the list; null where rules selected the product.
  position int,
  primary key (company_id, collection_id, product_id),
  foreign key (company_id, collection_id) references collections (company_id, id) on delete cascade,
  foreign key (company_id, product_id) references products (company_id, id) on delete cascade
);
create index collection_products_product on collection_products (company_id, product_id);
create index collection_products_position on collection_products (company_id, collection_id, position, product_id)
  where position is not null;
