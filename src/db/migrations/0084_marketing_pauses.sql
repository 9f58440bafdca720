-- Pauses of a company's marketing e-mail by the program, which complaints or hard bounces above the limits began. A row stays when a person
-- ends the pause: from then on the rates are measured anew.
create table marketing_pauses (
  company_id bigint primary key references companies,
  -- null: marketing e-mail is sent.
  paused_at timestamptz,
  reason text check (reason in ('complaint_rate', 'bounce_rate')),
  -- What was measured when the pause began.
  sent bigint not null default 0,
  refused bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  resumed_at timestamptz,
  -- The day of that (UTC), and what it had counted by then: see list_counts, marketing-days.
  counted_from date,
  base_sent bigint not null default 0,
  base_refused bigint not null default 0,
  base_bounced bigint not null default 0,
  base_complained bigint not null default 0,
  check (paused_at is null or reason is not null)
);
call watch_configuration('marketing_pauses');
