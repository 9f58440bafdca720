-- A campaign in batches: {size or count, minutes}, and how far it is: {size, left, released, next_at}.
alter table campaigns add column batches jsonb, add column batching jsonb;

create or replace trigger raise_revision before update on campaigns for each row
  execute function raise_revision('reason', 'winner', 'started_at', 'audience_cursor', 'recipients', 'finished_at', 'counted', 'count_due',
    'retry', 'held_out', 'first_zone_at', 'batching', 'updated_at');
