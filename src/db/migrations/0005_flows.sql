-- Flows, their frozen versions, and the runs of contacts through them.

-- definition: trigger_conditions, steps, connections, reentry, exit_on, goal, quiet_hours.
create table flows (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  status text not null check (status in ('draft', 'active', 'paused', 'archived')),
  trigger_type text not null,
  definition jsonb not null,
  -- The newest frozen version; 0 before the first activation.
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A deleted flow is gone for everybody; its runs and what they sent stay as history.
  deleted_at timestamptz,
  primary key (company_id, id)
);
call watch_configuration('flows');

create table flow_versions (
  company_id bigint not null,
  flow_id bigint not null,
  version int not null,
  name text not null,
  trigger_type text not null,
  definition jsonb not null,
  -- Event types that end a run or carry it to a goal wherever it stands; and all those that any of its steps waits for.
  listens text[] not null,
  awaits text[] not null,
  created_at timestamptz not null,
  primary key (company_id, flow_id, version),
  foreign key (company_id, flow_id) references flows (company_id, id)
);
create trigger append_only before update or delete or truncate on flow_versions
  for each statement execute function refuse_change();

-- The times in which a flow was paused: what happened meanwhile is enrolled only when asked.
create table flow_pauses (
  company_id bigint not null,
  flow_id bigint not null,
  id bigint generated always as identity,
  paused_at timestamptz not null,
  resumed_at timestamptz,
  -- The last event that was looked at by an enrolment of what was missed.
  enrolled_up_to bigint not null default 0,
  enrolled boolean not null default false,
  primary key (company_id, flow_id, id),
  foreign key (company_id, flow_id) references flows (company_id, id)
);

-- One row per contact that walks through a flow. No foreign keys: a check per row would lock the flow, the version and
-- the contact, which are read by the same transaction anyway.
create sequence flow_run_slots;
create table flow_runs (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  version int not null,
  contact_id bigint not null,
  -- Live runs of one contact in one flow differ in this: 0 for all where the flow allows one at a time, else minus the
  -- event's id, or a number from the sequence.
  slot bigint not null,
  -- active: due_at says when it goes on. paused: it came due while its flow was paused.
  status text not null default 'active' check (status in ('active', 'paused', 'completed', 'exited', 'failed')),
  reason text,
  -- Where the run stands (null: before the first step), and by which branch it leaves when due (null: the step is still
  -- to be done).
  step_id text,
  outcome text,
  step_entered_at timestamptz,
  due_at timestamptz,
  -- The event type that the current step waits for, and those that matter wherever the run stands.
  awaits text,
  listens text[] not null,
  event_id bigint,
  event jsonb,
  -- visits by step, vars saved by webhooks, hops from flow to flow.
  state jsonb not null,
  -- Transactions that moved the run so far.
  seq int not null default 0,
  entered_at timestamptz not null,
  ended_at timestamptz,
  primary key (company_id, id),
  -- Nothing waits without a moment at which it is looked at again.
  constraint flow_runs_has_timer check (status not in ('active', 'paused') or due_at is not null)
);
create index flow_runs_due on flow_runs (company_id, due_at) where status = 'active';
-- Re-entry is decided here, and an event finds the runs of its contact.
create unique index flow_runs_live on flow_runs (company_id, contact_id, flow_id, slot)
  where status in ('active', 'paused');
create index flow_runs_flow on flow_runs (company_id, flow_id, id);
create index flow_runs_status on flow_runs (company_id, flow_id, status, id);
create index flow_runs_contact on flow_runs (company_id, contact_id, flow_id);

-- The last entry of a contact into a flow that it may enter once, or once in so many hours. An entry is taken by
-- writing the row; not_after is the latest last entry that the writer accepts.
create table flow_entries (
  company_id bigint not null,
  flow_id bigint not null,
  contact_id bigint not null,
  entered_at timestamptz not null,
  not_after timestamptz not null,
  primary key (company_id, flow_id, contact_id)
) with (fillfactor = 85);

-- What a run did, one row per transaction that moved it.
create table flow_run_log (
  company_id bigint not null,
  run_id bigint not null,
  seq int not null,
  at timestamptz not null,
  entries jsonb not null,
  primary key (company_id, run_id, seq)
);

-- What runs are to hear of: events of their contacts, answers to their webhooks. Written by those who know, taken by
-- the worker that moves the run: whoever tells never waits for whoever walks.
create table flow_signals (
  company_id bigint not null,
  id bigint generated always as identity,
  run_id bigint not null,
  signal jsonb not null,
  primary key (company_id, id)
);
create index flow_signals_run on flow_signals (company_id, run_id);

-- Events that track_event steps made, stored in a transaction of their own (see marketing/flows/enrolment.ts).
create table flow_emissions (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  run_id bigint not null,
  step_id text not null,
  visit int not null,
  contact_id bigint not null,
  event_type text not null,
  data jsonb not null,
  primary key (company_id, id)
);

-- What notify steps tell the people of the shop.
create table flow_notifications (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  run_id bigint not null,
  step_id text not null,
  contact_id bigint not null,
  message text not null,
  created_at timestamptz not null,
  primary key (company_id, id)
);

-- Calls that webhook steps make. due_at of a pending one is when it is tried next; a claim moves it past the lease, so
-- that the call of a worker that died comes due again by itself.
create table flow_webhook_calls (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  version int not null,
  run_id bigint not null,
  step_id text not null,
  visit int not null,
  status text not null default 'pending' check (status in ('pending', 'done', 'failed')),
  attempts int not null default 0,
  epoch int not null default 0,
  due_at timestamptz not null,
  response_status int,
  error text,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, run_id, step_id, visit)
);
create index flow_webhook_calls_due on flow_webhook_calls (company_id, due_at) where status = 'pending';

-- Work on many runs of a flow that a deed began and the worker ends: exit (archived), resume, migrate, enroll.
create table flow_tasks (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  kind text not null check (kind in ('exit', 'resume', 'migrate', 'enroll')),
  reason text,
  created_at timestamptz not null,
  primary key (company_id, id)
);

-- Numbers of flows (step_id '') and of their steps: appended as deltas by whoever moves runs, folded in the
-- background, read as the sum of both.
create table flow_stats (
  company_id bigint not null,
  flow_id bigint not null,
  step_id text not null,
  metric text not null,
  n bigint not null,
  primary key (company_id, flow_id, step_id, metric)
) with (fillfactor = 70);
create table flow_stat_deltas (
  company_id bigint not null,
  flow_id bigint not null,
  step_id text not null,
  metric text not null,
  n bigint not null
);
create index flow_stat_deltas_flow on flow_stat_deltas (company_id, flow_id);

create function fold_flow_stats() returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows.
  if not pg_try_advisory_xact_lock(7265319405) then return 0; end if;
  with gone as (delete from flow_stat_deltas returning *),
  sums as (
    select company_id, flow_id, step_id, metric, sum(n) as n, count(*) as deltas from gone
    group by company_id, flow_id, step_id, metric order by 1, 2, 3, 4
  ),
  written as (
    insert into flow_stats as s (company_id, flow_id, step_id, metric, n)
    select company_id, flow_id, step_id, metric, n from sums
    on conflict (company_id, flow_id, step_id, metric) do update set n = s.n + excluded.n
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;
