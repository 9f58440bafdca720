-- migrate: outside-transaction

-- The newest orders of a product. It does what order_items_product did, which goes.
create index concurrently if not exists order_items_of_product on order_items (company_id, product_id, order_id);
drop index concurrently if exists order_items_product;

-- How far the counting of a company's orders has come. A pass begins every few hours and goes through its steps in slices.
create table if not exists recommendation_passes (
  company_id bigint primary key references companies,
  -- Raised when a pass begins: what an earlier one counted and this one did not is removed at its end.
  pass bigint not null,
  step text not null check (step in ('sales', 'categories', 'together', 'forget', 'done')),
  -- Orders count that were placed since, and none of them has a lower id.
  since timestamptz not null,
  lowest bigint not null,
  -- Where the next slice of the step begins: sales below an order, together above a product; null at the beginning.
  position bigint,
  -- The last category that was ranked.
  category text,
  -- Orders that the pass has looked at.
  looked_at int not null default 0,
  next_at timestamptz not null
) with (fillfactor = 50);

-- What was sold of each product. While a pass is at its first step, rows of its number are not complete.
create table if not exists product_sales (
  company_id bigint not null references companies,
  product_id bigint not null,
  pass bigint not null,
  qty bigint not null,
  primary key (company_id, product_id)
) with (fillfactor = 70);

-- The first products of each category by what was sold of them; '' is the whole shop.
create table if not exists best_sellers (
  company_id bigint not null references companies,
  category text not null,
  place smallint not null,
  product_id bigint not null,
  pass bigint not null,
  primary key (company_id, category, place)
);

-- The products that were most often in the same orders as a product.
create table if not exists products_together (
  company_id bigint not null references companies,
  product_id bigint not null,
  other_id bigint not null,
  orders int not null,
  primary key (company_id, product_id, other_id)
);
