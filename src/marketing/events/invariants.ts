import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const eventInvariants: Invariant[] = [
  {
    id: 'events.totals',
    promise: 'The totals of contacts are the sums of their past events, those that were removed for their age included',
    fix: 'Empty event_totals and set added_up_to of event_totals_state to null: the next minutes add them up again',
    violations: sql`
      select company_id, 'contact ' || contact_id || ' ' || event_type as subject
      from (
        select company_id, event_type, contact_id, n, amount, case when n > 0 then first_at end as first_at,
          case when n > 0 then last_at end as last_at
        from event_totals
        union all
        select company_id, event_type, contact_id, -count(*), -coalesce(sum(event_amount(event_type, amount, data)), 0),
          min(occurred_at), max(occurred_at)
        from events
        where received_at < (select added_up_to from event_totals_state)
        group by company_id, event_type, contact_id
      ) both_ways
      group by company_id, event_type, contact_id
      -- Of removed events the totals are all that is left.
      having case
        when company_id in (
          select p.company_id from retention_progress p join companies c using (company_id)
          where p.kind = 'events' and p.removed_before > c.created_at) then sum(n) < 0
        else sum(n) <> 0 or sum(amount) <> 0 or min(first_at) <> max(first_at) or min(last_at) <> max(last_at) end
      limit 1000`,
  },
];
