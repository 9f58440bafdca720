-- Flows that start on a date of each contact: which day was read last. See docs/design/flows.md.
create table flow_date_scans (
  company_id bigint not null references companies,
  flow_id bigint not null,
  -- In the company's time zone.
  day date not null,
  -- The last contact of the day that was read; null: all were.
  place bigint,
  primary key (company_id, flow_id),
  foreign key (company_id, flow_id) references flows
);
