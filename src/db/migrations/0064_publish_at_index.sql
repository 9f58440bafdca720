-- migrate: outside-transaction
-- Finds the drafts that are due, of all companies.
create index concurrently if not exists products_publish on products (publish_at, company_id, id) where publish_at is not null;
