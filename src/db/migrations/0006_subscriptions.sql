-- Subscriptions: what renews, when, and the outcome of each date.

-- Ids of frequencies that a shop adds. Every company starts with the same ids 1 to 7; higher ids are unique across companies and
-- never reused.
create sequence subscription_frequency_ids start 101;

create table subscription_frequencies (
  company_id bigint not null references companies,
  id bigint not null,
  name text not null,
  unit text not null check (unit in ('day', 'week', 'month', 'year')),
  interval int not null check (interval > 0),
  active boolean not null default true,
  position int not null,
  primary key (company_id, id)
);

create function add_default_frequencies() returns trigger language plpgsql as $$
begin
  insert into subscription_frequencies (company_id, id, name, unit, interval, position)
  select c.company_id, f.* from added c cross join (values
    (1::bigint, 'Weekly', 'week', 1, 1), (2, 'Every 2 weeks', 'week', 2, 2), (3, 'Monthly', 'month', 1, 3),
    (4, 'Every 2 months', 'month', 2, 4), (5, 'Every 3 months', 'month', 3, 5), (6, 'Every 6 months', 'month', 6, 6),
    (7, 'Yearly', 'year', 1, 7)
  ) f;
  return null;
end $$;
-- Every company starts with these frequencies.
create trigger add_frequencies after insert on companies referencing new table as added
  for each statement execute function add_default_frequencies();

create table subscriptions (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  product_id bigint not null,
  frequency_id bigint not null,
  quantity int not null check (quantity between 1 and 9999),
  -- The price of one unit at sign-up, in minor units.
  price bigint not null check (price >= 0),
  status text not null check (status in ('active', 'paused', 'past_due', 'cancelled', 'expired')),
  -- Dates are anchor + n × interval (schedule.ts).
  anchor date not null,
  next_billing_date date,
  -- When the worker must act next: the start of the date in the shop's time zone, a retry, or the end of a pause.
  due_at timestamptz,
  -- Failed attempts at the current date.
  attempts int not null default 0,
  resume_on date,
  pause_reason text,
  shipping_address text not null,
  shipping_city text not null,
  shipping_state text not null,
  shipping_zip text not null,
  shipping_country text not null,
  cancelled_at timestamptz,
  cancel_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, frequency_id) references subscription_frequencies (company_id, id),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check (status <> 'cancelled' or (next_billing_date is null and due_at is null))
) with (fillfactor = 80);
create index subscriptions_due on subscriptions (company_id, due_at, id) where due_at is not null;
create index subscriptions_status on subscriptions (company_id, status, id);
create index subscriptions_customer on subscriptions (company_id, customer_id, id);
create index subscriptions_next on subscriptions (company_id, next_billing_date, id) include (status);

call count_list('subscriptions');
-- For browsers that watch the list (see live_marks).
create trigger count_changed after update on subscriptions for each row when (old.status <> new.status) execute function count_row('0');

-- One row per past date, so that a date never has two orders or none.
create table subscription_cycles (
  company_id bigint not null,
  subscription_id bigint not null,
  cycle_date date not null,
  outcome text not null check (outcome in ('ordered', 'skipped')),
  order_id bigint,
  reason text,
  created_at timestamptz not null,
  primary key (company_id, subscription_id, cycle_date),
  check ((outcome = 'ordered') = (order_id is not null))
);

create table subscription_history (
  company_id bigint not null,
  subscription_id bigint not null,
  id bigint generated always as identity,
  type text not null,
  actor text not null,
  message text,
  created_at timestamptz not null,
  primary key (company_id, subscription_id, id)
);
