-- Locations, the stock at each of them, reservations, and documents that move stock. As long as a company has only its main location,
-- `stock_levels` and `order_allocations` have no rows of it.

create table locations (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  main boolean not null default false,
  -- Whether its stock is part of `stock_qty`. Stock elsewhere is sold only by orders that name the location.
  online boolean not null,
  active boolean not null default true,
  -- Orders take stock from the first location that has it.
  position int not null,
  address text,
  city text,
  zip text,
  state text,
  country text,
  created_at timestamptz not null,
  primary key (company_id, id),
  constraint locations_main_check check (not main or (online and active))
);
create unique index locations_main on locations (company_id) where main;
call watch_configuration('locations');

insert into locations (company_id, name, main, online, position, created_at)
select company_id, 'Main location', true, true, 1, created_at from companies;

create function add_main_location() returns trigger language plpgsql as $$
begin
  insert into locations (company_id, name, main, online, position, created_at)
  select company_id, 'Main location', true, true, 1, created_at from added;
  return null;
end $$;
-- Every company starts with its main location.
create trigger add_main_location after insert on companies referencing new table as added
  for each statement execute function add_main_location();

-- What can be sold at locations other than the main one, whose level is `product_stock.stock_qty` minus the levels of the other online
-- locations. The row of `product_stock` is the lock of all levels of a product.
create table stock_levels (
  company_id bigint not null,
  product_id bigint not null,
  location_id bigint not null,
  available int not null check (available >= 0),
  primary key (company_id, product_id, location_id),
  foreign key (company_id, location_id) references locations (company_id, id)
) with (fillfactor = 50);
-- Without `available`, so that orders do not write to it.
create index stock_levels_location on stock_levels (company_id, location_id, product_id);

-- Every kind allowed before is allowed here, so existing rows need no check.
alter table stock_movements
  -- Null is the main location.
  add column location_id bigint,
  drop constraint stock_movements_kind_check;
alter table stock_movements add constraint stock_movements_kind_check check (kind in (
  'initial', 'adjust', 'order', 'cancel', 'restock', 'reserve', 'release', 'transfer', 'receipt', 'import')) not valid;

-- The location that the client named.
alter table orders add column location_id bigint;

-- Where an order took the stock of its lines, in companies with several locations.
create table order_allocations (
  company_id bigint not null,
  order_id bigint not null,
  line_id bigint not null,
  location_id bigint not null,
  qty int not null check (qty > 0),
  primary key (company_id, order_id, line_id, location_id)
);

-- Stock that is set aside for one cart while it is paid.
create table reservations (
  company_id bigint not null references companies,
  cart_id bigint not null,
  reserved_until timestamptz not null,
  created_at timestamptz not null,
  primary key (company_id, cart_id)
);
create index reservations_due on reservations (company_id, reserved_until);

create table reservation_items (
  company_id bigint not null,
  id bigint generated always as identity,
  cart_id bigint not null,
  product_id bigint not null,
  -- Null is the main location, as in the movements.
  location_id bigint,
  qty int not null check (qty > 0),
  primary key (company_id, id),
  foreign key (company_id, cart_id) references reservations (company_id, cart_id)
);
create index reservation_items_cart on reservation_items (company_id, cart_id);
create index reservation_items_product on reservation_items (company_id, product_id, id);

-- Lines of these documents are read and written with them, never alone.
create table stock_adjustments (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  reason text check (length(reason) <= 500),
  -- [{product_id, location_id, delta}]
  lines jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, id)
);

create table stock_receipts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  location_id bigint not null,
  supplier text,
  reference text,
  -- [{product_id, qty, unit_cost}], the cost in minor units or null
  lines jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, id)
);

create table stock_transfers (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  status text not null check (status in ('draft', 'in_transit', 'received', 'cancelled')),
  from_location_id bigint not null,
  to_location_id bigint not null check (to_location_id <> from_location_id),
  note text,
  -- [{product_id, qty, received, missing, returned}]
  lines jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  sent_at timestamptz,
  primary key (company_id, id)
);
create index stock_transfers_open on stock_transfers (company_id, id) where status in ('draft', 'in_transit');
create index stock_transfers_status on stock_transfers (company_id, status, id);
