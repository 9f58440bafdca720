-- How buyers can pay. A method is never deleted: payments refer to it.
create table payment_methods (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  provider text not null check (provider in ('manual')),
  kind text not null check (kind in ('bank_transfer', 'cash_on_delivery', 'cash', 'card_terminal', 'other')),
  name text not null,
  description text,
  -- What the buyer is told after ordering, such as the bank account.
  instructions text,
  -- The account at the provider.
  account_id bigint,
  position int not null default 0,
  active boolean not null default true,
  staff_only boolean not null default false,
  -- Whether the order is placed at once, or when the money has arrived.
  places text not null check (places in ('at_once', 'when_paid')),
  -- How long the goods are set aside while the money is awaited.
  reserve_minutes int not null check (reserve_minutes between 1 and 20160),
  capture text not null check (capture in ('at_once')),
  -- In minor units; null: no limit.
  min_total bigint check (min_total >= 0),
  max_total bigint check (max_total >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  constraint payment_methods_account_check check ((provider = 'manual') = (account_id is null)),
  constraint payment_methods_totals_check check (min_total <= max_total)
);
call watch_configuration('payment_methods');
