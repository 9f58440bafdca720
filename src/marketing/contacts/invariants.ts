import type { Invariant } from '../../db/invariant.ts';
import { rawSql, sql } from '../../db/sql.ts';

/** The stored totals by company and facet: `list_counts` plus the deltas that are not folded into it yet. */
function keptTotals(lists: string) {
  return rawSql(`(
    select company_id, list, facet, sum(n) as n from (
      select company_id, list, facet, n from list_counts where list ${lists}
      union all
      select company_id, list, facet, n from list_count_deltas where list ${lists}
    ) rows group by company_id, list, facet
  ) kept`);
}

export const contactInvariants: Invariant[] = [
  {
    id: 'lists.contacts',
    promise: 'The stored totals of contacts equal their counts',
    fix: 'Rebuild list_counts from the contacts',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id, 'contacts ' || facet as subject
      from ${keptTotals("= 'contacts'")}
      full join (
        select company_id, 'contacts' as list, status as facet, count(*) as n from contacts group by company_id, status
      ) counted using (company_id, list, facet)
      where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
  {
    id: 'lists.memberships',
    promise: 'The stored totals of lists equal the counts of their memberships',
    fix: 'Rebuild list_counts from the memberships',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id, list || ' ' || facet as subject
      from ${keptTotals("like 'list:%'")}
      full join (
        select company_id, 'list:' || list_id as list, status as facet, count(*) as n
        from list_memberships group by company_id, list_id, status
      ) counted using (company_id, list, facet)
      where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
  {
    id: 'I11.erased',
    promise: 'An erased contact does not exist',
    fix: 'After restoring a backup, erase the contacts of contact_erasures again',
    violations: sql`
      select company_id, 'contact ' || e.contact_id as subject
      from contact_erasures e join contacts c using (company_id) where c.id = e.contact_id
      limit 1000`,
  },
];
