import type { Invariant } from '../../../db/invariant.ts';
import { sql } from '../../../db/sql.ts';
import { HELD } from './keep-queries.ts';

export const facetInvariants: Invariant[] = [
  {
    id: 'C6.facets',
    promise:
      'The facet values of a parent or simple product are those of itself and its active variants, and a variant has none, unless they are being updated',
    fix: 'Change `filterable` of a custom field with PATCH /custom-fields/{id}, and change it back',
    violations: sql`
      with owner as materialized (
        select p.company_id, p.id from products p
        where p.variant_of is null and not exists (select from facet_updates u where u.company_id = p.company_id)
      ),
      held as (${HELD}),
      counted as (
        select h.company_id, h.owner as id, array_agg(k.id order by k.id) as facets
        from held h left join facet_values k on k.company_id = h.company_id and k.key = h.key and k.value = h.value
        group by 1, 2
      )
      select p.company_id, 'product ' || p.id as subject
      from products p left join owner w on w.company_id = p.company_id and w.id = p.id
      left join counted c on c.company_id = p.company_id and c.id = p.id
      where p.variant_of is not null and p.facets <> '{}'
        or w.id is not null and p.facets is distinct from coalesce(c.facets, '{}')
      limit 1000`,
  },
];
