-- migrate: outside-transaction
-- No two products of a company have the same barcode.
create unique index concurrently if not exists products_barcode on products (company_id, barcode) where barcode is not null;
