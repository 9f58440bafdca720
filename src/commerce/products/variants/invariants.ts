import type { Invariant } from '../../../db/invariant.ts';
import { sql } from '../../../db/sql.ts';

export const variantInvariants: Invariant[] = [
  {
    id: 'C1.parents',
    promise:
      'A variant names a parent of its company, which is no variant itself, and no line, movement, reservation or subscription names a parent',
    fix: 'Compare the product with the audit log',
    violations: sql`
      select v.company_id, 'product ' || v.id as subject
      from products v left join products p on p.company_id = v.company_id and p.id = v.variant_of
      where v.variant_of is not null and (p.id is null or p.variant_of is not null or v.variant_count > 0)
      union all
      select p.company_id, 'product ' || p.id
      from products p
      where p.variant_count > 0 and (
        exists (select from stock_movements m where m.company_id = p.company_id and m.product_id = p.id)
        or exists (select from order_items i where i.company_id = p.company_id and i.product_id = p.id)
        or exists (select from reservation_items r where r.company_id = p.company_id and r.product_id = p.id)
        or exists (select from subscriptions s where s.company_id = p.company_id and s.product_id = p.id))
      limit 1000`,
  },
  {
    id: 'C2.shared',
    promise: 'A variant has the name and the categories of its parent, and is in no category and no collection itself',
    fix: "Save the parent's name and categories again with PATCH /products/{id}",
    violations: sql`
      select v.company_id, 'product ' || v.id as subject
      from products v join products p on p.company_id = v.company_id and p.id = v.variant_of
      where v.name <> left(p.name || ' – ' || v.title, 255) or v.categories <> p.categories or v.description <> ''
        or exists (select from product_categories c where c.company_id = v.company_id and c.product_id = v.id)
        or exists (select from collection_products m where m.company_id = v.company_id and m.product_id = v.id)
      limit 1000`,
  },
  {
    id: 'C3.options',
    promise: 'A variant has one value for each option of its parent, among its values unless the variant is archived',
    fix: 'Compare the options of the variant with those of its parent',
    violations: sql`
      select v.company_id, 'product ' || v.id as subject
      from products v join products p on p.company_id = v.company_id and p.id = v.variant_of
      where jsonb_array_length(v.options) <> jsonb_array_length(p.options) or exists (
        select from jsonb_array_elements(p.options) with ordinality as o (option, n)
        where v.options -> (n::int - 1) ->> 'name' is distinct from option ->> 'name'
          or v.archived_at is null and not option -> 'values' @> (v.options -> (n::int - 1) -> 'value'))
      limit 1000`,
  },
  {
    id: 'C4.kept',
    promise: 'What a parent keeps of its variants equals a recount, and it has no stock of its own',
    fix: 'select update_parent(company_id, product_id)',
    violations: sql`
      select p.company_id, 'product ' || p.id as subject
      from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
      left join (
        select company_id, variant_of, count(*) as n, bool_or(in_stock) filter (where archived_at is null) as in_stock,
          bool_or(subscription_enabled) filter (where archived_at is null) as subscription_enabled,
          coalesce(min(price) filter (where archived_at is null), min(price)) as price,
          coalesce(max(price) filter (where archived_at is null), max(price)) as price_max
        from products where variant_of is not null group by company_id, variant_of
      ) v on v.company_id = p.company_id and v.variant_of = p.id
      where p.variant_count <> coalesce(v.n, 0) or p.variant_count > 0 and (
        s.stock_qty <> 0 or p.in_stock <> coalesce(v.in_stock, false) or p.price <> v.price
        or p.price_max is distinct from v.price_max or p.subscription_enabled <> coalesce(v.subscription_enabled, false))
      limit 1000`,
  },
];
