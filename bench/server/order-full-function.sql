-- What an order with a promo code, tax, shipping and points does, as one function: the work of bench_order with the
-- promo locked and counted, its discount and the tax spread over the lines, and points redeemed. 10 % off, 8.25 % tax on
-- goods and shipping, 4.95 for shipping, as the bench's shop has it.
create function bench_order_full(company bigint, customer bigint, ids bigint[], quantities int[], redeemed bigint) returns bigint
language plpgsql as $$
declare
  placed bigint := nextval('orders_id_seq');
  moment timestamptz := clock_timestamp();
  who record;
  promo record;
  lines bigint[] := array(select nextval('order_items_id_seq') from generate_series(1, cardinality(ids)));
  names text[];
  skus text[];
  classes text[];
  -- Each an array as text.
  categories text[];
  prices bigint[];
  discounts bigint[];
  taxes bigint[];
  goods bigint;
  off bigint;
  tax bigint;
  carriage bigint := 495;
  points bigint;
  short boolean;
begin
  select id, code, used_count into strict promo from promo_codes
  where company_id = company and upper(code) = 'BENCH' and active for update;
  perform 1 from orders o where o.company_id = company and o.promo_code_id = promo.id and o.customer_id = customer and o.status <> 'cancelled' limit 1;
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
  perform 1 from customer_accounts a where a.company_id = company and a.customer_id = customer and a.points_balance >= redeemed for update;
  if not found then raise exception 'too few points'; end if;
  off := round(goods * 0.1) + redeemed;
  select array_agg(d), array_agg(round((price * qty - d) * 0.0825)::bigint) into discounts, taxes
  from (select price, qty, floor(off * price * qty / goods)::bigint as d from unnest(prices, quantities) as t (price, qty)) lines;
  off := (select sum(d) from unnest(discounts) d);
  tax := (select sum(t) from unnest(taxes) t) + round(carriage * 0.0825);
  points := (goods - off) / 100;

  insert into orders (company_id, id, customer_id, subtotal, discount, tax, shipping, total, promo_code_id, promo_code,
    points_redeemed, shipping_address, shipping_city, shipping_zip, shipping_country, shipping_method, tax_lines, created_at, updated_at)
  overriding system value
  values (company, placed, customer, goods, off, tax, carriage, goods - off + tax + carriage, promo.id, promo.code, redeemed,
    '12 Harbour Street', 'Rotterdam', '3011 AB', 'NL', 'Standard', jsonb_build_array(jsonb_build_object('name', 'Sales tax', 'rate', 82500, 'amount', tax)),
    moment, moment);
  insert into order_items (company_id, id, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax, sku,
    tax_class, categories)
  overriding system value
  select company, l.id, placed, line - 1, product, name, qty, price, price * qty, d, t, sku, class, listed::text[]
  from unnest(lines, ids, names, quantities, prices, discounts, taxes, skus, classes, categories) with ordinality
    as l (id, product, name, qty, price, d, t, sku, class, listed, line);
  update product_stock s set stock_qty = s.stock_qty - t.qty from unnest(ids, quantities) as t (id, qty)
  where s.company_id = company and s.product_id = t.id;
  insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
  select company, product, 'order', line, -qty, 'bench', moment from unnest(lines, ids, quantities) as t (line, product, qty);
  insert into order_history (company_id, order_id, type, to_status, actor, created_at)
  values (company, placed, 'created', 'pending', 'bench', moment);
  update customer_accounts a set order_count = a.order_count + 1, points_balance = a.points_balance + points - redeemed,
    points_lifetime = a.points_lifetime + points where a.company_id = company and a.customer_id = customer;
  insert into loyalty_ledger (company_id, customer_id, type, points, order_id, actor, created_at)
  values (company, customer, 'redeem', -redeemed, placed, 'bench', moment), (company, customer, 'earn', points, placed, 'bench', moment);
  update promo_codes set used_count = used_count + 1 where company_id = company and id = promo.id;
  insert into outbox (company_id, topic, payload, occurred_at)
  select company, 'order_placed', jsonb_build_object('order_id', placed::text, 'customer_id', customer::text,
    'email', who.email, 'first_name', who.first_name, 'last_name', who.last_name, 'total', (goods - off + tax + carriage) / 100.0,
    'subtotal', goods / 100.0, 'discount', off / 100.0, 'currency', 'USD', 'promo_code', promo.code, 'is_subscription', false,
    'items', jsonb_agg(jsonb_build_object('product_id', id::text, 'name', name, 'price', price / 100.0, 'quantity', qty))),
    moment
  from unnest(ids, names, quantities, prices) as t (id, name, qty, price);
  return placed;
end $$;
