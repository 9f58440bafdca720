-- A campaign to several lists and segments, or with exclusions: {audiences, exclude, member_of}. Null: list_id or segment_id says it all.
alter table campaigns add column audience jsonb;
