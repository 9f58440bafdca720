import type { Queryable } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import { NOT_SOLD } from '../products/variants/conditions.ts';

/** The fields of a product that messages show. */
export interface ProductRow {
  id: number;
  name: string;
  slug: string;
  price: number;
  exponent: number;
  currency: string;
  image: string | null;
  /** The shop's product page, with {slug}; null if the brand kit does not define it. */
  product_url: string | null;
  archived: boolean;
}

/** The columns of a product `p` and its company `c`. A variant without pictures has those of its parent. */
const SHOWN = rawSql(`p.id, p.name, p.slug, p.price, c.currency_exponent as exponent, c.currency,
  c.settings->'brand'->>'product_url' as product_url, ${NOT_SOLD.text} as archived,
  (select i->>'url' from jsonb_array_elements(case when p.variant_of is null or p.images <> '[]' then p.images else (
      select q.images from products q where q.company_id = p.company_id and q.id = p.variant_of) end) i
    where (i->>'is_primary')::boolean limit 1) as image`);

export async function findProducts(db: Queryable, companyId: number, ids: number[]): Promise<ProductRow[]> {
  return db.query<ProductRow>(sql`
    select ${SHOWN} from products p join companies c on c.company_id = p.company_id
    where p.company_id = ${companyId} and p.id = any(${ids}::bigint[])`);
}

/** Returns available best sellers of each category, in order, at most `most` each; '' is the whole shop. */
export async function findBestSellers(
  db: Queryable,
  companyId: number,
  categories: string[],
  most: number,
): Promise<(ProductRow & { category: string })[]> {
  return db.query<ProductRow & { category: string }>(sql`
    select t.category, ${SHOWN}
    from unnest(${categories}::text[]) as t (category)
    cross join lateral (
      select b.product_id, b.place from best_sellers b
      join products p on p.company_id = b.company_id and p.id = b.product_id and p.archived_at is null and p.in_stock
      where b.company_id = ${companyId} and b.category = t.category
      order by b.place limit ${most}
    ) best
    join products p on p.company_id = ${companyId} and p.id = best.product_id
    join companies c on c.company_id = p.company_id
    order by t.category, best.place`);
}

/** Newest orders of a customer among which the latest is searched: imported orders may be older than their ids suggest. */
const NEWEST_ORDERS = 20;

/**
 * Returns the available products most often bought with those of each customer's latest order, without those themselves; at most `most` per
 * customer.
 */
export async function findBoughtTogether(
  db: Queryable,
  companyId: number,
  customerIds: number[],
  most: number,
): Promise<(ProductRow & { customer_id: number })[]> {
  return db.query<ProductRow & { customer_id: number }>(sql`
    select t.id as customer_id, ${SHOWN}
    from unnest(${customerIds}::bigint[]) as t (id)
    cross join lateral (
      select id from (
        select id, created_at from orders
        where company_id = ${companyId} and customer_id = t.id and status <> 'cancelled'
        order by id desc limit ${NEWEST_ORDERS}
      ) newest
      order by created_at desc, id desc limit 1
    ) latest
    cross join lateral (
      select array_agg(distinct coalesce(v.variant_of, v.id)) as ids
      from order_items i join products v on v.company_id = i.company_id and v.id = i.product_id
      where i.company_id = ${companyId} and i.order_id = latest.id
    ) bought
    cross join lateral (
      select g.other_id, sum(g.orders) as orders
      from products_together g
      join products p on p.company_id = g.company_id and p.id = g.other_id and p.archived_at is null and p.in_stock
      where g.company_id = ${companyId} and g.product_id = any(bought.ids) and g.other_id <> all(bought.ids)
      group by g.other_id order by sum(g.orders) desc, g.other_id limit ${most}
    ) beside
    join products p on p.company_id = ${companyId} and p.id = beside.other_id
    join companies c on c.company_id = p.company_id
    order by t.id, beside.orders desc, p.id`);
}
