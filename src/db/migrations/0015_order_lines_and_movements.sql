-- Lines of orders get an id and a snapshot of the product, and stock movements an id, so that several movements can refer to one
-- line. The program before writes movements by order and product.
-- migrate: incompatible
-- migrate: blocks order_items: rewritten before the first release, when no shop has many orders
-- migrate: blocks stock_movements: copied before the first release, when no shop has many orders

alter table order_items
  add column id bigint generated always as identity,
  -- The product when it was ordered; null for imported lines and for lines from before this migration.
  add column sku text,
  add column tax_class text,
  add column categories text[],
  -- Whether the order took stock for this line.
  add column tracked boolean not null default true;
update order_items i set tracked = false
from orders o where o.company_id = i.company_id and o.id = i.order_id and o.imported;
alter table order_items add unique (company_id, id);

alter table stock_movements rename to former_stock_movements;
alter table former_stock_movements drop constraint stock_movements_pkey;
create table stock_movements (
  company_id bigint not null,
  product_id bigint not null,
  -- Ascending in the order of the changes, because every change locks the product's stock first.
  id bigint generated always as identity,
  kind text not null constraint stock_movements_kind_check check (kind in ('initial', 'adjust', 'order', 'cancel')),
  -- The order line of `order` and `cancel`; otherwise null.
  reference_id bigint,
  delta int not null,
  actor text not null,
  created_at timestamptz not null,
  -- Why a person changed the stock, if given.
  reason text constraint stock_movements_reason_check check (length(reason) <= 500),
  primary key (company_id, product_id, id)
);
insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at, reason)
select company_id, product_id, kind,
  case when kind in ('order', 'cancel') then (
    select min(i.id) from order_items i
    where i.company_id = m.company_id and i.order_id = m.reference and i.product_id = m.product_id
  ) end,
  delta, actor, created_at, reason
from former_stock_movements m order by created_at, reference, kind desc;
drop table former_stock_movements;
drop sequence stock_adjustment_id;
