-- The installation, the people who use the admin app, and what they did. Most of these tables belong to the installation and have
-- no company_id.

-- One row, from the first start.
create table installation (
  one boolean primary key default true check (one),
  -- Ids of the demo shop used in terminal examples; null without one.
  demo jsonb,
  -- How far the test clock is ahead of the system clock, in milliseconds.
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  -- The database in which sending was last allowed (src/db/home.ts). Any other one is a restored backup or a copy.
  home text,
  -- Since when sending is held, and why.
  sending_held_at timestamptz,
  sending_held_because text check (sending_held_because in ('restored', 'asked', 'loaded', 'failover')),
  -- When the last completed `tradeloom backup` began; null if another tool makes the backups.
  last_backup_at timestamptz,
  -- Processes that send, by id: the time of their last write (milliseconds since 1970), and the database. After a failover that
  -- lost no commit, sending continues automatically.
  senders jsonb not null default '{}',
  -- Messages handed over by commits that the database lost; set while sending is held because of a failover.
  lost_messages jsonb,
  check ((sending_held_at is null) = (sending_held_because is null))
);

-- People who use the admin app. They belong to the installation; members lists the companies that each of them can access.
create table persons (
  id bigint generated always as identity primary key,
  -- Normalized (normaliseEmail).
  email text not null unique,
  name text not null,
  language text not null default 'en' check (language in ('en', 'de')),
  theme text not null default 'auto' check (theme in ('light', 'dark', 'auto')),
  password_hash text,
  created_at timestamptz not null,
  -- Owner of the installation: also owns companies that are created later.
  owns_all boolean not null default false,
  -- When the person proved to own the e-mail address by using a link that was only sent there; null: not yet.
  proven_at timestamptz
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
  -- Who invited: `admin:7`.
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Whether the link was only sent to the address, so that using it proves the address.
  mailed boolean not null default false,
  primary key (company_id, id),
  unique (company_id, email)
);

-- Unused tokens of sign-in links; using one deletes it. hash is SHA-256.
create table admin_sign_ins (
  hash bytea primary key,
  expires_at timestamptz not null,
  -- Null: a link for the operator. `magic` signs the person in; `set_password` also lets them set a password.
  person_id bigint references persons on delete cascade,
  kind text not null default 'operator' check (kind in ('operator', 'magic', 'set_password')),
  -- Authenticator codes tried with this link.
  codes_tried smallint not null default 0,
  constraint admin_sign_ins_kind check ((kind = 'operator') = (person_id is null))
);

create table admin_sessions (
  hash bytea primary key,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- A session without a person belongs to the operator, who signed in with a link from the terminal.
  id bigint generated always as identity unique,
  person_id bigint references persons on delete cascade,
  address text not null default '',
  user_agent text not null default '',
  -- When the person last confirmed their identity.
  confirmed_at timestamptz not null
);
create index admin_sessions_person on admin_sessions (person_id);

-- Attempts at the password of an account, by hash of the given address, so that the table does not reveal which accounts exist.
-- `network` is one from which the person has signed in before, or '' for all others. Unlogged: a crash deletes them.
create unlogged table sign_in_attempts (
  account bytea not null,
  network text not null,
  window_start timestamptz not null,
  attempts smallint not null,
  primary key (account, network)
);
create index sign_in_attempts_window_start on sign_in_attempts (window_start);

-- Networks from which a person has signed in: attempts from other networks do not lock the person out there.
create table person_networks (
  person_id bigint not null references persons on delete cascade,
  network text not null,
  last_at timestamptz not null,
  primary key (person_id, network)
);

-- Authenticator apps. The secret is encrypted with the master key, and takes effect once a code has been entered.
create table person_totp (
  person_id bigint primary key references persons on delete cascade,
  secret bytea not null,
  confirmed_at timestamptz,
  -- The time step of the last accepted code: each code works once.
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

-- Challenges for a browser to sign, valid once and for a few minutes.
create table passkey_challenges (
  hash bytea primary key,
  person_id bigint references persons on delete cascade,
  expires_at timestamptz not null
);

-- Administrative actions. Append-only; each row contains the hash of the previous one.
create table audit_log (
  company_id bigint not null,
  id bigint not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text not null,
  details jsonb not null default '{}',
  previous_hash bytea,
  hash bytea not null,
  -- With the columns that the list filters by, so that it is counted by an index-only scan.
  primary key (company_id, id) include (actor, action)
);
-- Finds the entries of one target, and the people and programs that wrote.
create index audit_log_by_actor on audit_log (company_id, actor, id) include (action);
create index audit_log_by_target on audit_log (company_id, target, id);

create trigger append_only before update or delete or truncate on audit_log for each statement execute function refuse_change();

call count_list('audit_log');

-- Values of customers and contacts shown in audit log entries. An erasure deletes them; the log contains a salted hash of them,
-- so that its hash chain stays valid.
create table audit_values (
  company_id bigint not null references companies,
  entry_id bigint not null,
  -- The person concerned: a customer or a contact.
  customer_id bigint,
  contact_id bigint,
  salt bytea not null,
  -- {"before": {…}, "after": {…}}
  shown jsonb not null,
  primary key (company_id, entry_id),
  check (num_nonnulls(customer_id, contact_id) = 1)
);
create index audit_values_customer on audit_values (company_id, customer_id) where customer_id is not null;
create index audit_values_contact on audit_values (company_id, contact_id) where contact_id is not null;

-- Named filters of a list, saved by a person for one company. Deleted with the membership.
create table saved_views (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  person_id bigint not null,
  list text not null check (length(list) between 1 and 50),
  name text not null check (length(name) between 1 and 100),
  -- The query string of the page, without the question mark.
  search text not null check (length(search) <= 2000),
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, person_id, list, name),
  foreign key (company_id, person_id) references members (company_id, person_id) on delete cascade
);

-- A number for each kind of list that changes when something in the list changes, for browsers that watch a company. Written when
-- totals are folded, once per kind of list; transactions of orders and messages do not write it.
create table live_marks (
  company_id bigint not null,
  kind text not null,
  n bigint not null,
  primary key (company_id, kind)
) with (fillfactor = 70);
