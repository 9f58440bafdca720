-- The plan by which a sending domain is warmed up; null for none:
-- {"starts_on": "2026-03-02", "messages": 50, "growth": 1.5, "ends_on": "2026-03-31"}
alter table sending_domains add column warm_up jsonb;

-- What was handed over of marketing e-mails from a domain that is warmed up, by day of the company's time zone.
create table warm_up_days (
  company_id bigint not null references companies,
  domain_id bigint not null,
  day date not null,
  -- What the plan allows on the day, as it was last asked for.
  quota bigint not null,
  handed_over bigint not null,
  -- Of those that were asked for last.
  granted bigint not null,
  primary key (company_id, domain_id, day)
) with (fillfactor = 50);

-- Limits of messages per hour by the domain of the recipients: what of it is spent.
create table domain_rates (
  company_id bigint not null references companies,
  domain text not null check (length(domain) <= 253),
  -- Until when the hour's messages are spent; before it nothing is left.
  free_at timestamptz not null,
  -- Up to where those that were put off are spread.
  put_off_to timestamptz not null,
  primary key (company_id, domain)
) with (fillfactor = 50);
