-- The order of a cart with three lines of one unit, as the program keeps it (FrozenOrder).
create function bench_frozen(company bigint, ids bigint[]) returns jsonb language sql stable as $$
  select jsonb_build_object('lines', jsonb_agg(jsonb_build_object('product_id', p.id, 'parent_id', null, 'name', p.name,
      'title', null, 'sku', p.sku, 'options', '[]'::jsonb, 'tax_class', p.tax_class, 'categories', p.categories, 'tracked', true,
      'qty', 1, 'price', p.price, 'subtotal', p.price, 'discount', 0, 'tax', 0) order by p.id),
    'subtotal', sum(p.price), 'discount', 0, 'promo_discount', 0, 'points_discount', 0, 'points_redeemed', 0, 'promo', null,
    'shipping', 0, 'shipping_method', null, 'tax', 0, 'tax_lines', '[]'::jsonb, 'total', sum(p.price), 'country', 'NL', 'state', '')
  from products p where p.company_id = company and p.id = any(ids)
$$;

-- Creates carts with an address, a customer and three lines each, with ids from `first` on; with `method`, reserved by it.
create function bench_fill_carts(company bigint, first bigint, count int, first_product bigint, first_customer bigint, method bigint)
returns void language plpgsql as $$
declare
  third int := (select count(*) / 3 from products where company_id = company);
begin
  create temporary table filled on commit drop as
    select first + n as id, first_customer + n % 1000 as customer,
      array[first_product + n % third, first_product + third + n * 7 % third, first_product + 2 * third + n * 13 % third] as ids
    from generate_series(0, count - 1) n;
  insert into carts (company_id, id, status, origin, customer_id, lines, last_line_id, shipping_address, shipping_city, shipping_zip,
    shipping_country, frozen, created_at, updated_at)
  overriding system value
  select company, f.id, case when method is null then 'open' else 'paying' end, 'api', f.customer,
    (select jsonb_agg(jsonb_build_object('id', i, 'product_id', f.ids[i], 'qty', 1, 'added_price', 100, 'price_override', null,
      'override_reason', null)) from generate_series(1, 3) i), 3, '12 Harbour Street', 'Rotterdam', '3011 AB', 'NL',
    case when method is not null then bench_frozen(company, f.ids) end, now(), now()
  from filled f;
  if method is null then return; end if;
  insert into reservations (company_id, cart_id, reserved_until, customer_id, created_at)
  select company, id, now() + interval '7 days', customer, now() from filled;
  with items as (
    insert into reservation_items (company_id, cart_id, product_id, qty)
    select company, f.id, product, 1 from filled f, unnest(f.ids) product returning id, product_id
  )
  insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
  select company, product_id, 'reserve', id, -1, 'bench', now() from items;
  update product_stock s set stock_qty = s.stock_qty - t.qty
  from (select product, count(*)::int as qty from filled, unnest(ids) product group by 1) t
  where s.company_id = company and s.product_id = t.product;
  insert into payments (company_id, cart_id, method_id, provider, label, amount, status, reference, due_on, created_at, updated_at)
  select company, c.id, method, 'manual', 'Transfer', (c.frozen ->> 'total')::bigint, 'action_required', 'PAY-' || c.id,
    current_date + 7, now(), now()
  from carts c where c.company_id = company and c.id between first and first + count - 1;
end $$;

-- What paying by bank transfer does with a cart of three lines, as one function: the rows that the program locks, reads and writes.
create function bench_reserve(company bigint, cart bigint, method bigint) returns void language plpgsql as $$
declare
  moment timestamptz := clock_timestamp();
  payment bigint := nextval('payments_id_seq');
  given record;
  who record;
  ids bigint[];
  short boolean;
  kept jsonb;
