import { hideFromPlanner } from '../../db/planner-hints.ts';
import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Pass } from './pass-queries.ts';

/** Products kept per category. Messages show fewer, since products that are sold out by then are left out. */
const MOST_OF_CATEGORY = 40;
/** Products kept per product as bought with it. */
export const MOST_BESIDE = 24;
/** Newest orders of a product that are searched for what was bought with it. */
export const ORDERS_OF_PRODUCT = 500;

/** Adds up the next orders, newest first; variants count as their parents. Returns how many there were and the lowest id; null where none was left. */
export async function addSales(
  tx: Tx,
  companyId: number,
  { pass, since, lowest, position }: Pass,
  limit: number,
): Promise<{ orders: number; lowest: number | null }> {
  // For a company that statistics do not know yet, the planner would read whole indexes for each row.
  const hidden = hideFromPlanner(companyId);
  const rows = await tx.query<{ orders: number; lowest: number | null }>(sql`
    with taken as materialized (
      select id, status, created_at from orders
      where company_id = ${companyId} and id >= ${lowest}::bigint
        and id < coalesce(${position}::bigint, ${Number.MAX_SAFE_INTEGER}::bigint)
      order by id desc limit ${limit}
    ),
    sums as (
      select coalesce(p.variant_of, i.product_id) as product_id, sum(i.qty)::bigint as qty
      from taken join order_items i on i.company_id = ${hidden} and i.order_id = taken.id
      left join products p on p.company_id = ${hidden} and p.id = i.product_id
      where taken.status <> 'cancelled' and taken.created_at >= ${since}
      group by 1 order by 1
    ),
    written as (
      insert into product_sales as s (company_id, product_id, pass, qty)
      select ${companyId}, product_id, ${pass}, qty from sums
      on conflict (company_id, product_id) do update set pass = excluded.pass,
        qty = excluded.qty + case when s.pass = excluded.pass then s.qty else 0 end
    )
    select count(*)::int as orders, min(id) as lowest from taken`);
  return rows[0]!;
}

/** Ranks the products of the whole shop. */
export async function rankShop(tx: Tx, companyId: number, pass: number): Promise<void> {
  await tx.query(sql`delete from best_sellers where company_id = ${companyId} and category = ''`);
  await tx.query(sql`
    insert into best_sellers (company_id, category, place, product_id, pass)
    select ${companyId}, '', row_number() over (order by s.qty desc, s.product_id), s.product_id, ${pass}
    from product_sales s
    join products p on p.company_id = s.company_id and p.id = s.product_id and p.archived_at is null and p.in_stock
    where s.company_id = ${companyId} and s.pass = ${pass}
    order by s.qty desc, s.product_id limit ${MOST_OF_CATEGORY}`);
}

/** Ranks the products of the categories after the given one, in their order. Returns the categories. */
export async function rankCategories(
  tx: Tx,
  companyId: number,
  { pass, category }: Pass,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ slug: string }>(sql`
    select slug from categories where company_id = ${companyId} and slug > ${category}
    order by slug limit ${limit}`);
  const slugs = rows.map(({ slug }) => slug);
  if (slugs.length === 0) return [];
  await tx.query(sql`delete from best_sellers where company_id = ${companyId} and category = any(${slugs}::text[])`);
  await tx.query(sql`
    insert into best_sellers (company_id, category, place, product_id, pass)
    select ${companyId}, slug, place, product_id, ${pass} from (
      select c.slug, s.product_id,
        row_number() over (partition by c.slug order by s.qty desc, s.product_id) as place
      from product_categories c
      join product_sales s on s.company_id = c.company_id and s.product_id = c.product_id and s.pass = ${pass}
      join products p on p.company_id = c.company_id and p.id = c.product_id and p.archived_at is null and p.in_stock
      where c.company_id = ${companyId} and c.slug = any(${slugs}::text[])
    ) ranked where place <= ${MOST_OF_CATEGORY}`);
  return slugs;
}

/** Counts what was bought with the products after the given one, in their order. Returns the ids of those products. */
export async function countTogether(
  tx: Tx,
  companyId: number,
  { pass, since, lowest, position }: Pass,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ product_id: number }>(sql`
    select product_id from product_sales
    where company_id = ${companyId} and product_id > ${position ?? 0} and pass = ${pass}
    order by product_id limit ${limit}`);
  const ids = rows.map((row) => row.product_id);
  if (ids.length === 0) return [];
  await tx.query(
    sql`delete from products_together where company_id = ${companyId} and product_id = any(${ids}::bigint[])`,
  );
  const hidden = hideFromPlanner(companyId);
  // The lines are read from the orders, and only the pairs are looked up among the products: without statistics, the
  // planner would begin with the products, and read the orders again for each.
  await tx.query(sql`
    with lines as materialized (
      select t.id as product_id, newest.order_id, line.product_id as line_id
      from unnest(${ids}::bigint[]) as t (id)
      cross join lateral (
        select distinct of_one.order_id from (
          select t.id union all select id from products where company_id = ${hidden} and variant_of = t.id
        ) sold
        cross join lateral (
          select order_id from order_items
          where company_id = ${hidden} and product_id = sold.id and order_id >= ${lowest}::bigint
          order by order_id desc limit ${ORDERS_OF_PRODUCT}
        ) of_one
        order by order_id desc limit ${ORDERS_OF_PRODUCT}
      ) newest
      cross join lateral (
        select i.product_id
        from orders r join order_items i on i.company_id = r.company_id and i.order_id = r.id
        where r.company_id = ${hidden} and r.id = newest.order_id
          and r.status <> 'cancelled' and r.created_at >= ${since}
        offset 0
      ) line
    ),
    pairs as materialized (
      select lines.product_id, coalesce(p.variant_of, p.id) as other_id, count(distinct lines.order_id)::int as orders
      from lines join products p on p.company_id = ${hidden} and p.id = lines.line_id
      group by 1, 2
    )
    insert into products_together (company_id, product_id, other_id, orders)
    select ${companyId}, product_id, other_id, orders from (
      select pairs.product_id, pairs.other_id, pairs.orders,
        row_number() over (partition by pairs.product_id order by pairs.orders desc, pairs.other_id) as place
      from pairs join products p on p.company_id = ${hidden} and p.id = pairs.other_id
        and p.archived_at is null and p.in_stock
      where pairs.other_id <> pairs.product_id
    ) ranked where place <= ${MOST_BESIDE}`);
  return ids;
}

/** Removes products that were not sold in this pass, and categories that are gone. Returns how many. */
export async function forgetUnsold(tx: Tx, companyId: number, { pass }: Pass, limit: number): Promise<number> {
  const sold = await tx.query<{ product_id: number }>(sql`
    delete from product_sales where company_id = ${companyId} and product_id = any(array(
      select product_id from product_sales where company_id = ${companyId} and pass < ${pass}
      order by product_id limit ${limit}))
    returning product_id`);
  const ids = sold.map((row) => row.product_id);
  if (ids.length > 0) {
    await tx.query(sql`
      delete from products_together where company_id = ${companyId} and product_id = any(${ids}::bigint[])`);
  }
  const ranked = await tx.query(sql`
    delete from best_sellers where company_id = ${companyId} and (category, place) in (
      select category, place from best_sellers where company_id = ${companyId} and pass < ${pass} limit ${limit})
    returning place`);
  return Math.max(ids.length, ranked.length);
}
