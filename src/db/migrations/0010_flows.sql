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
  -- A deleted flow is not shown; its runs and messages are kept.
  deleted_at timestamptz,
  revision bigint not null default 1,
  primary key (company_id, id)
);
call watch_configuration('flows');

create trigger raise_revision before update on flows for each row
  execute function raise_revision('version', 'deleted_at', 'updated_at');

create table flow_versions (
  company_id bigint not null,
  flow_id bigint not null,
  version int not null,
  name text not null,
  trigger_type text not null,
  definition jsonb not null,
  -- Event types that end a run or move it to a goal from any step, and all event types that its steps wait for.
  listens text[] not null,
  awaits text[] not null,
  created_at timestamptz not null,
  primary key (company_id, flow_id, version),
  foreign key (company_id, flow_id) references flows (company_id, id)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before delete or truncate on flow_versions
  for each statement execute function refuse_change();
-- An erasure removes a person's addresses from the names and conditions of flow versions. Nothing else changes them.
create trigger append_only_except_erasures before update on flow_versions
  for each statement when (current_setting('tradeloom.erasing', true) is distinct from 'on') execute function refuse_change();

create sequence flow_run_slots;

-- One row per contact and pass through a flow. No foreign keys: a check per row would lock the flow, the version and the contact,
-- which the same transaction reads anyway.
create table flow_runs (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  version int not null,
  contact_id bigint not null,
  -- Distinguishes live runs of one contact in one flow: 0 if the flow allows one run at a time, otherwise the negated id of the
  -- event or a number from the sequence.
  slot bigint not null,
  -- active: continues at due_at. paused: became due while its flow was paused.
  status text not null default 'active' check (status in ('active', 'paused', 'completed', 'exited', 'failed')),
  reason text,
  -- The current step (null: before the first one), and the branch by which the run leaves it when due (null: the step has not
  -- been executed).
  step_id text,
  outcome text,
  step_entered_at timestamptz,
  due_at timestamptz,
  -- The event type that the current step waits for, and those that matter at any step.
  awaits text,
  listens text[] not null,
  event_id bigint,
  event jsonb,
  -- Visits by step, variables saved by webhooks, jumps between flows.
  state jsonb not null,
  -- The number of transactions that have moved the run.
  seq int not null default 0,
  entered_at timestamptz not null,
  ended_at timestamptz,
  correlation text,
  primary key (company_id, id),
  -- A waiting run always has a time at which it is looked at again.
  constraint flow_runs_has_timer check (status not in ('active', 'paused') or due_at is not null)
);
create index flow_runs_due on flow_runs (company_id, due_at) where status = 'active';
-- Decides re-entry, and finds the runs that an event concerns.
create unique index flow_runs_live on flow_runs (company_id, contact_id, flow_id, slot)
  where status in ('active', 'paused');
create index flow_runs_flow on flow_runs (company_id, flow_id, id);
create index flow_runs_status on flow_runs (company_id, flow_id, status, id);
create index flow_runs_contact on flow_runs (company_id, contact_id, flow_id);
-- Runs that became due while their flow was paused resume in that order, in slices; without this index every slice would sort all
-- remaining runs.
create index flow_runs_frozen on flow_runs (company_id, flow_id, due_at) where status = 'paused';

-- The last entry of a contact into a flow that it may enter once, or once within some hours. Writing the row claims the entry;
-- not_after is the latest last entry that the writer accepts.
create table flow_entries (
  company_id bigint not null,
  flow_id bigint not null,
  contact_id bigint not null,
  entered_at timestamptz not null,
  not_after timestamptz not null,
  primary key (company_id, flow_id, contact_id)
) with (fillfactor = 85);

-- Makes a statement fail with a serialization error, so that its transaction is retried (flows/enrolment-queries.ts).
create function fail_serialization(reason text) returns boolean language plpgsql as $$
begin
  raise exception '%', reason using errcode = 'serialization_failure';
end $$;

-- What a run did: one row per transaction that moved it.
create table flow_run_log (
  company_id bigint not null,
  run_id bigint not null,
  seq int not null,
  at timestamptz not null,
  entries jsonb not null,
  primary key (company_id, run_id, seq)
);

-- Input for runs: events of their contacts and responses of their webhooks. The worker that moves the run takes them; writers
-- never wait for it.
create table flow_signals (
  company_id bigint not null,
  id bigint generated always as identity,
  run_id bigint not null,
  signal jsonb not null,
  primary key (company_id, id)
);
create index flow_signals_run on flow_signals (company_id, run_id);

-- Events created by track_event steps, stored in a separate transaction (marketing/flows/enrolment.ts).
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
  attempts int not null default 0,
  due_at timestamptz not null default '-infinity',
  error text,
  correlation text,
  primary key (company_id, id)
);

