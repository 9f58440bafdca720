-- migrate: blocks reservations: no version before this one writes it
-- Carts that are paid before their order is placed: what a reservation holds beside stock, and each attempt to pay.

-- A cart keeps its order from the moment when it is reserved.
alter table carts drop constraint carts_check;
alter table carts add constraint carts_frozen_check
  check ((status in ('paying', 'placed', 'expired')) = (frozen is not null)) not valid;

alter table reservations
  add column promo_code_id bigint,
  add column points bigint not null default 0 check (points >= 0),
  -- Whose use of the promo code it is: a customer's, or the address of a guest.
  add column customer_id bigint,
  add column email text;
create index reservations_customer on reservations (company_id, customer_id) where customer_id is not null;
create index reservations_email on reservations (company_id, email) where email is not null;

-- Points that carts have reserved. They are part of the balance until their order is placed.
alter table customer_accounts add column points_reserved bigint not null default 0;
alter table customer_accounts add constraint customer_accounts_points_reserved_check check (points_reserved >= 0) not valid;

create table payments (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- The cart that is paid, or was.
  cart_id bigint,
  -- Null until the order is placed.
  order_id bigint,
  method_id bigint not null,
  provider text not null check (provider in ('manual')),
  -- The name of the method at that time.
  label text not null,
  -- In minor units.
  amount bigint not null check (amount > 0),
  status text not null check (status in ('action_required', 'cancelled')),
  -- What the buyer states with a transfer.
  reference text,
  -- When the reservation ends, in the shop's time zone.
  due_on date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  check (cart_id is not null or order_id is not null)
) with (fillfactor = 70);
-- A cart is paid by one payment at a time.
create unique index payments_open on payments (company_id, cart_id) where order_id is null and status = 'action_required';
create index payments_order on payments (company_id, order_id) where order_id is not null;
create index payments_unused on payments (company_id, updated_at) where order_id is null;
