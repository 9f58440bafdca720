import { rawSql } from '../../../db/sql.ts';

/** Whether a product, over alias p, or its parent is archived or a draft. */
export const NOT_SOLD = rawSql(`(p.archived_at is not null or (
    select q.archived_at from products q where q.company_id = p.company_id and q.id = p.variant_of) is not null)`);

/** How many variants an error lists. */
const CHOICES = 100;

/** Of alias p (products) if it is a parent: the first of its active variants as JSON; null for other products. */
export const ACTIVE_VARIANTS = rawSql(`case when p.variant_count > 0 then coalesce((
    select json_agg(json_build_object('id', v.id, 'title', v.title, 'options', v.options, 'price', v.price, 'in_stock', v.in_stock)
      order by v.position, v.id)
    from (
      select * from products where company_id = p.company_id and variant_of = p.id and archived_at is null
      order by position, id limit ${CHOICES}
    ) v
  ), '[]'::json) end`);
