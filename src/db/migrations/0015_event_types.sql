-- Takes the locks of event types in common with all who store such events, and fails where the company's configuration is
-- not of the version that the caller knows (see marketing/flows/enrolment.ts).
create function share_event_types(company bigint, event_types text[], known_version bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('flow event ' || event_type, company))
  from unnest(event_types) as event_type;
  -- A statement of its own: it sees what those committed who had the locks before.
  if known_version <> coalesce((select version from company_versions where company_id = company), 0) then
    raise exception 'The configuration of the company has changed' using errcode = 'serialization_failure';
  end if;
end $$;
