-- Facets: the option values and filterable custom values by which product lists are filtered and counted.
-- migrate: incompatible
-- migrate: blocks products: filled and indexed before the first release, when no shop has many products
-- migrate: blocks product_categories: indexed again before the first release, when no shop has many products
-- migrate: blocks collection_products: indexed again before the first release, when no shop has many products
create table facet_values (
  company_id bigint not null references companies,
  -- Fits into the arrays of products.
  id int not null generated always as identity,
  -- `option:Colour` or `custom.material`.
  key text collate "C" not null,
  value text collate "C" not null,
  primary key (company_id, id),
  unique (company_id, key, value)
);

-- Of simple products and parents: the facet values of the product and its active variants, ascending. Variants have none.
alter table products add column facets int[] not null default '{}';

-- What is kept for filters is no edit of the product.
drop trigger raise_revision on products;
create trigger raise_revision before update on products for each row when (new.variant_count = 0)
  execute function raise_revision('search', 'in_stock', 'record', 'updated_at', 'variant_count', 'price_max', 'facets');
drop trigger raise_revision_of_parent on products;
create trigger raise_revision_of_parent before update on products for each row when (new.variant_count > 0)
  execute function raise_revision('search', 'in_stock', 'record', 'updated_at', 'price', 'price_max', 'variant_count',
    'subscription_enabled', 'options', 'facets');

-- No custom field has values yet.
with held as materialized (
  select distinct v.company_id, v.variant_of as owner, 'option:' || (o ->> 'name') as key, o ->> 'value' as value
  from products v cross join jsonb_array_elements(v.options) o
  where v.variant_of is not null and v.archived_at is null
),
added as (
  insert into facet_values (company_id, key, value)
  select distinct company_id, key, value from held order by 1, 2, 3 returning *
)
update products p set facets = f.facets
from (
  select h.company_id, h.owner, array_agg(a.id order by a.id) as facets
  from held h join added a using (company_id, key, value) group by 1, 2
) f
where p.company_id = f.company_id and p.id = f.owner;

-- Ids of values differ between companies unless one was loaded from another installation, so they alone find the products. Without the
-- pending list of GIN, which each search would have to read.
create index products_facets on products using gin (facets) with (fastupdate = off) where facets <> '{}';
-- What facets count, so that the newest 20,000 products are read without their rows. A product keeps 600 values at most, which fit.
create index products_counted on products (company_id, id) include (price, in_stock, facets)
  where archived_at is null and variant_of is null;

-- The same for categories and collections.
drop index product_categories_product;
create index product_categories_product on product_categories (company_id, product_id) include (slug);
drop index collection_products_product;
create index collection_products_product on collection_products (company_id, product_id) include (collection_id);

-- While a company's products are counted again because its filterable custom fields have changed.
create table facet_updates (
  company_id bigint primary key references companies,
  -- Raised by each change, so that a slice of an earlier one writes nothing.
  version int not null default 0,
  -- The products up to this id have been counted.
  applied_to bigint not null default 0
);

create function update_facets() returns trigger language plpgsql as $$
begin
  insert into facet_updates as u (company_id) values (coalesce(new.company_id, old.company_id))
  on conflict (company_id) do update set version = u.version + 1, applied_to = 0;
  return null;
end $$;
create trigger update_facets_added after insert on custom_fields for each row when (new.filterable and not new.deleted)
  execute function update_facets();
create trigger update_facets_changed after update on custom_fields for each row
  when ((old."on", old.key, old.filterable and not old.deleted) is distinct from (new."on", new.key, new.filterable and not new.deleted))
  execute function update_facets();
create trigger update_facets_removed after delete on custom_fields for each row when (old.filterable and not old.deleted)
  execute function update_facets();
