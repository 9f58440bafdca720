-- People who use the admin app. They belong to the installation; which companies they may see is said by members.
create table persons (
  id bigint generated always as identity primary key,
  -- In its normal form (normaliseEmail).
  email text not null unique,
  name text not null,
  language text not null default 'en' check (language in ('en', 'de')),
  theme text not null default 'auto' check (theme in ('light', 'dark', 'auto')),
  password_hash text,
  created_at timestamptz not null
);

create table members (
  company_id bigint not null references companies,
  person_id bigint not null references persons on delete cascade,
  role text not null check (role in ('owner', 'manager', 'marketer', 'fulfilment', 'viewer')),
  created_at timestamptz not null,
  primary key (company_id, person_id)
);
create index members_person on members (person_id);

-- Whoever has the link becomes a member. Only the hash of its token is stored.
create table invitations (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  email text not null,
  role text not null check (role in ('owner', 'manager', 'marketer', 'fulfilment', 'viewer')),
  hash bytea not null unique,
  -- Of whom it comes: `admin:7`.
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, email)
);

-- A session without a person is the operator's, who signed in by a link from the terminal.
alter table admin_sessions
  add column id bigint generated always as identity unique,
  add column person_id bigint references persons on delete cascade,
  add column address text not null default '',
  add column user_agent text not null default '',
  -- When the person last proved who they are.
  add column confirmed_at timestamptz;
update admin_sessions set confirmed_at = created_at;
alter table admin_sessions alter column confirmed_at set not null;
create index admin_sessions_person on admin_sessions (person_id);

-- A link without a person is the operator's. `magic` signs the person in, `set_password` gives them a password as well.
alter table admin_sign_ins
  add column person_id bigint references persons on delete cascade,
  add column kind text not null default 'operator' check (kind in ('operator', 'magic', 'set_password')),
  add constraint admin_sign_ins_kind check ((kind = 'operator') = (person_id is null));

-- Attempts at an account's password, by the hash of the address that was given, so that nothing is told of accounts that exist.
-- `network` is one from which the person has signed in before, or '' for all others together. Unlogged: a crash forgets them.
create unlogged table sign_in_attempts (
  account bytea not null,
  network text not null,
  window_start timestamptz not null,
  attempts smallint not null,
  primary key (account, network)
);
create index sign_in_attempts_window_start on sign_in_attempts (window_start);

-- Networks from which a person has signed in: attempts from elsewhere do not lock them out there.
create table person_networks (
  person_id bigint not null references persons on delete cascade,
  network text not null,
  last_at timestamptz not null,
  primary key (person_id, network)
);

-- Of authenticator apps: the secret is encrypted by the master key, and counts once a code has been shown.
create table person_totp (
  person_id bigint primary key references persons on delete cascade,
  secret bytea not null,
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: each works once.
  last_step bigint not null default 0,
  created_at timestamptz not null
);

create table recovery_codes (
  person_id bigint not null references persons on delete cascade,
  hash bytea not null,
  primary key (person_id, hash)
);

create table passkeys (
  person_id bigint not null references persons on delete cascade,
  id bigint generated always as identity,
  name text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (person_id, id)
);

-- What a browser was asked to sign, once and within minutes.
create table passkey_challenges (
  hash bytea primary key,
  person_id bigint references persons on delete cascade,
  expires_at timestamptz not null
);
