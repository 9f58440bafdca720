-- migrate: outside-transaction
create unique index concurrently if not exists carts_token on carts (company_id, token_hash) where token_hash is not null;
