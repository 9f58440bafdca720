-- migrate: blocks event_totals: only contacts with refunds change
-- Net purchases of contacts: the amounts of orders, less what was given back of them. See docs/design/events.md.

-- What an event counts for: the value of an order, and of what was given back the part of the order's total, below 0.
create function event_amount(event_type text, amount numeric, data jsonb) returns numeric language sql immutable parallel safe as $$
  select case
    when event_type not in ('order_refunded', 'payment_disputed', 'order_refund_reversed') then amount
    when jsonb_typeof(data -> 'net_amount') = 'number' then
      case when event_type = 'order_refund_reversed' then 1 else -1 end * (data ->> 'net_amount')::numeric
  end
$$;

create or replace function keep_event_totals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7265319406);
  if old.received_at < (select added_up_to from event_totals_state) then
    insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
    values (old.company_id, old.event_type, old.contact_id, -1,
      -coalesce(event_amount(old.event_type, old.amount, old.data), 0), old.occurred_at, old.occurred_at)
    on conflict (company_id, event_type, contact_id) do update set n = t.n - 1, amount = t.amount + excluded.amount;
    if tg_op = 'UPDATE' then
      insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
      values (new.company_id, new.event_type, new.contact_id, 1,
        coalesce(event_amount(new.event_type, new.amount, new.data), 0), new.occurred_at, new.occurred_at)
      on conflict (company_id, event_type, contact_id) do update set n = t.n + 1, amount = t.amount + excluded.amount,
        first_at = case when t.n > 0 then least(t.first_at, excluded.first_at) else excluded.first_at end,
        last_at = case when t.n > 0 then greatest(t.last_at, excluded.last_at) else excluded.last_at end;
    end if;
  end if;
  return null;
end $$;
create or replace trigger event_changed after update on events for each row
  when (old.contact_id <> new.contact_id
    or event_amount(old.event_type, old.amount, old.data) is distinct from event_amount(new.event_type, new.amount, new.data))
  execute function keep_event_totals();

create or replace function add_up_events(newest timestamptz) returns boolean language plpgsql as $$
declare
  -- Whole days, so that it happens once a day.
  reach timestamptz := date_trunc('day', least(newest, now()) - interval '24 hours', 'UTC');
  since timestamptz;
  until timestamptz;
begin
  -- Transactions that change added-up events hold it in shared mode.
  perform pg_advisory_xact_lock(7265319406);
  select added_up_to into since from event_totals_state;
  if since >= reach then return false; end if;
  until := least(reach, date_trunc('month', coalesce(since, (select min(received_at) from events)), 'UTC') + interval '1 month');
  insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
  select company_id, event_type, contact_id, count(*), coalesce(sum(event_amount(event_type, amount, data)), 0),
    min(occurred_at), max(occurred_at)
  from events
  where received_at >= coalesce(since, '-infinity') and received_at < until
  group by company_id, event_type, contact_id
  on conflict (company_id, event_type, contact_id) do update set n = t.n + excluded.n, amount = t.amount + excluded.amount,
    first_at = case when t.n > 0 then least(t.first_at, excluded.first_at) else excluded.first_at end,
    last_at = case when t.n > 0 then greatest(t.last_at, excluded.last_at) else excluded.last_at end;
  update event_totals_state set added_up_to = until;
  return until < reach;
end $$;

-- After the trigger, whose lock ends all transactions that change events.
select pg_advisory_xact_lock(7265319406);
update event_totals t set amount = given.amount
from companies c, lateral (
  select e.company_id, e.event_type, e.contact_id, sum(event_amount(e.event_type, e.amount, e.data)) as amount
  from events e
  where e.company_id = c.company_id and e.event_type in ('order_refunded', 'payment_disputed', 'order_refund_reversed')
    and e.received_at < (select added_up_to from event_totals_state)
  group by 1, 2, 3
) given
where t.company_id = given.company_id and t.event_type = given.event_type and t.contact_id = given.contact_id
  and given.amount <> 0;
