import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { TargetShop } from './target.ts';

/** Creates the SQL functions that orders are compared to; the product itself has no such functions. */
export async function createOrderFunctions(client: pg.Client): Promise<void> {
  for (const name of ['order-function', 'order-full-function', 'order-locations-function', 'reservation-functions']) {
    await client.query(await readFile(new URL(`${name}.sql`, import.meta.url), 'utf8'));
  }
}

/** Fills a new company by SQL, with stock that does not run out. */
export async function fillShop(
  client: pg.Client,
  company: Pick<TargetShop, 'companyId' | 'key' | 'storeKey' | 'webhookSecret'>,
  size: { products: number; customers: number },
): Promise<TargetShop> {
  const { companyId } = company;
  const [firstProduct, lastProduct] = await idRange(
    client,
    `insert into products (company_id, name, slug, description, price, subscription_enabled, sku, categories, images,
       search, in_stock, created_at, updated_at)
     select $1, 'Product ' || n, 'product-' || n, 'What there is to say of product number ' || n || ', in one sentence.',
       100 + (n * 37) % 9900, n % 4 = 0, 'SKU-' || n, array['category-' || n % 20],
       json_build_array(json_build_object('url', 'https://shop.example/images/' || n || '.jpg', 'is_primary', true)),
       'product ' || n || ' what there is to say of product number ' || n || ', in one sentence.', true, now(), now()
     from generate_series(1, $2::int) n`,
    [companyId, size.products],
  );
  await client.query(
    `with stocked as (
       insert into product_stock (company_id, product_id, stock_qty)
       select $1, id, 1000000000 from products where company_id = $1 returning product_id, stock_qty
     )
     insert into stock_movements (company_id, product_id, kind, delta, actor, created_at)
     select $1, product_id, 'initial', stock_qty, 'bench', now() from stocked`,
    [companyId],
  );
  const [firstCustomer, lastCustomer] = await idRange(
    client,
    `insert into customers (company_id, email, first_name, last_name, search, created_at, updated_at)
     select $1, 'customer-' || n || '@shop.example', 'Ada', 'Number ' || n, 'ada number ' || n, now(), now()
     from generate_series(1, $2::int) n`,
    [companyId, size.customers],
  );
  return { ...company, firstProduct, lastProduct, firstCustomer, lastCustomer };
}

/** First and last of the ids that one insert returned: without concurrent inserts they have no gaps. */
async function idRange(client: pg.Client, insert: string, values: unknown[]): Promise<[number, number]> {
  const { rows } = await client.query<{ first: string; last: string }>(
    `with added as (${insert} returning id) select min(id) as first, max(id) as last from added`,
    values,
  );
  return [Number(rows[0]!.first), Number(rows[0]!.last)];
}

/** Taxes, shipping costs, a promo code for everybody and customers with points. */
export async function addTerms(client: pg.Client, { companyId }: TargetShop): Promise<void> {
  await client.query(
    `insert into tax_rules (company_id, name, country, rate, applies_to_shipping, created_at, updated_at)
     values ($1, 'Sales tax', 'NL', 82500, true, now(), now())`,
    [companyId],
  );
  await client.query(`update shipping_methods set config = '{"cost": 495}' where company_id = $1`, [companyId]);
  await client.query(
    `insert into promo_codes (company_id, code, type, value, usage_limit, created_at, updated_at)
     values ($1, 'BENCH', 'percent', '10000000', 2000000000, now(), now())`,
    [companyId],
  );
  await client.query(
    `with posted as (
       insert into loyalty_ledger (company_id, customer_id, type, points, actor, created_at)
       select $1, id, 'adjust', 1000000, 'bench', now() from customers where company_id = $1 returning customer_id, points
     )
     insert into customer_accounts (company_id, customer_id, points_balance) select $1, customer_id, points from posted`,
    [companyId],
  );
}

/** Adds orders of the last year, each of one line, spread evenly over the customers. Returns the id of the first. */
export async function addOrders(client: pg.Client, shop: TargetShop, count: number): Promise<number> {
  const customers = shop.lastCustomer - shop.firstCustomer + 1;
  await client.query(
    `with placed as (
       insert into orders (company_id, customer_id, status, subtotal, discount, tax, shipping, total, shipping_address,
         shipping_city, shipping_zip, shipping_country, shipping_method, created_at, updated_at)
       select $1, $2::bigint + n % $3::int, (array['pending', 'processing', 'shipped', 'delivered', 'delivered', 'cancelled'])[1 + n % 6],
         1000, 0, 0, 0, 1000, '12 Harbour Street', 'Rotterdam', '3011 AB', 'NL', 'Standard',
         now() - ($4::int - n) * interval '30 seconds', now()
       from generate_series(1, $4::int) n
       returning id
     )
     insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select $1, id, 0, $5, 'Product 1', 1, 1000, 1000 from placed`,
    [shop.companyId, shop.firstCustomer, customers, count, shop.firstProduct],
  );
  await client.query(
    `insert into customer_accounts (company_id, customer_id, order_count)
     select company_id, customer_id, count(*) from orders where company_id = $1 group by 1, 2`,
    [shop.companyId],
  );
  const { rows } = await client.query<{ first: string }>('select min(id) as first from orders where company_id = $1', [
    shop.companyId,
  ]);
  return Number(rows[0]!.first);
}
