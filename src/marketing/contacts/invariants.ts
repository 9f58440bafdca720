import { differingCounters } from '../../db/counters.ts';
import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const contactInvariants: Invariant[] = [
  {
    id: 'lists.contacts',
    promise: 'The stored totals of contacts equal their counts',
    fix: 'Rebuild counter_totals from the contacts',
    violations: differingCounters({
      counters: "counter = 'contacts'",
      counted: sql`
        select company_id, 'contacts' as counter, status as key, count(*) as n from contacts group by company_id, status`,
    }),
  },
  {
    id: 'lists.memberships',
    promise: 'The stored totals of lists equal the counts of their memberships',
    fix: 'Rebuild counter_totals from the memberships',
    violations: differingCounters({
      counters: "counter like 'list:%'",
      counted: sql`
        select company_id, 'list:' || list_id as counter, status as key, count(*) as n
        from list_memberships group by company_id, list_id, status`,
    }),
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
