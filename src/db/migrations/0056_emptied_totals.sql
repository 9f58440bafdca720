-- What kept totals came to nothing is removed: of messages that were removed for their age, every read of a list went through the buckets
-- of all that there ever were. Readers take a sum that is missing for 0.
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
  )
  select (select coalesce(sum(deltas), 0) from sums), array(select c from written where (c).n = 0) into folded, empty;
  -- A row that the statement before wrote, it could not delete itself.
  delete from list_counts c using unnest(empty) e
  where (c.company_id, c.list, c.bucket, c.day, c.facet) = (e.company_id, e.list, e.bucket, e.day, e.facet);
  return folded;
end $$;
delete from list_counts where n = 0;
