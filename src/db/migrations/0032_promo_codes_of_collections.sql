-- Promo codes for the products of collections.
alter table promo_codes add column collection_ids bigint[] not null default '{}';
alter table promo_codes drop constraint promo_codes_scope_check;
alter table promo_codes add constraint promo_codes_scope_check
  check (scope in ('order', 'products', 'categories', 'collections'));
