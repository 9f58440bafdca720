import { differingCounters } from '../db/counters.ts';
import type { Invariant } from '../db/invariant.ts';
import { rawSql, sql } from '../db/sql.ts';

export const commerceInvariants: Invariant[] = [
  {
    id: 'I3.totals',
    promise:
      "An order's subtotal is that of its lines, its tax that of its tax lines, its total subtotal − discount + tax + shipping, and none is negative",
    fix: 'Compare the order with its response in the log or in a backup',
    violations: sql`
      select coalesce(o.company_id, i.company_id) as company_id, 'order ' || coalesce(o.id, i.order_id) as subject
      from orders o
      full join (
        select company_id, order_id, sum(subtotal) as subtotal, sum(discount) as discount, sum(tax) as tax
        from order_items group by company_id, order_id
      ) i on i.company_id = o.company_id and i.order_id = o.id
      where o.subtotal is distinct from i.subtotal or o.discount is distinct from i.discount
        -- The rest of it is the tax on shipping.
        or o.tax < i.tax
        or o.tax <> (
          select coalesce(sum((line ->> 'amount')::bigint), 0) from jsonb_array_elements(o.tax_lines) as t (line))
        or o.total <> o.subtotal - o.discount + o.tax + o.shipping
        or least(o.subtotal, o.discount, o.tax, o.shipping, o.total) < 0
      limit 1000`,
  },
  {
    id: 'I4.balance',
    promise: "A customer's points are the sum of the loyalty ledger, and the lifetime points that of what was earned",
    fix: 'The ledger is right: set the account to its sums',
    violations: sql`
      select coalesce(a.company_id, l.company_id) as company_id, 'customer ' || coalesce(a.customer_id, l.customer_id) as subject
      from customer_accounts a
      full join (
        select company_id, customer_id, sum(points) as balance,
          coalesce(sum(points) filter (where type in ('earn', 'reverse_earn')), 0) as lifetime
        from loyalty_ledger group by company_id, customer_id
      ) l using (company_id, customer_id)
      where coalesce(a.points_balance, 0) <> coalesce(l.balance, 0)
        or coalesce(a.points_lifetime, 0) <> coalesce(l.lifetime, 0)
      limit 1000`,
  },
  {
    id: 'I4.reversal',
    promise: 'A cancelled order keeps no points: what it earned is reversed, what it redeemed is restored',
    fix: "Adjust the customer's points with POST /customers/{id}/loyalty/adjust",
    violations: sql`
      select o.company_id, 'order ' || o.id as subject
      from orders o join loyalty_ledger l on l.company_id = o.company_id and l.order_id = o.id
      where o.status = 'cancelled'
      group by o.company_id, o.id having sum(l.points) <> 0
      limit 1000`,
  },
  {
    id: 'I4.redeemed',
    promise: 'The points that an order was paid with are those that the ledger took for it',
    fix: "Adjust the customer's points with POST /customers/{id}/loyalty/adjust",
    violations: sql`
      select coalesce(o.company_id, l.company_id) as company_id, 'order ' || coalesce(o.id, l.order_id) as subject
      from (select * from orders where points_redeemed <> 0) o
      full join (select * from loyalty_ledger where type = 'redeem') l
        on l.company_id = o.company_id and l.order_id = o.id
      where o.points_redeemed is distinct from -l.points or o.customer_id is distinct from l.customer_id
      limit 1000`,
  },
  {
    id: 'I4.orders',
    promise: "The number of a customer's orders that is kept is the number there are",
    fix: 'Set customer_accounts.order_count to the count of orders',
    violations: sql`
      select coalesce(a.company_id, o.company_id) as company_id, 'customer ' || coalesce(a.customer_id, o.customer_id) as subject
      from customer_accounts a
      full join (
        select company_id, customer_id, count(*) as n from orders group by company_id, customer_id
      ) o using (company_id, customer_id)
      where coalesce(a.order_count, 0) <> coalesce(o.n, 0)
      limit 1000`,
  },
  {
    id: 'I4.figures',
    promise:
      'What a customer has spent and was refunded, as kept with what waits, are the sums of their orders that were not cancelled',
    fix: 'insert into customer_figure_deltas (company_id, customer_id, anew) values (…, …, true)',
    violations: sql`
      select f.company_id, 'customer ' || f.customer_id as subject
      from customer_figures f
      left join (
        select company_id, customer_id, sum(spent) as spent, sum(refunded) as refunded,
          bool_or(anew) as anew from customer_figure_deltas group by 1, 2
      ) d using (company_id, customer_id)
      left join (
        select company_id, customer_id, sum(total) filter (where status <> 'cancelled') as spent,
          sum(given_back) filter (where status <> 'cancelled') as refunded
        from orders group by 1, 2
      ) o using (company_id, customer_id)
      where d.anew is not true and (f.spent + coalesce(d.spent, 0), f.refunded + coalesce(d.refunded, 0))
        <> (coalesce(o.spent, 0), coalesce(o.refunded, 0))
      limit 1000`,
  },
  {
    id: 'I5.promos',
    promise:
      'The uses of a promo code are the orders with it that were not cancelled and the reservations with it, and at most its limit',
    fix: 'Set the used_count of the code to the number of its orders and reservations',
    violations: sql`
      select p.company_id, 'promo code ' || p.code as subject
      from promo_codes p
      left join (
        select company_id, promo_code_id, count(*) as n from orders
        where promo_code_id is not null and status <> 'cancelled' group by company_id, promo_code_id
      ) o on o.company_id = p.company_id and o.promo_code_id = p.id
      left join (
        select company_id, promo_code_id, count(*) as n from reservations
        where promo_code_id is not null group by company_id, promo_code_id
      ) r on r.company_id = p.company_id and r.promo_code_id = p.id
      where p.used_count <> coalesce(o.n, 0) + coalesce(r.n, 0) or p.used_count > p.usage_limit
      limit 1000`,
  },
  {
    id: 'I6.cycles',
    promise: 'Every order of a subscription is that of one of its dates, and every date ordered has its order',
    fix: 'Compare the subscription with its orders',
    violations: sql`
      select coalesce(c.company_id, o.company_id) as company_id,
        'subscription ' || coalesce(c.subscription_id, o.subscription_id) || ' order ' || coalesce(c.order_id, o.id) as subject
      from (select * from subscription_cycles where outcome = 'ordered') c
      full join (select * from orders where subscription_id is not null) o
        on o.company_id = c.company_id and o.id = c.order_id and o.subscription_id = c.subscription_id
      where c.order_id is null or o.id is null
      limit 1000`,
  },
  {
    id: 'I6.due',
    promise: 'Every subscription that renews has a next date that is not over, and a moment at which it is looked at',
    fix: 'Set its next_billing_date with PATCH /subscriptions/{id}',
    violations: sql`
      select s.company_id, 'subscription ' || s.id as subject
      from subscriptions s
      where s.status in ('active', 'past_due') and (s.next_billing_date is null or s.due_at is null or exists (
        select 1 from subscription_cycles c
        where c.company_id = s.company_id and c.subscription_id = s.id and c.cycle_date = s.next_billing_date))
      limit 1000`,
  },
  keptTotal('orders'),
  keptTotal('products', 'archived_at is null', "case when variant_of is null then '' else 'variant' end"),
  keptTotal('customers', 'erased_at is null'),
  keptTotal('subscriptions'),
];

/** Checks that the stored total of a list is the count of its table. */
function keptTotal(table: string, listed = 'true', key = "''"): Invariant {
  return {
    id: `lists.${table}`,
    promise: `The stored total of the list of ${table} is its count`,
    fix: `Rebuild counter_totals of ${table}`,
    violations: differingCounters({
      counters: `counter = '${table}'`,
      counted: sql`
        select company_id, ${rawSql(`'${table}'`)} as counter, ${rawSql(key)} as key, count(*) as n from ${rawSql(table)}
        where ${rawSql(listed)} group by 1, 3`,
    }),
  };
}
