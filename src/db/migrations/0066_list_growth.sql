-- The net change of active members by day: `active:3` of list-growth, by the id of the list, and `active` of marketing-days, contacts that
-- are subscribed and have not bounced. What is active now, less the changes since, was active at the end of a day.
-- Deleted rows do not say when: their day is that of the database.
create or replace function count_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(n) from (
      select company_id, status, (updated_at at time zone 'UTC')::date as came_on, count(*) as n from later group by 1, 2, 3
    ) sums, lateral (values ('contacts', date '2000-01-01', status),
      ('marketing-days', came_on, case when status <> 'unsubscribed' then 'subscribed' end),
      ('marketing-days', came_on, case when status = 'subscribed' then 'active' end)) as c (counter, day, key)
    where c.key is not null group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, -count(*) from before, lateral (values ('contacts', date '2000-01-01', status),
      ('marketing-days', (now() at time zone 'UTC')::date, case when status = 'subscribed' then 'active' end)) as c (counter, day, key)
    where c.key is not null group by 1, 2, 3, 4;
  else
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(c.n) from (
      select company_id, status, sum(n) as n from (
        select company_id, status, -1 as n from before
        union all
        select company_id, status, 1 from later
      ) changes
      group by 1, 2 having sum(n) <> 0
    ) sums, lateral (values ('contacts', date '2000-01-01', status, n),
      ('marketing-days', (select (max(updated_at) at time zone 'UTC')::date from later),
        case when status = 'subscribed' then 'active' end, n)) as c (counter, day, key, n)
    where c.key is not null group by 1, 2, 3, 4;
  end if;
  return null;
end $$;

create or replace function count_list_memberships() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(n) from (
      select company_id, list_id, status, (updated_at at time zone 'UTC')::date as came_on, created_at = updated_at as is_new, count(*) as n
      from later group by 1, 2, 3, 4, 5
    ) sums, lateral (values ('list:' || list_id, date '2000-01-01', status),
      ('list-growth', came_on, case when status = 'active' and is_new then 'subscribed:' || list_id end),
      ('list-growth', came_on, case when status = 'active' then 'active:' || list_id end)) as c (counter, day, key)
    where c.key is not null group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, -count(*) from before, lateral (values ('list:' || list_id, date '2000-01-01', status),
      ('list-growth', (now() at time zone 'UTC')::date, case when status = 'active' then 'active:' || list_id end)) as c (counter, day, key)
    where c.key is not null group by 1, 2, 3, 4;
  else
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(c.n) from (
      select company_id, list_id, status, sum(n) as n from (
        select company_id, list_id, status, -1 as n from before
        union all
        select company_id, list_id, status, 1 from later
      ) changes
      group by 1, 2, 3 having sum(n) <> 0
    ) sums, lateral (values ('list:' || list_id, date '2000-01-01', status, n),
      ('list-growth', (select (max(updated_at) at time zone 'UTC')::date from later),
        case when status = 'active' then 'active:' || list_id end, n)) as c (counter, day, key, n)
    where c.key is not null group by 1, 2, 3, 4;
  end if;
  return null;
end $$;
