-- The program's database user owns no table and may make none: the coming months of events are made on the owner's behalf.
alter function ensure_event_partitions(date, int) security definer set search_path = public, pg_temp;
revoke execute on function ensure_event_partitions(date, int) from public;
