-- migrate: blocks payments: before the first release, no shop has many payments
-- migrate: blocks refunds: before the first release, no shop has many refunds
-- Payments through services such as Stripe and Mollie. See docs/design/payments.md.

create table payment_accounts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  provider text not null check (provider in ('stripe', 'mollie')),
  mode text not null check (mode in ('test', 'live')),
  name text not null,
  active boolean not null,
  -- What a browser needs; not secret.
  publishable_key text,
  -- The secret key and the secrets of webhooks, sealed with the master key.
  sealed_config text not null,
  -- The last characters of the secret key.
  secret_end text,
  -- Part of the address to which the service sends webhooks.
  webhook_token text not null unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);
call watch_configuration('payment_accounts');

alter table payment_methods drop constraint payment_methods_provider_check;
alter table payment_methods drop constraint payment_methods_kind_check;
alter table payment_methods drop constraint payment_methods_capture_check;
alter table payment_methods
  add constraint payment_methods_provider_check check (provider in ('manual', 'stripe', 'mollie')) not valid,
  -- Of a service: its name of the method, or any.
  add constraint payment_methods_kind_check check (
    provider <> 'manual' or kind in ('bank_transfer', 'cash_on_delivery', 'cash', 'card_terminal', 'other')) not valid,
  add constraint payment_methods_capture_check check (
    capture = 'at_once' or (provider <> 'manual' and capture in ('on_shipped', 'by_hand'))) not valid;

alter table payments
  add column account_id bigint,
  add column mode text,
  -- The id of the payment at its service.
  add column provider_ref text,
  -- What the buyer has authorized, with what was captured of it.
  add column authorized bigint not null default 0,
  -- What was charged back, less what was won again.
  add column disputed bigint not null default 0,
  -- Of operations that have not ended.
  add column capture_pending bigint not null default 0,
  add column refund_pending bigint not null default 0,
  add column authorized_until timestamptz,
  -- Why the last attempt of the buyer failed.
  add column failure jsonb,
  -- What the buyer does next, sealed with the master key.
  add column next_action text,
  -- Why somebody should look at it.
  add column attention text,
  -- When it is fetched from its service next, and how often it was.
  add column fetch_at timestamptz,
  add column fetches smallint not null default 0;
alter table payments drop constraint payments_provider_check;
alter table payments drop constraint payments_status_check;
alter table payments drop constraint payments_refunded_check;
alter table payments
  add constraint payments_provider_check check (provider in ('manual', 'stripe', 'mollie')) not valid,
  add constraint payments_account_check check (
    (provider = 'manual') = (account_id is null) and (provider = 'manual') = (mode is null)) not valid,
  add constraint payments_status_check check (
    status in ('created', 'action_required', 'processing', 'authorized', 'paid', 'partially_refunded', 'refunded', 'failed',
      'cancelled')) not valid,
  add constraint payments_captured_check check (
    provider = 'manual' or (captured >= 0 and capture_pending >= 0 and captured + capture_pending <= authorized)) not valid,
  -- A service can give back more than was captured, if somebody asks for it there; the shop never asks for that.
  add constraint payments_refunded_check check (
    refunded >= 0 and refund_pending >= 0 and (refund_pending = 0 or refunded + refund_pending <= captured)) not valid,
  add constraint payments_attention_check check (attention in ('wrong_amount', 'dispute', 'uncertain')) not valid;

drop index payments_open;
create unique index payments_open on payments (company_id, cart_id)
  where order_id is null and status in ('created', 'action_required', 'processing', 'authorized');
create unique index payments_order_open on payments (company_id, order_id)
  where order_id is not null and provider <> 'manual' and status in ('created', 'action_required', 'processing', 'authorized');
create unique index payments_ref on payments (company_id, account_id, provider_ref) where provider_ref is not null;
create index payments_fetch on payments (company_id, fetch_at) where fetch_at is not null;
create index payments_cart on payments (company_id, cart_id, id) where provider <> 'manual';
create index payments_attention on payments (company_id, id) where attention is not null;
create index payments_authorized on payments (company_id, authorized_until) where status = 'authorized';

alter table order_ledger drop constraint order_ledger_kind_check;
alter table order_ledger drop constraint order_ledger_check;
alter table order_ledger
  add constraint order_ledger_kind_check check (kind in ('order', 'credit', 'cancel', 'manual', 'capture', 'refund',
    'refund_reversed', 'chargeback', 'chargeback_reversed')) not valid,
  add constraint order_ledger_sign_check check (case
    when kind in ('order', 'manual', 'capture', 'refund_reversed', 'chargeback_reversed') then amount >= 0 else amount < 0 end) not valid;
-- What was charged back can have been refunded before.
alter table order_balances drop constraint order_balances_check;
alter table order_balances add constraint order_balances_refunded_check check (refunded >= 0) not valid;

-- Since when a reservation is overdue, while a service is asked to cancel the payment.
alter table reservations add column overdue_since timestamptz;

-- One call to a service. It is committed before the call; whoever calls has the newest claim.
create table payment_operations (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  payment_id bigint not null,
  -- Of a refund that somebody asked for.
  refund_id bigint,
  kind text not null check (kind in ('start', 'charge', 'capture', 'cancel', 'refund')),
  amount bigint not null,
  -- What the service is asked for besides: method, description, address to return to.
  input jsonb,
  state text not null check (state in ('ready', 'calling', 'uncertain', 'done', 'declined')),
  claim int not null,
  -- The number of the idempotency key, and when it was first used.
  key int not null default 1,
  keyed_at timestamptz,
  attempts int not null default 0,
  -- When a worker takes it: `calling` is taken over when its lease ends. Null once it has ended.
  due_at timestamptz,
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  constraint payment_operations_due_check check ((due_at is null) = (state in ('done', 'declined')))
) with (fillfactor = 70);
create index payment_operations_payment on payment_operations (company_id, payment_id);
create index payment_operations_due on payment_operations (company_id, due_at) where due_at is not null;

create index payment_operations_ended on payment_operations (company_id, updated_at) where due_at is null;

create table payment_webhook_events (
  company_id bigint not null references companies,
  account_id bigint not null,
  dedupe_key text not null,
  -- The id of the payment at its service; null: it is about something else.
  ref text,
  received_at timestamptz not null,
  primary key (company_id, account_id, dedupe_key)
);
create index payment_webhook_events_received on payment_webhook_events (received_at);

-- Whether the money of the refund was sent.
alter table refunds add column status text not null default 'done' check (status in ('pending', 'done', 'failed'));
