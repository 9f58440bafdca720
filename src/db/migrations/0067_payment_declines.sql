-- How many cards the service of a payment has declined.
alter table payments add column declines smallint not null default 0;
