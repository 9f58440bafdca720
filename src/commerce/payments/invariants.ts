import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const paymentInvariants: Invariant[] = [
  {
    id: 'M1.money',
    promise: 'Money that a service has taken has an order, or is being given back, or somebody is told',
    fix: 'Fetch the payment from its service: POST /carts/{id}/confirm, or wait for its next fetch',
    violations: sql`
      select p.company_id, 'payment ' || p.id as subject
      from payments p
      where p.provider <> 'manual' and (p.order_id is null or p.wrong) and p.attention is null
        and (p.captured > p.refunded + p.refund_pending + p.disputed or (p.status = 'authorized' and p.updated_at < now() - interval '15 minutes'))
        and not exists (
          select from payment_operations o
          where o.company_id = p.company_id and o.payment_id = p.id and o.kind in ('cancel', 'refund') and o.due_at > now() - interval '15 minutes')
        and not exists (
          select from carts c where c.company_id = p.company_id and c.id = p.cart_id and c.status = 'paying')
      limit 1000`,
  },
  {
    id: 'M2.pending',
    promise: 'No more is asked of a service than the buyer has authorized, or than was captured',
    fix: 'Compare the payment with its operations, and report the difference',
    violations: sql`
      select p.company_id, 'payment ' || p.id as subject
      from payments p
      where p.provider <> 'manual'
        and (p.captured + p.capture_pending > p.authorized or (p.refund_pending > 0 and p.refunded + p.refund_pending > p.captured))
      limit 1000`,
  },
  {
    id: 'M3.payments',
    promise:
      'What was received, given back and charged back for a payment is what the ledger says, which has no wrong money',
    fix: 'The ledger is right: set captured, refunded and disputed of the payment to its sums',
    violations: sql`
      select coalesce(p.company_id, l.company_id) as company_id, 'payment ' || coalesce(p.id, l.payment_id) as subject
      from (
        select company_id, id, captured, refunded, disputed from payments
        where (captured <> 0 or refunded <> 0 or disputed <> 0) and order_id is not null and not wrong
      ) p
      full join (
        select company_id, payment_id, coalesce(sum(amount) filter (where kind in ('manual', 'capture')), 0) as captured,
          -coalesce(sum(amount) filter (where kind in ('refund', 'refund_reversed')), 0) as refunded,
          -coalesce(sum(amount) filter (where kind in ('chargeback', 'chargeback_reversed')), 0) as disputed
        from order_ledger where payment_id is not null group by company_id, payment_id
      ) l on l.company_id = p.company_id and l.payment_id = p.id
      where (p.captured, p.refunded, p.disputed) is distinct from (l.captured, l.refunded, l.disputed)
      limit 1000`,
  },
  {
    id: 'M4.open',
    promise: 'A cart or an order has at most one payment by a service that has not ended',
    fix: 'Cancel all but one of the payments',
    violations: sql`
      select company_id, 'cart ' || coalesce(cart_id, 0) || ' order ' || coalesce(order_id, 0) as subject
      from payments
      where provider <> 'manual' and status in ('created', 'action_required', 'processing', 'authorized')
      group by company_id, order_id, cart_id having count(*) > 1
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
          coalesce(sum(amount) filter (where kind in ('manual', 'capture')), 0) as paid,
          -coalesce(sum(amount) filter (where kind in ('refund', 'refund_reversed', 'chargeback', 'chargeback_reversed')), 0) as refunded,
          sum(amount) filter (where kind = 'order') as total, count(*) filter (where kind = 'order') as orders
        from order_ledger group by company_id, order_id
      ) l on l.company_id = b.company_id and l.order_id = b.order_id
      left join orders o on o.company_id = l.company_id and o.id = l.order_id
      where (b.charged, b.paid, b.refunded) is distinct from (l.charged, l.paid, l.refunded)
        or l.orders is distinct from 1 or l.total is distinct from o.total
      limit 1000`,
  },
  {
    id: 'M7.given_back',
    promise: 'What was given back of the total of an order follows from its payments and refunds',
    fix: 'Set given_back of orders to given_back_of(total, paid, refunded), or 0 without a ledger',
    violations: sql`
      select o.company_id, 'order ' || o.id as subject
      from orders o
      left join order_balances b on b.company_id = o.company_id and b.order_id = o.id
      where o.given_back <> coalesce(given_back_of(o.total, b.paid, b.refunded), 0)
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
        select company_id, refund_id, -sum(amount) as amount from order_ledger
        where kind = 'refund' and refund_id is not null group by company_id, refund_id
      ) l on l.company_id = r.company_id and l.refund_id = r.id
      where r.id is null or case when r.status = 'done' then r.amount is distinct from l.amount else r.amount < l.amount end
      union all
      select l.company_id, 'line ' || l.line_id
      from (select company_id, order_id, line_id, sum(qty) as qty from refund_lines group by 1, 2, 3) l
      left join order_items i on i.company_id = l.company_id and i.order_id = l.order_id and i.id = l.line_id
      where l.qty > coalesce(i.qty, 0)
      limit 1000`,
  },
  {
    id: 'M6.calls',
    promise: 'Calls to services that nobody waits for any more are taken over within five minutes',
    fix: 'Start a process with workers',
    violations: sql`
      select company_id, 'operation ' || id as subject from payment_operations
      where state = 'calling' and due_at < now() - interval '5 minutes'
      limit 1000`,
  },
];