-- Notifications for staff, created by notify steps.
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
-- Exports and erasures find the notifications about a contact.
create index flow_notifications_contact on flow_notifications (company_id, contact_id);

-- Calls made by webhook steps. due_at of a pending call is the time of the next attempt. Claiming a call moves it past the lease,
-- so that the call becomes due again if the worker dies.
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
  -- By the database's clock, because the clocks of processes may differ. due_at only says when to look again.
  lease_until timestamptz,
  primary key (company_id, id),
  unique (company_id, run_id, step_id, visit)
);
create index flow_webhook_calls_due on flow_webhook_calls (company_id, due_at) where status = 'pending';

-- Work on many runs of a flow that a request starts and a worker completes: exit (archived), resume, migrate, enroll.
create table flow_tasks (
  company_id bigint not null,
  id bigint generated always as identity,
  flow_id bigint not null,
  kind text not null check (kind in ('exit', 'resume', 'migrate', 'enroll')),
  reason text,
  created_at timestamptz not null,
  -- Failed work is retried on its own: due_at is the time of the next attempt, error the last failure.
  attempts int not null default 0,
  due_at timestamptz not null default '-infinity',
  error text,
  -- Where a migration moves runs whose step does not exist in the newest version: [{"step_id": "a", "to": "b"}]; null ends them.
  moves jsonb not null default '[]',
  -- The progress of a migration: {"version": 3, "position": 17, "held": 5}.
  walk jsonb,
  primary key (company_id, id)
);

-- Figures of flows (step_id '') and their steps. Deltas are appended by transactions that move runs and folded in the background;
-- readers add both.
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

-- Ends waiting runs at their current step, and writes their log and figures. A function, because several folders use it:
-- archiving a flow, merging contacts.
create function exit_flow_runs(of_company bigint, ids bigint[], why text, at_moment timestamptz) returns bigint
language plpgsql as $$
declare ended bigint;
begin
  with gone as (
    update flow_runs set status = 'exited', reason = why, awaits = null, ended_at = at_moment, seq = seq + 1
    where company_id = of_company and id = any(ids) and status in ('active', 'paused')
    returning id, flow_id, version, step_id, seq
  ),
  types as (
    select g.flow_id, g.version, step ->> 'step_id' as step_id, step ->> 'type' as type
    from (select distinct flow_id, version from gone) g
    join flow_versions v on v.company_id = of_company and v.flow_id = g.flow_id and v.version = g.version
    cross join jsonb_array_elements(v.definition -> 'steps') step
  ),
  logged as (
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select of_company, id, seq, at_moment, jsonb_build_array(jsonb_build_object('step_id', step_id, 'type', type,
      'result', 'exited', 'detail', why))
    from gone left join types using (flow_id, version, step_id)
  ),
  counted as (
    insert into flow_stat_deltas (company_id, flow_id, step_id, metric, n)
    select of_company, flow_id, at_step, metric, sum(n) from gone cross join lateral (values
      (step_id, 'waiting', -1), (step_id, 'exited', 1), ('', 'active', -1), ('', 'exited', 1)) c (at_step, metric, n)
    where at_step is not null group by flow_id, at_step, metric
  )
  select count(*) into ended from gone;
  return ended;
end $$;

create function fold_flow_stats(at_most bigint default 50000) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One fold at a time: two could deadlock.
  if not pg_try_advisory_xact_lock(7265319405) then return 0; end if;
  with gone as (
    delete from flow_stat_deltas where ctid = any(array(select ctid from flow_stat_deltas limit at_most)) returning *
  ),
  sums as (
    select company_id, flow_id, step_id, metric, sum(n) as n, count(*) as deltas from gone
    group by company_id, flow_id, step_id, metric order by 1, 2, 3, 4
  ),
  written as (
    insert into flow_stats as s (company_id, flow_id, step_id, metric, n)
    select company_id, flow_id, step_id, metric, n from sums
    on conflict (company_id, flow_id, step_id, metric) do update set n = s.n + excluded.n
  ),
  marked as (
    insert into live_marks as m (company_id, kind, n)
    select distinct company_id, 'flow-runs', 1 from sums order by 1
    on conflict (company_id, kind) do update set n = m.n + 1
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;

-- Events that a paused flow missed, written by the transaction that stores the event: only it knows whether the flow was paused.
-- Timestamps of events and pauses are taken before their transactions begin and do not tell their order. Enrolment takes each
-- row.
create table flow_missed_events (
  company_id bigint not null,
  flow_id bigint not null,
  event_id bigint not null,
  -- When the event was received, which determines its partition.
  received_at timestamptz not null,
  primary key (company_id, flow_id, event_id)
);
