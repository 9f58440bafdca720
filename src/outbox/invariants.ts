import type { Invariant } from '../db/invariant.ts';
import { differingTotals } from '../db/kept-totals.ts';
import { sql } from '../db/sql.ts';

export const outboxInvariants: Invariant[] = [
  {
    id: 'outbox.refused',
    promise: 'Every event of the shop has reached the marketing side',
    fix: 'Look at them with tradeloom outbox refused, remove the cause, and transfer them with tradeloom outbox replay',
    violations: sql`
      select company_id,
        count(*) || ' refused events, the last for: ' || (array_agg(reason order by refused_at desc))[1] as subject
      from outbox_refusals group by company_id order by company_id
      limit 1000`,
  },
  {
    id: 'lists.webhook-deliveries',
    promise: "The kept totals of an endpoint's deliveries are their counts",
    fix: 'Rebuild list_counts from the deliveries',
    violations: differingTotals({
      lists: "list like 'webhook-deliveries:%'",
      counted: sql`
        select company_id, 'webhook-deliveries:' || endpoint_id as list, status as facet, count(*) as n
        from webhook_deliveries group by 1, 2, 3`,
    }),
  },
];
