-- Exact totals of long lists, and the pages of those lists.

-- Exact totals of long lists. Triggers on each listed table append changes to list_count_deltas and a worker folds them into
-- list_counts; readers add both in one snapshot. A bucket is a range of 4096 ids, so that a page number leads to an id without
-- reading the preceding pages.
-- Totals shown on the marketing home page are kept by day (UTC), grouped by what is read together:
-- marketing-days: `sent:email`, `refused:email`, `bounced:email`, `complained:email` (by channel), `orders:flow`, `revenue:flow`,
-- `orders:campaign`, `revenue:campaign` (minor units), `subscribed` and `unsubscribed` (contacts)
-- marketing-sources: `orders:flow:7`, `revenue:campaign:12`
-- list-growth: `subscribed:3` and `unsubscribed:3`, by the id of the list
create table list_counts (
  company_id bigint not null,
  list text not null,
  bucket bigint not null,
  day date not null,
  facet text not null,
  n bigint not null,
  primary key (company_id, list, bucket, day, facet)
) with (fillfactor = 70);

create table list_count_deltas (
  company_id bigint not null,
  list text not null,
  bucket bigint not null,
  day date not null,
  facet text not null,
  n bigint not null
);
create index list_count_deltas_list on list_count_deltas (company_id, list);

-- Sums of list_counts over 256 buckets (one million ids). Without them, finding a page among 50 million messages means adding
-- 12,000 buckets per facet (0.4 s); with them, about 50 spans and the buckets of two spans. Triggers on list_counts maintain
-- them.
create table list_spans (
  company_id bigint not null,
  list text not null,
  -- bucket / 256
  span bigint not null,
  facet text not null,
  n bigint not null,
  primary key (company_id, list, span, facet)
) with (fillfactor = 70);

create function sum_list_counts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_spans as s (company_id, list, span, facet, n)
    select company_id, list, bucket / 256, facet, sum(n) from later group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (company_id, list, span, facet) do update set n = s.n + excluded.n;
    delete from list_spans s using (select distinct company_id, list, bucket / 256 as span, facet from later) e
    where (s.company_id, s.list, s.span, s.facet) = (e.company_id, e.list, e.span, e.facet) and s.n = 0;
  elsif tg_op = 'DELETE' then
    insert into list_spans as s (company_id, list, span, facet, n)
    select company_id, list, bucket / 256, facet, -sum(n) from before group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (company_id, list, span, facet) do update set n = s.n + excluded.n;
    delete from list_spans s using (select distinct company_id, list, bucket / 256 as span, facet from before) e
    where (s.company_id, s.list, s.span, s.facet) = (e.company_id, e.list, e.span, e.facet) and s.n = 0;
  else
    insert into list_spans as s (company_id, list, span, facet, n)
    select company_id, list, bucket / 256, facet, sum(n) from (
      select company_id, list, bucket, facet, -n as n from before
      union all
      select company_id, list, bucket, facet, n from later
    ) changes
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (company_id, list, span, facet) do update set n = s.n + excluded.n;
    delete from list_spans s using (select distinct company_id, list, bucket / 256 as span, facet from later) e
    where (s.company_id, s.list, s.span, s.facet) = (e.company_id, e.list, e.span, e.facet) and s.n = 0;
  end if;
  return null;
end $$;
create trigger sum_inserted after insert on list_counts referencing new table as later
  for each statement execute function sum_list_counts();
create trigger sum_updated after update on list_counts referencing old table as before new table as later
  for each statement execute function sum_list_counts();
create trigger sum_deleted after delete on list_counts referencing old table as before
  for each statement execute function sum_list_counts();

-- Returns the total of a list under its kept filters, and where the page that starts at row `skip` begins: the rows of the page
-- have ids lower than `below`, after skipping `rest` of them (rest < 4096). No row of the list has an id lower than `lowest`;
-- without this bound, a page that is not full would search all older rows. If facets or days are null, they do not filter. Spans
-- have no days, so pages of a range of days are found with buckets alone.
create function locate_page(company bigint, list_name text, facets text[], first_day date, last_day date, skip bigint,
  out total bigint, out below bigint, out rest bigint, out lowest bigint) language plpgsql stable as $$
declare
  counted record;
  -- The span of the page, and the last span with rows.
  page_span bigint;
  last_span bigint;
  -- Rows before the current bucket.
  place bigint;
