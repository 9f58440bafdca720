-- Of an id that ends in a number the key ends in that number, behind a hash of what stands before it (see
-- marketing/events/keys.ts). The keys that were whole hashes get that form, so that what was known is known still.
lock table event_keys in exclusive mode;
with ids as (
  select k.company_id, k.key,
    case
      when e.external_id is not null then array['id', case when e.source in ('api', 'webhook') then 'sender' else e.source end]
      else array['natural', e.event_type]
    end as space,
    case
      when e.external_id is not null then e.external_id
      when e.event_type in ('order_placed', 'order_completed') then e.data ->> 'order_id'
      when e.event_type in ('subscription_created', 'subscription_cancelled') then e.data ->> 'subscription_id'
    end as id
  from event_keys k
  join events e on e.company_id = k.company_id and e.event_id = k.event_id
),
counted as (
  select company_id, key, space, id, substring(id from '[1-9][0-9]{0,11}$') as number
  from ids
  where id ~ '[1-9][0-9]{0,11}$'
)
update event_keys k
set key = (
  left(encode(sha256(convert_to(
    format('["counted","%s","%s",%s]', space[1], space[2], to_json(left(id, -length(number)))), 'UTF8')), 'hex'), 22)
  || lpad(to_hex(number::bigint), 10, '0')
)::uuid
from counted c
where k.company_id = c.company_id and k.key = c.key;
