-- What the shop's people write down about a customer, or about one of the customer's orders.
create table notes (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- Of an order's note the order's customer: an erasure and an export find every note by it.
  customer_id bigint not null,
  order_id bigint,
  text text not null check (length(text) between 1 and 5000),
  actor text not null,
  -- As the person was called then; null for a key.
  actor_name text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index notes_customer on notes (company_id, customer_id, id);
create index notes_order on notes (company_id, order_id, id) where order_id is not null;
