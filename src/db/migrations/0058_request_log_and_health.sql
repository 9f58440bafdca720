-- The latest requests of API keys and signed webhooks: what was asked and how it ended, without queries, bodies and headers.
-- Written in batches after the response, so that a crash may lose the last second; nothing else reads it.
create table api_requests (
  company_id bigint not null,
  id bigint generated always as identity,
  at timestamptz not null,
  -- Null for the signed webhook.
  key_id bigint,
  api text not null check (api in ('commerce', 'marketing')),
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms real not null,
  request_id text not null,
  -- Of a refused or failed request: the error's code, and the names of the fields at fault.
  error text,
  fields text,
  -- So many of the company's requests before it were not written.
  left_out int not null,
  primary key (company_id, id)
);

-- What the doctor found the last time that somebody asked for it in the admin app; there is one.
create table health_reports (
  one boolean primary key default true check (one),
  started_at timestamptz not null,
  finished_at timestamptz,
  -- Why there is no report.
  error text,
  report jsonb
);