begin
  select customer_id, lines into strict given from carts
  where company_id = company and id = cart and status = 'open' for no key update;
  select email, first_name, last_name into strict who from customers
  where company_id = company and id = given.customer_id and erased_at is null;
  select array_agg(id), bool_or(stock_qty < qty or archived_at is not null) into ids, short
  from (
    select p.id, p.archived_at, s.stock_qty, l.qty
    from jsonb_to_recordset(given.lines) as l (product_id bigint, qty int)
    join product_stock s on s.company_id = company and s.product_id = l.product_id
    join products p on p.company_id = company and p.id = l.product_id
    order by s.product_id for update of s
  ) locked;
  if short or coalesce(cardinality(ids), 0) <> 3 then raise exception 'not enough stock'; end if;
  kept := bench_frozen(company, ids);
  insert into reservations (company_id, cart_id, reserved_until, customer_id, created_at)
  values (company, cart, moment + interval '7 days', given.customer_id, moment);
  with items as (
    insert into reservation_items (company_id, cart_id, product_id, qty) select company, cart, product, 1 from unnest(ids) product
    returning id, product_id
  )
  insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
  select company, product_id, 'reserve', id, -1, 'bench', moment from items;
  update product_stock set stock_qty = stock_qty - 1 where company_id = company and product_id = any(ids);
  insert into payments (company_id, id, cart_id, method_id, provider, label, amount, status, reference, due_on, created_at, updated_at)
  overriding system value
  values (company, payment, cart, method, 'manual', 'Transfer', (kept ->> 'total')::bigint, 'action_required', 'PAY-' || payment,
    moment::date + 7, moment, moment);
  update carts set status = 'paying', frozen = kept, updated_at = moment where company_id = company and id = cart;
  insert into outbox (company_id, topic, payload, occurred_at)
  values (company, 'payment_pending', jsonb_build_object('customer_id', given.customer_id::text, 'email', who.email,
    'first_name', who.first_name, 'last_name', who.last_name, 'cart_id', cart::text, 'payment_id', payment::text,
    'method', 'Transfer', 'amount', (kept ->> 'total')::bigint / 100.0, 'currency', 'USD', 'reference', 'PAY-' || payment,
    'due_on', moment::date + 7, 'instructions', null), moment);
end $$;

-- What placing a reserved cart of three lines does, as one function. The stock was taken by the reservation.
create function bench_place_reserved(company bigint, cart bigint) returns bigint language plpgsql as $$
declare
  placed bigint := nextval('orders_id_seq');
  moment timestamptz := clock_timestamp();
  given record;
  who record;
  goods bigint;
  points bigint;
begin
  select customer_id, frozen into strict given from carts
  where company_id = company and id = cart and status = 'paying' for no key update;
  select email, first_name, last_name into strict who from customers
  where company_id = company and id = given.customer_id and erased_at is null;
  goods := (given.frozen ->> 'total')::bigint;
  points := goods / 100;
  insert into orders (company_id, id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city,
    shipping_zip, shipping_country, cart_id, origin, created_at, updated_at)
  overriding system value
  values (company, placed, given.customer_id, goods, 0, 0, 0, goods, '12 Harbour Street', 'Rotterdam', '3011 AB', 'NL', cart, 'api',
    moment, moment);
  with lines as (
    insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal, sku, tax_class, categories)
    select company, placed, line - 1, product_id, name, qty, price, subtotal, sku, tax_class, categories
    from rows from (jsonb_to_recordset(given.frozen -> 'lines') as (product_id bigint, name text, qty int, price bigint,
      subtotal bigint, sku text, tax_class text, categories text[])) with ordinality
      as l (product_id, name, qty, price, subtotal, sku, tax_class, categories, line)
    returning id, product_id, qty
  ),
  ended as (
    delete from reservation_items where company_id = company and cart_id = cart returning id, product_id, qty
  )
  insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
  select company, product_id, 'release', id, qty, 'bench', moment from ended
  union all select company, product_id, 'order', id, -qty, 'bench', moment from lines;
  delete from reservations where company_id = company and cart_id = cart;
  insert into order_history (company_id, order_id, type, to_status, actor, created_at)
  values (company, placed, 'created', 'pending', 'bench', moment);
  insert into customer_accounts as a (company_id, customer_id, order_count, points_balance, points_lifetime)
  values (company, given.customer_id, 1, points, points)
  on conflict (company_id, customer_id) do update set order_count = a.order_count + 1,
    points_balance = a.points_balance + points, points_lifetime = a.points_lifetime + points;
  insert into loyalty_ledger (company_id, customer_id, type, points, order_id, actor, created_at)
  values (company, given.customer_id, 'earn', points, placed, 'bench', moment);
  update payments set order_id = placed, updated_at = moment
  where company_id = company and cart_id = cart and order_id is null and status = 'action_required';
  update carts set status = 'placed', updated_at = moment where company_id = company and id = cart;
  insert into outbox (company_id, topic, payload, occurred_at)
  select company, 'order_placed', jsonb_build_object('order_id', placed::text, 'customer_id', given.customer_id::text,
    'email', who.email, 'first_name', who.first_name, 'last_name', who.last_name, 'total', goods / 100.0,
    'subtotal', goods / 100.0, 'discount', 0, 'currency', 'USD', 'promo_code', null, 'is_subscription', false,
    'items', jsonb_agg(jsonb_build_object('product_id', product_id::text, 'name', name, 'price', price / 100.0, 'quantity', qty))),
    moment
  from jsonb_to_recordset(given.frozen -> 'lines') as l (product_id bigint, name text, price bigint, qty int);
  return placed;
end $$;
