-- Counts changes of each kind of list, for whoever watches a company: another number says that something changed. Written by
-- those that fold kept totals, once for each kind of list that a fold touched; the writers of orders and messages do nothing for it.
create table live_marks (
  company_id bigint not null,
  kind text not null,
  n bigint not null,
  primary key (company_id, kind)
) with (fillfactor = 70);

create or replace function fold_list_counts(at_most bigint default null) returns bigint language plpgsql as $$
declare
  folded bigint;
  empty list_counts[];
begin
  -- One folder at a time: two would wait for each other's rows in different orders.
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
    -- What stands behind the colon is a record's id.
    insert into live_marks as m (company_id, kind, n)
    select distinct company_id, split_part(list, ':', 1), 1 from sums order by 1, 2
    on conflict (company_id, kind) do update set n = m.n + 1
  )
  select (select coalesce(sum(deltas), 0) from sums), array(select c from written where (c).n = 0) into folded, empty;
  -- A row that the statement before wrote, it could not delete itself.
  delete from list_counts c using unnest(empty) e
  where (c.company_id, c.list, c.bucket, c.day, c.facet) = (e.company_id, e.list, e.bucket, e.day, e.facet);
  return folded;
end $$;

create or replace function fold_flow_stats(at_most bigint default 50000) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows.
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
