import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** Places read per category; no more are kept (src/commerce/recommendations). */
const PLACES = 40;

/**
 * Returns the ids of products bought with a product, best first, followed by the best sellers of its categories, by place and id. Undefined
 * if there is no such product, by id (a number) or slug (a string).
 */
export async function findRelated(
  db: Queryable,
  companyId: number,
  ref: number | string,
  limit: number,
): Promise<number[] | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<{ ids: number[] }>(sql`
    select coalesce((
      select json_agg(id order by kind, rank, id) from (
        select c.id, min(c.kind) as kind, min(c.rank) as rank from (
          select other_id as id, 0 as kind, -orders as rank from products_together
          where company_id = ${companyId} and product_id = coalesce(p.variant_of, p.id)
          union all
          select product_id, 1, place from best_sellers
          where company_id = ${companyId} and category = any(p.categories) and place <= ${PLACES}
        ) c
        join products o on o.company_id = ${companyId} and o.id = c.id and o.archived_at is null and o.in_stock
        where c.id <> coalesce(p.variant_of, p.id)
        group by c.id order by min(c.kind), min(c.rank), c.id limit ${limit}
      ) related
    ), '[]'::json) as ids
    from products p where p.company_id = ${companyId} and ${by}`);
  return rows[0]?.ids;
}
