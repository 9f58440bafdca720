-- The installation itself and who operates it. These tables stand above the companies and have no company_id.

-- One row, from the first start on.
create table installation (
  one boolean primary key default true check (one),
  -- Ids in the demo shop that the terminal's examples name; null where none was made.
  demo jsonb,
  -- How far the test clock runs ahead of the machine's, in milliseconds.
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  -- The database that sending was last allowed in (see db/home.ts). In another one this is a restored backup or a copy.
  home text,
  -- Since when nothing leaves the installation, and why.
  sending_held_at timestamptz,
  sending_held_because text check (sending_held_because in ('restored', 'asked')),
  check ((sending_held_at is null) = (sending_held_because is null))
);

-- Tokens of sign-in links, unused ones only: using one removes it. hash is SHA-256.
create table admin_sign_ins (
  hash bytea primary key,
  expires_at timestamptz not null
);

create table admin_sessions (
  hash bytea primary key,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
