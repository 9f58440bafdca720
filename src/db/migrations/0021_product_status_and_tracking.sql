-- Drafts, products whose stock is not counted, and the stock at which a product runs low.
alter table products
  -- Not sold yet. `archived_at` is set too, so that whatever leaves out archived products leaves out drafts.
  add column draft boolean not null default false,
  -- Where false, the product can always be ordered, and orders do not change its stock.
  add column track_stock boolean not null default true,
  add column low_stock_at int;

-- Whether it can be ordered: it has stock, or its stock is not counted.
create or replace function note_stock() returns trigger language plpgsql as $$
begin
  update products set in_stock = new.stock_qty > 0
  where company_id = new.company_id and id = new.product_id and track_stock;
  return null;
end $$;
