-- migrate: outside-transaction
-- A cart has at most one order.
create unique index concurrently if not exists orders_cart on orders (company_id, cart_id) where cart_id is not null;
