-- The same in a company with several locations: levels are read under the stock lock, and each line has an allocation. The main location has
-- enough of everything, so no level changes.
create function bench_order_at_locations(company bigint, customer bigint, ids bigint[], quantities int[], place bigint) returns bigint
language plpgsql as $$
declare
  placed bigint;
begin
  perform from product_stock where company_id = company and product_id = any(ids) order by product_id for update;
  perform available from stock_levels where company_id = company and product_id = any(ids);
  placed := bench_order(company, customer, ids, quantities);
  insert into order_allocations (company_id, order_id, line_id, location_id, qty)
  select company, placed, i.id, place, i.qty from order_items i where i.company_id = company and i.order_id = placed;
  return placed;
end $$;