begin
  total := 0;
  below := 0;
  rest := 0;
  lowest := 0;
  if first_day is not null or last_day is not null then
    for counted in
      select bucket, sum(n)::bigint as n from (
        select bucket, n from list_counts
        where company_id = company and list = list_name and (facets is null or facet = any (facets))
          and (first_day is null or day >= first_day) and (last_day is null or day <= last_day)
        union all
        select bucket, n from list_count_deltas
        where company_id = company and list = list_name and (facets is null or facet = any (facets))
          and (first_day is null or day >= first_day) and (last_day is null or day <= last_day)
      ) rows
      group by bucket order by bucket desc
    loop
      if skip >= total and skip < total + counted.n then
        below := (counted.bucket + 1) * 4096;
        rest := skip - total;
      end if;
      if counted.n > 0 then lowest := counted.bucket * 4096; end if;
      total := total + counted.n;
    end loop;
    return;
  end if;

  for counted in
    select span, sum(n)::bigint as n from (
      select span, n from list_spans
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
      union all
      select bucket / 256, n from list_count_deltas
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
    ) rows
    group by span having sum(n) <> 0 order by span desc
  loop
    if skip >= total and skip < total + counted.n then
      page_span := counted.span;
      place := total;
    end if;
    last_span := counted.span;
    total := total + counted.n;
  end loop;
  -- After the last page only the total is needed.
  if page_span is null then return; end if;

  for counted in
    select bucket, sum(n)::bigint as n from (
      select bucket, n from list_counts
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
        and bucket >= page_span * 256 and bucket < page_span * 256 + 256
      union all
      select bucket, n from list_count_deltas
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
        and bucket >= page_span * 256 and bucket < page_span * 256 + 256
    ) rows
    group by bucket order by bucket desc
  loop
    if skip >= place and skip < place + counted.n then
      below := (counted.bucket + 1) * 4096;
      rest := skip - place;
      exit;
    end if;
    place := place + counted.n;
  end loop;
  lowest := 4096 * (
    select coalesce(min(bucket), 0) from (
      select bucket from (
        select bucket, n from list_counts
        where company_id = company and list = list_name and (facets is null or facet = any (facets))
          and bucket >= last_span * 256 and bucket < last_span * 256 + 256
        union all
        select bucket, n from list_count_deltas
        where company_id = company and list = list_name and (facets is null or facet = any (facets))
          and bucket >= last_span * 256 and bucket < last_span * 256 + 256
      ) rows
      group by bucket having sum(n) > 0
    ) filled);
end $$;

-- Adds up to `at_most` deltas to list_counts and returns their number. Rows that become 0 are deleted, because every read of a
-- list would visit them; readers treat missing rows as 0.
create function fold_list_counts(at_most bigint default null) returns bigint language plpgsql as $$
declare
  folded bigint;
  empty list_counts[];
begin
  -- One fold at a time: two could deadlock.
  if not pg_try_advisory_xact_lock(7265319403) then return 0; end if;
  with gone as (
    delete from list_count_deltas where ctid = any(array(select ctid from list_count_deltas limit at_most)) returning *
  ),
  sums as (
    select company_id, list, bucket, day, facet, sum(n) as n, count(*) as deltas from gone
    group by company_id, list, bucket, day, facet order by 1, 2, 3, 4, 5
  ),
  written as (
    insert into list_counts as c (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, day, facet, n from sums
    on conflict (company_id, list, bucket, day, facet) do update set n = c.n + excluded.n
    returning c
  ),
  marked as (
    -- The part after the colon is the id of a record.
    insert into live_marks as m (company_id, kind, n)
    select distinct company_id, split_part(list, ':', 1), 1 from sums order by 1, 2
    on conflict (company_id, kind) do update set n = m.n + 1
  )
  select (select coalesce(sum(deltas), 0) from sums), array(select c from written where (c).n = 0) into folded, empty;
  -- The previous statement cannot delete rows that it has written itself.
  delete from list_counts c using unnest(empty) e
  where (c.company_id, c.list, c.bucket, c.day, c.facet) = (e.company_id, e.list, e.bucket, e.day, e.facet);
  return folded;
end $$;

-- Triggers that keep the count of a list: of the rows of a table, or of those whose column `gone_at` is null.
create function count_rows() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, tg_table_name, 0, '2000-01-01', '', count(*) from added group by 1;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, tg_table_name, 0, '2000-01-01', '', -count(*) from removed group by 1;
  end if;
  return null;
end $$;

-- Counts a row that enters (1) or leaves (-1) the list without being inserted or deleted, or reports that it changed (0).
create function count_row() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  values (coalesce(new.company_id, old.company_id), tg_table_name, 0, '2000-01-01', '', tg_argv[0]::bigint);
  return null;
end $$;

create procedure count_list(counted regclass, gone_at name default null) language plpgsql as $$
begin
  execute format('create trigger count_added after insert on %s referencing new table as added for each statement execute function count_rows()', counted);
  execute format('create trigger count_removed after delete on %s referencing old table as removed for each statement execute function count_rows()', counted);
  if gone_at is null then return; end if;
  execute format('create trigger count_added_gone after insert on %s for each row when (new.%I is not null) execute function count_row(''-1'')', counted, gone_at);
  execute format('create trigger count_removed_gone after delete on %s for each row when (old.%I is not null) execute function count_row(''1'')', counted, gone_at);
  execute format('create trigger count_leaving after update on %s for each row when (old.%I is null and new.%I is not null) execute function count_row(''-1'')', counted, gone_at, gone_at);
  execute format('create trigger count_returning after update on %s for each row when (old.%I is not null and new.%I is null) execute function count_row(''1'')', counted, gone_at, gone_at);
end $$;
