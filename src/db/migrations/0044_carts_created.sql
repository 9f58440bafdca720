-- migrate: outside-transaction
-- The carts that were begun in a period. A column that changes would make each change of a cart write to all its indexes.
create index concurrently if not exists carts_created on carts (company_id, created_at);
