-- migrate: outside-transaction

-- The orders that a product is in: an undo of an import keeps products that somebody ordered.
create index concurrently if not exists order_items_product on order_items (company_id, product_id);
