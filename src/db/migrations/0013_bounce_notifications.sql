-- The mail providers' notifications of bounces that were taken in, so that one that comes again, or is sent again by
-- somebody who saw it, changes nothing. Forgotten when such a one would be refused for its age.
create table bounce_notifications (
  company_id bigint not null,
  -- SHA-256 of the provider and what its signature covers.
  key bytea not null,
  received_at timestamptz not null,
  primary key (company_id, key)
);
create index bounce_notifications_age on bounce_notifications (received_at);
