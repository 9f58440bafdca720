-- migrate: blocks payments: no version before this one takes money
-- The books of orders: what each is charged, and what was paid and refunded. See docs/design/payments.md.

-- What was received for a payment, and given back of it, in minor units.
alter table payments
  add column captured bigint not null default 0,
  add column refunded bigint not null default 0;
alter table payments drop constraint payments_status_check;
alter table payments
  add constraint payments_status_check check (
    status in ('action_required', 'paid', 'partially_refunded', 'refunded', 'cancelled')) not valid,
  add constraint payments_refunded_check check (refunded between 0 and captured) not valid;

create index payments_status on payments (company_id, status, id);

create table order_ledger (
  company_id bigint not null references companies,
  order_id bigint not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('order', 'credit', 'cancel', 'manual', 'refund')),
  -- In minor units. Charges are what the buyer owes, payments what the shop received.
  amount bigint not null,
  payment_id bigint,
  refund_id bigint,
  -- What caused it: each cause has at most one entry of a kind.
  cause text not null,
  -- What staff noted with money that they recorded.
  reference text,
  received_on date,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, order_id, id),
  unique (company_id, order_id, kind, cause),
  check (case when kind in ('order', 'manual') then amount >= 0 else amount < 0 end)
);
create trigger append_only before delete or truncate on order_ledger for each statement execute function refuse_change();
-- An erasure empties the references.
create trigger append_only_except_reference
  before update of company_id, order_id, kind, amount, payment_id, refund_id, cause, received_on, actor, created_at on order_ledger
  for each statement execute function refuse_change();

-- The sums of the ledger of each order that has one.
create table order_balances (
  company_id bigint not null references companies,
  order_id bigint not null,
  charged bigint not null,
  paid bigint not null check (paid >= 0),
  refunded bigint not null check (refunded between 0 and paid),
  payment_status text not null check (
    payment_status in ('pending', 'authorized', 'partially_paid', 'paid', 'partially_refunded', 'refunded', 'failed')),
  primary key (company_id, order_id)
) with (fillfactor = 70);
create index order_balances_status on order_balances (company_id, payment_status, order_id);

create index order_balances_due on order_balances (company_id, order_id) where charged > paid - refunded;
create index order_balances_credit on order_balances (company_id, order_id) where charged < paid - refunded;

create table refunds (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  order_id bigint not null,
  amount bigint not null check (amount > 0),
  -- The part of it for shipping.
  shipping bigint not null check (shipping >= 0),
  reason text check (length(reason) <= 500),
  -- Whether staff paid it back by hand.
  "to" text not null check ("to" in ('original', 'manual')),
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index refunds_order on refunds (company_id, order_id, id);

create table refund_lines (
  company_id bigint not null references companies,
  refund_id bigint not null,
  line_id bigint not null,
  order_id bigint not null,
  qty int not null check (qty > 0),
  -- The share of the line in minor units.
  amount bigint not null check (amount >= 0),
  -- The units that returned to the stock.
  restocked int not null check (restocked between 0 and qty),
  primary key (company_id, refund_id, line_id)
);
create index refund_lines_order on refund_lines (company_id, order_id);

-- Orders of carts whose money is awaited; nothing is charged for those that were cancelled.
update payments p set status = 'cancelled', updated_at = o.updated_at
from orders o
where o.company_id = p.company_id and o.id = p.order_id and o.status = 'cancelled' and p.status = 'action_required';
insert into order_ledger (company_id, order_id, kind, amount, cause, actor, created_at)
select o.company_id, o.id, l.kind, l.amount, l.cause, 'worker:upgrade', l.at
from orders o
cross join lateral (
  values ('order', o.total, 'order', o.created_at), ('cancel', -o.total, 'cancellation', o.updated_at)
) as l (kind, amount, cause, at)
where (l.kind = 'order' or o.status = 'cancelled' and o.total > 0)
  and exists (select from payments p where p.company_id = o.company_id and p.order_id = o.id)
order by o.company_id, o.id, l.kind desc;
insert into order_balances (company_id, order_id, charged, paid, refunded, payment_status)
select company_id, order_id, sum(amount), 0, 0, case when sum(amount) > 0 then 'pending' else 'failed' end
from order_ledger group by company_id, order_id;

-- The units that returned to the stock, of a cancelled or refunded order. Those of orders cancelled before are not asked for again.
alter table order_allocations add column returned int not null default 0;
