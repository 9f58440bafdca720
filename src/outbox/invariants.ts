import type { Invariant } from '../db/invariant.ts';
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
];
