-- How many contacts a segment had on each day, counted once a day by a chore. Null where the count took too long.
create table segment_counts (
  company_id bigint not null references companies,
  segment_id bigint not null,
  day date not null,
  n bigint,
  primary key (company_id, segment_id, day),
  foreign key (company_id, segment_id) references segments on delete cascade
);
-- Found by who removes old ones, and by who looks for segments without a count of the day.
create index segment_counts_day on segment_counts (day);
