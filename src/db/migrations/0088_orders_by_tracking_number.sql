-- migrate: outside-transaction

-- Orders are searched by tracking number, in any case and with or without spaces. An order that is placed has none and writes
-- nothing here.
create index concurrently if not exists orders_tracking
  on orders (company_id, lower(replace(tracking_number, ' ', ''))) where tracking_number is not null;
