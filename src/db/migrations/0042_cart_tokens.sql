-- Carts of the store interface belong to whoever has their token.
alter table carts add column token_hash bytea;
