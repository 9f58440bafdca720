-- migrate: outside-transaction

-- Found by who removes old ones, in their order; merges are kept.
create index concurrently if not exists contact_activity_age on contact_activity (company_id, id) where type <> 'merged';
-- The link of an old mail leads to the contact that its own became part of.
create index concurrently if not exists contact_activity_merged_from
  on contact_activity (company_id, ((data ->> 'contact_id')::bigint)) where type = 'merged';
-- The list of suppressions, newest first, without sorting all of them for every page.
create index concurrently if not exists suppressions_listed on suppressions (company_id, created_at, channel, hash);
-- A product's categories are changed by its id: among 80,000 rows of 40,000 products 4 pages are read in place of 724.
create index concurrently if not exists product_categories_product on product_categories (company_id, product_id);
