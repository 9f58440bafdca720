-- migrate: outside-transaction
-- The list of the inventory: sellable products that are not archived.
create index concurrently if not exists products_inventory on products (company_id, id)
  where variant_count = 0 and (archived_at is null or draft);
