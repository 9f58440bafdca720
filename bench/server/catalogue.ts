import type pg from 'pg';
import type { TargetShop } from './target.ts';

/** Gives products categories and values of three filterable custom fields, of which the last is a list. */
export async function addFacets(client: pg.Client, { companyId, firstProduct }: TargetShop): Promise<void> {
  await client.query(
    `insert into custom_fields (company_id, "on", key, name, type, list, filterable, position, created_at, updated_at)
     select $1, 'product', key, initcap(key), 'text', key = 'material', true, n, now(), now()
     from unnest(array['colour', 'size', 'material']) with ordinality as f (key, n)`,
    [companyId],
  );
  await client.query(
    `insert into facet_values (company_id, key, value)
     select $1, 'custom.' || key, key || n
     from (values ('colour', 20), ('size', 10), ('material', 30)) as f (key, values), generate_series(0, values - 1) n`,
    [companyId],
  );
  await client.query(
    `update products p set (custom, facets) = (
       select jsonb_build_object('colour', colour, 'size', size, 'material', jsonb_build_array(one, other)), array(
         select k.id from facet_values k
         where k.company_id = $1 and (k.key, k.value) in (
           ('custom.colour', colour), ('custom.size', size), ('custom.material', one), ('custom.material', other))
         order by k.id)
       from (select (p.id - $2::bigint)::int as n) numbered
       cross join lateral (
         select 'colour' || n % 20 as colour, 'size' || n / 7 % 10 as size, 'material' || n / 3 % 30 as one,
           'material' || (n / 3 + 11) % 30 as other
       ) drawn
     ) where p.company_id = $1`,
    [companyId, firstProduct],
  );
  // The values are kept already.
  await client.query('delete from facet_updates where company_id = $1', [companyId]);
  await client.query(
    `insert into categories (company_id, slug, name, created_at)
     select distinct $1::bigint, category, category, now() from products cross join unnest(categories) category where company_id = $1`,
    [companyId],
  );
  await client.query(
    `insert into product_categories (company_id, slug, product_id)
     select company_id, category, id from products cross join unnest(categories) category where company_id = $1`,
    [companyId],
  );
  await client.query('vacuum analyze products, facet_values, categories, product_categories');
}

/** Makes every product of a company the parent of so many variants, which differ in one option. */
export async function addVariants(client: pg.Client, { companyId }: TargetShop, variants: number): Promise<void> {
  await client.query(
    `with parents as (
       update products set variant_count = $2, price_max = price, sku = null,
         options = jsonb_build_array(jsonb_build_object('name', 'Size', 'values', (select jsonb_agg('Size ' || n) from generate_series(1, $2::int) n)))
       where company_id = $1 returning *
     )
     insert into products (company_id, name, slug, price, sku, categories, search, in_stock, variant_of, title, position, options, created_at, updated_at)
     select company_id, name || ' – Size ' || n, slug || '-size-' || n, price, 'V-' || id || '-' || n, categories,
       lower(name) || ' size ' || n, true, id, 'Size ' || n, n, jsonb_build_array(jsonb_build_object('name', 'Size', 'value', 'Size ' || n)), now(), now()
     from parents cross join generate_series(1, $2::int) n`,
    [companyId, variants],
  );
  await client.query(
    `insert into product_stock (company_id, product_id, stock_qty)
     select company_id, id, 1000 from products where company_id = $1 and variant_of is not null`,
    [companyId],
  );
  await client.query(
    `update product_stock s set stock_qty = 0 from products p
     where s.company_id = $1 and p.company_id = $1 and p.id = s.product_id and p.variant_of is null`,
    [companyId],
  );
  await client.query('update products set in_stock = true where company_id = $1', [companyId]);
  await client.query('vacuum analyze products, product_stock');
}

/** Adds two locations that have a part of the stock of each product. */
export async function addLocations(client: pg.Client, { companyId }: TargetShop): Promise<void> {
  await client.query(
    `insert into locations (company_id, name, online, position, created_at)
     select $1, 'Location ' || n, true, n, now() from generate_series(2, 3) n`,
    [companyId],
  );
  await client.query(
    `insert into stock_levels (company_id, product_id, location_id, available)
     select s.company_id, s.product_id, l.id, 1000
     from product_stock s join locations l on l.company_id = s.company_id and not l.main where s.company_id = $1`,
    [companyId],
  );
}
