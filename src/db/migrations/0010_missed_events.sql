-- What a paused flow missed is written down by whoever stores the event, who alone knows whether the flow was paused for
-- it: moments of events and of pauses are taken from clocks before their transactions begin, and say nothing about the
-- order in which these were done. A row is taken by the enrolment that looks at it.
create table flow_missed_events (
  company_id bigint not null,
  flow_id bigint not null,
  event_id bigint not null,
  -- The event's, which says the month in which it is kept.
  received_at timestamptz not null,
  primary key (company_id, flow_id, event_id)
);
insert into flow_missed_events (company_id, flow_id, event_id, received_at)
select distinct p.company_id, p.flow_id, e.event_id, e.received_at
from flow_pauses p
join flows f on f.company_id = p.company_id and f.id = p.flow_id and f.deleted_at is null
join events e on e.company_id = p.company_id and e.event_type = f.trigger_type and e.event_id > p.enrolled_up_to
  and e.received_at >= p.paused_at and e.received_at < coalesce(p.resumed_at, 'infinity')
  and e.occurred_at >= e.received_at - interval '24 hours'
where not p.enrolled and not exists (
  select 1 from flow_runs r where r.company_id = p.company_id and r.contact_id = e.contact_id
    and r.flow_id = p.flow_id and r.event_id = e.event_id);
drop table flow_pauses;
