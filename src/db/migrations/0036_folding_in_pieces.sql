-- In pieces: changes that have gathered while nobody folded must not be one statement that takes too long for ever.
drop function fold_list_counts();
create function fold_list_counts(at_most bigint default null) returns bigint language plpgsql as $$
declare folded bigint;
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
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;

-- Old responses are found by going through the table (see db/purge.ts): once pages are used again, the index that knew the oldest
-- row of each range of pages knew nothing any more.
drop index idempotency_keys_created_at;
