-- Sums of the kept totals over 256 buckets, a million ids: a page of 50 million messages was found by adding up 12,000 buckets of each
-- facet, which took 0.4 s. Now these are some 50 spans, and the buckets of two of them. Whoever writes list_counts writes them as well.
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
insert into list_spans (company_id, list, span, facet, n)
select company_id, list, bucket / 256, facet, sum(n) from list_counts group by 1, 2, 3, 4 having sum(n) <> 0;

-- As before (see 0001). Spans have no days: a page of some days is found by the buckets alone.
create or replace function locate_page(company bigint, list_name text, facets text[], first_day date, last_day date, skip bigint,
  out total bigint, out below bigint, out rest bigint, out lowest bigint) language plpgsql stable as $$
declare
  counted record;
  -- The span of the page, and the last one that has rows.
  page_span bigint;
  last_span bigint;
  -- Rows before the bucket that is looked at.
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
  -- Behind the last page only the total is asked for.
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
