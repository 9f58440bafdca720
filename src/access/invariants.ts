import { differingCounters } from '../db/counters.ts';
import type { Invariant } from '../db/invariant.ts';
import { sql } from '../db/sql.ts';

export const accessInvariants: Invariant[] = [
  {
    id: 'I1.answers',
    promise: 'An order that was acknowledged for an Idempotency-Key exists',
    fix: 'An acknowledged order is missing: restore it from a backup',
    violations: sql`
      select k.company_id, 'idempotency key ' || k.key as subject
      from idempotency_keys k
      where k.status = 201 and k.body like '{"success":true,"data":{"id":%,"customer_id":%,"status":"%","subtotal":%'
        and not exists (
          select 1 from orders o
          where o.company_id = k.company_id and o.id = (k.body::json -> 'data' ->> 'id')::bigint)
      limit 1000`,
  },
  {
    id: 'I14.audit',
    promise: 'The audit log of a company is one chain of seals without a gap',
    fix: 'Somebody changed the audit log past the program: compare it with a backup',
    violations: sql`
      select company_id, 'audit entry ' || id as subject from (
        select company_id, id, previous_hash, lag(hash) over w as sealed, lag(id) over w as before
        from audit_log window w as (partition by company_id order by id)
      ) chain
      where id <> coalesce(before, 0) + 1 or previous_hash is distinct from sealed
      limit 1000`,
  },
  {
    id: 'I14.values',
    promise: 'What the audit log shows of people is what was recorded',
    fix: 'Somebody changed values of the audit log past the program: compare them with a backup',
    violations: sql`
      select v.company_id, 'values of audit entry ' || v.entry_id as subject
      from audit_values v left join audit_log a on a.company_id = v.company_id and a.id = v.entry_id
      where a.details ->> 'values' is distinct from encode(sha256(v.salt || convert_to(v.shown::text, 'UTF8')), 'hex')
      limit 1000`,
  },
  {
    id: 'lists.audit',
    promise: 'The kept total of the audit log is the count of its entries',
    fix: 'Rebuild counter_totals from the audit log',
    violations: differingCounters({
      counters: "counter = 'audit_log'",
      counted: sql`
        select company_id, 'audit_log' as counter, '' as key, count(*) as n from audit_log group by 1`,
    }),
  },
];
