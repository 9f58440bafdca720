-- migrate: blocks carts: before the first release, no shop has many of them
-- Means of payment that buyers let a service keep, and renewals that are charged to them. See docs/design/subscriptions.md.

create table saved_payment_methods (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  -- The payment by which it was saved; its method and account are those of later charges.
  payment_id bigint not null,
  method_id bigint not null,
  account_id bigint not null,
  provider text not null check (provider in ('stripe', 'mollie')),
  -- What the service needs to charge it again, sealed with the master key. Null once the service has forgotten it.
  sealed_token text,
  label text not null,
  brand text,
  last4 text,
  expires_on date,
  -- Whether its expiry was announced.
  announced boolean not null default false,
  removed boolean not null default false,
  created_at timestamptz not null,
  primary key (company_id, id)
);
-- A payment saves one.
create unique index saved_payment_methods_payment on saved_payment_methods (company_id, payment_id);
create index saved_payment_methods_customer on saved_payment_methods (company_id, customer_id, id);
create index saved_payment_methods_expires on saved_payment_methods (company_id, expires_on)
  where not announced and not removed and expires_on is not null;

alter table payment_operations drop constraint payment_operations_kind_check;
alter table payment_operations add constraint payment_operations_kind_check
  check (kind in ('start', 'charge', 'capture', 'cancel', 'refund', 'forget')) not valid;

alter table subscriptions
  add column saved_method_id bigint,
  -- Failed payments of the current date.
  add column payment_attempts int not null default 0,
  -- The charge of the current date, until its end was noticed.
  add column charge_id bigint;

alter table carts
  add column subscription_id bigint,
  -- The date of the subscription whose order it becomes.
  add column cycle_date date,
  add constraint carts_cycle_check check ((subscription_id is null) = (cycle_date is null)) not valid;
create unique index carts_cycle on carts (company_id, subscription_id, cycle_date)
  where subscription_id is not null and status not in ('cancelled', 'expired');
