-- Old keys are found by looking through the table, a slice at a time: an index by their end cost every event an insert
-- into it, and a purge that kept up with many events would have had to read as much.
drop index event_keys_expires_at;

-- For conditions of statements whose transaction is to be undone and done again (see flows/enrolment-queries.ts).
create function fail_serialization(reason text) returns boolean language plpgsql as $$
begin
  raise exception '%', reason using errcode = 'serialization_failure';
end $$;
drop function share_event_types(bigint, text[], bigint);
