import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const paymentInvariants: Invariant[] = [
  {
    id: 'M3.payments',
    promise: 'What was received and given back for a payment is what the ledger says',
    fix: 'The ledger is right: set captured and refunded of the payment to its sums',
    violations: sql`
      select coalesce(p.company_id, l.company_id) as company_id, 'payment ' || coalesce(p.id, l.payment_id) as subject
      from (select company_id, id, captured, refunded from payments where captured <> 0 or refunded <> 0) p
      full join (
        select company_id, payment_id, coalesce(sum(amount) filter (where kind = 'manual'), 0) as captured,
          -coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded
        from order_ledger where payment_id is not null group by company_id, payment_id
      ) l on l.company_id = p.company_id and l.payment_id = p.id
      where p.captured is distinct from l.captured or p.refunded is distinct from l.refunded
      limit 1000`,
  },
  {
    id: 'M5.cancelled',
    promise: 'Nothing is charged for a cancelled order',
    fix: 'Compare the order with its ledger, and report the difference',
    violations: sql`
      select b.company_id, 'order ' || b.order_id as subject
      from order_balances b join orders o on o.company_id = b.company_id and o.id = b.order_id
      where o.status = 'cancelled' and b.charged > 0
      limit 1000`,
  },
  {
    id: 'M7.balances',
    promise: 'The sums of a ledger are those of its lines, and it charges the total of its order once',
    fix: 'The lines are right: set order_balances to their sums',
    violations: sql`
      select coalesce(b.company_id, l.company_id) as company_id, 'order ' || coalesce(b.order_id, l.order_id) as subject
      from order_balances b
      full join (
        select company_id, order_id, sum(amount) filter (where kind in ('order', 'credit', 'cancel')) as charged,
          coalesce(sum(amount) filter (where kind = 'manual'), 0) as paid,
          -coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded,
          sum(amount) filter (where kind = 'order') as total, count(*) filter (where kind = 'order') as orders
        from order_ledger group by company_id, order_id
      ) l on l.company_id = b.company_id and l.order_id = b.order_id
      left join orders o on o.company_id = l.company_id and o.id = l.order_id
      where (b.charged, b.paid, b.refunded) is distinct from (l.charged, l.paid, l.refunded)
        or l.orders is distinct from 1 or l.total is distinct from o.total
      limit 1000`,
  },
  {
    id: 'M8.refunds',
    promise: 'Refunds give back what the ledger says, for at most the units of each line',
    fix: 'Compare the refunds of the order with its ledger, and report the difference',
    violations: sql`
      select coalesce(r.company_id, l.company_id) as company_id, 'refund ' || coalesce(r.id, l.refund_id) as subject
      from refunds r
      full join (
        select company_id, refund_id, -sum(amount) as amount from order_ledger where kind = 'refund' group by company_id, refund_id
      ) l on l.company_id = r.company_id and l.refund_id = r.id
      where r.amount is distinct from l.amount
      union all
      select l.company_id, 'line ' || l.line_id
      from (select company_id, order_id, line_id, sum(qty) as qty from refund_lines group by 1, 2, 3) l
      left join order_items i on i.company_id = l.company_id and i.order_id = l.order_id and i.id = l.line_id
      where l.qty > coalesce(i.qty, 0)
      limit 1000`,
  },
];
