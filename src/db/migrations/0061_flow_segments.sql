-- Flows that start when a contact joins a segment: who was in it when it was last compared. See docs/design/flows.md.
create table flow_segments (
  company_id bigint not null references companies,
  segment_id bigint not null,
  compared_at timestamptz,
  -- A hash of the conditions that the members were noted by; where they change, the members are noted anew.
  rules text,
  -- Whether all members of the beginning are noted: from then on, those that join raise events.
  based boolean not null default false,
  primary key (company_id, segment_id)
);

create table flow_segment_members (
  company_id bigint not null references companies,
  segment_id bigint not null,
  contact_id bigint not null,
  primary key (company_id, segment_id, contact_id)
);
create index flow_segment_members_contact on flow_segment_members (company_id, contact_id);
