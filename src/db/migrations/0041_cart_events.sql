-- The events of carts: checkout_started, once for each cart, and cart_abandoned, once each time that a cart is left.
-- migrate: blocks carts: rewritten before the first release, when no shop has many carts
alter table carts
  -- The buyer's choice at the checkout; null: not asked.
  add column accepts_marketing boolean,
  -- When the cart had a buyer and lines for the first time.
  add column checkout_started_at timestamptz,
  -- The last change before the cart was abandoned; equal to updated_at until it changes again.
  add column abandoned_since timestamptz;
alter table carts
  -- The last change of a cart that may be abandoned, rounded down to 15 minutes, so that changes within that time leave its index alone.
  add column touched timestamptz generated always as (
    case when status = 'open' and origin in ('store', 'api') and lines <> '[]' and (customer_id is not null or email is not null)
      and abandoned_since is distinct from updated_at
      then date_bin('15 minutes', updated_at, '2000-01-01 00:00:00+00') end) stored;
create index carts_touched on carts (company_id, touched, id) where touched is not null;
drop trigger raise_revision on carts;
create trigger raise_revision before update on carts for each row
  execute function raise_revision('checkout_started_at', 'abandoned_since', 'touched', 'updated_at');
