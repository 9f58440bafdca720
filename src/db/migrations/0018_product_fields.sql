-- Fields of products: barcode, prices beside the price, weight, and whether a product is shipped.
alter table products
  add column barcode text,
  -- The price before a reduction, above `price`; in minor units, as `cost`.
  add column compare_at_price bigint,
  add column cost bigint,
  add column weight_g int,
  add column requires_shipping boolean not null default true;
