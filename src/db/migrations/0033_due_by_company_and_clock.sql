-- The first due delivery of each company is found by one look into the index, however many another company has.
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (company_id, due_at, id) where status = 'pending';

-- A window that lies ahead is of a clock that was wrong for a while: nobody waits for it. Five minutes are left for the
-- clocks of several machines.
create or replace function lease_requests(company bigint, api_key bigint, at timestamptz, most bigint, hourly bigint,
  out window_started timestamptz, out granted bigint, out total_leased bigint) language plpgsql as $$
declare
  latest constant timestamptz := at + interval '5 minutes';
begin
  insert into api_key_usage (company_id, api_key_id, window_start, leased, last_used_at)
  values (company, api_key, at, 0, at) on conflict do nothing;
  select window_start, leased into window_started, total_leased
  from api_key_usage where company_id = company and api_key_id = api_key for update;
  if window_started + interval '1 hour' <= at or window_started > latest then
    window_started := at;
    total_leased := 0;
  end if;
  granted := greatest(0, least(most, (hourly - total_leased + 19) / 20));
  total_leased := total_leased + granted;
  update api_key_usage set window_start = window_started, leased = total_leased,
    last_used_at = case when last_used_at > latest then at else greatest(last_used_at, at) end
  where company_id = company and api_key_id = api_key;
end $$;
