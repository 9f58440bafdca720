-- What one order does, as one function: what PostgreSQL can do by itself. It writes the rows that placing an order
-- writes (see src/commerce/orders/placing/queries.ts); the prices are the products', tax and shipping are nothing.
create function bench_order(company bigint, customer bigint, ids bigint[], quantities int[]) returns bigint
language plpgsql as $$
declare
  placed bigint := nextval('orders_id_seq');
  moment timestamptz := clock_timestamp();
  who record;
  lines bigint[] := array(select nextval('order_items_id_seq') from generate_series(1, cardinality(ids)));
  names text[];
  skus text[];
  classes text[];
  -- Each an array as text.
  categories text[];
  prices bigint[];
  goods bigint;
  points bigint;
  short boolean;
begin
  select email, first_name, last_name into strict who from customers
  where company_id = company and id = customer and erased_at is null;
  select array_agg(name), array_agg(sku), array_agg(tax_class), array_agg(listed), array_agg(price), sum(price * qty),
    bool_or(stock_qty < qty or archived_at is not null)
  into names, skus, classes, categories, prices, goods, short
  from (
    select p.name, p.sku, p.tax_class, p.categories::text as listed, p.price, p.archived_at, s.stock_qty, t.qty
    from unnest(ids, quantities) as t (id, qty)
    join product_stock s on s.company_id = company and s.product_id = t.id
    join products p on p.company_id = company and p.id = t.id
    order by s.product_id for update of s
  ) locked;
  if short or coalesce(cardinality(names), 0) <> cardinality(ids) then raise exception 'not enough stock'; end if;
  points := goods / 100;

  insert into orders (company_id, id, customer_id, subtotal, discount, tax, shipping, total, shipping_address,
    shipping_city, shipping_zip, shipping_country, shipping_method, created_at, updated_at)
  overriding system value
  values (company, placed, customer, goods, 0, 0, 0, goods, '12 Harbour Street', 'Rotterdam', '3011 AB', 'NL', 'Standard',
    moment, moment);
  insert into order_items (company_id, id, order_id, line, product_id, product_name, qty, price, subtotal, sku, tax_class, categories)
  overriding system value
  select company, l.id, placed, line - 1, product, name, qty, price, price * qty, sku, class, listed::text[]
  from unnest(lines, ids, names, quantities, prices, skus, classes, categories) with ordinality
    as l (id, product, name, qty, price, sku, class, listed, line);
  update product_stock s set stock_qty = s.stock_qty - t.qty from unnest(ids, quantities) as t (id, qty)
  where s.company_id = company and s.product_id = t.id;
  insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
  select company, product, 'order', line, -qty, 'bench', moment from unnest(lines, ids, quantities) as t (line, product, qty);
  insert into order_history (company_id, order_id, type, to_status, actor, created_at)
  values (company, placed, 'created', 'pending', 'bench', moment);
  insert into customer_accounts as a (company_id, customer_id, order_count, points_balance, points_lifetime)
  values (company, customer, 1, points, points)
  on conflict (company_id, customer_id) do update set order_count = a.order_count + 1,
    points_balance = a.points_balance + points, points_lifetime = a.points_lifetime + points;
  insert into loyalty_ledger (company_id, customer_id, type, points, order_id, actor, created_at)
  values (company, customer, 'earn', points, placed, 'bench', moment);
  insert into outbox (company_id, topic, payload, occurred_at)
  select company, 'order_placed', jsonb_build_object('order_id', placed::text, 'customer_id', customer::text,
    'email', who.email, 'first_name', who.first_name, 'last_name', who.last_name, 'total', goods / 100.0,
    'subtotal', goods / 100.0, 'discount', 0, 'currency', 'USD', 'promo_code', null, 'is_subscription', false,
    'items', jsonb_agg(jsonb_build_object('product_id', id::text, 'name', name, 'price', price / 100.0, 'quantity', qty))),
    moment
  from unnest(ids, names, quantities, prices) as t (id, name, qty, price);
  return placed;
end $$;
