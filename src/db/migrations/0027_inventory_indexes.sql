-- migrate: outside-transaction
-- Products that can be low in stock.
create index concurrently if not exists products_low_stock on products (company_id, id) where low_stock_at is not null;
