-- Accounts at mail and SMS services that a company sends by, in place of the installation's.
create table sending_accounts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  channel text not null check (channel in ('email', 'sms')),
  provider text not null check (provider in ('smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'twilio')),
  -- What is not secret: {"host": "smtp.example.com", "port": 587, …}
  settings jsonb not null,
  -- Encrypted with the master key; in base64.
  sealed_secret text not null,
  -- The last four characters of a secret that is long enough to show them.
  secret_end text,
  -- Messages per second; null: as fast as it goes.
  rate integer check (rate between 1 and 100000),
  connections integer check (connections between 1 and 100),
  active boolean not null default false,
  -- Raised by whatever changes how messages are handed over.
  revision bigint not null default 1,
  -- Since when the service takes nothing, and what it said.
  failing_since timestamptz,
  failure text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  check ((provider = 'twilio') = (channel = 'sms')),
  check ((failing_since is null) = (failure is null))
);
create unique index sending_accounts_active on sending_accounts (company_id, channel) where active;
call watch_configuration('sending_accounts');
