-- Contacts, lists, consent, suppressions, segments and signup forms.

-- The pairs of adjacent letters of a text. A loop takes a fifth of the time that a query takes for a short text; the search
-- indexes are most of the cost of importing contacts.
create function search_pairs(value text) returns tsvector
language plpgsql immutable strict parallel safe cost 2000 as $$
declare
  letters text[] := string_to_array(value, null);
  n int := cardinality(letters);
begin
  if n = 0 then return null; end if;
  -- The last letter alone.
  for i in 1 .. n - 1 loop letters[i] := letters[i] || letters[i + 1]; end loop;
  return array_to_tsvector(letters);
end $$;

create table contacts (
  company_id bigint not null,
  id bigint generated always as identity,
  external_id text,
  email text,
  phone text,
  first_name text,
  last_name text,
  source text,
  tags text[] not null default '{}',
  properties jsonb not null default '{}',
  -- The searched text: "first last", a line break, the e-mail address; folded by src/db/fold.ts.
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  email_consent text not null default 'subscribed' check (email_consent in ('subscribed', 'unsubscribed', 'never')),
  -- Null: since the contact was created.
  email_consent_at timestamptz,
  email_consent_source text not null default 'api',
  sms_consent text not null default 'never' check (sms_consent in ('subscribed', 'unsubscribed', 'never')),
  sms_consent_at timestamptz,
  sms_consent_source text not null default 'api',
  -- The address refused mail permanently or too often. Cleared when the address changes.
  email_bounced boolean not null default false,
  -- Same as statusOf in marketing/contacts/status.ts.
  status text not null generated always as (
  case
    when email is null and phone is not null then case when sms_consent = 'subscribed' then 'subscribed' else 'unsubscribed' end
    when email_consent <> 'subscribed' then 'unsubscribed'
    when email_bounced then 'bounced'
    else 'subscribed'
  end) stored,
  -- Chosen on the preference page. 'less_often': at most one marketing message per number of days in the company's settings.
  marketing_frequency text check (marketing_frequency = 'less_often'),
  -- No marketing until then.
  paused_until timestamptz,
  primary key (company_id, id),
  constraint contacts_has_key check (num_nonnulls(external_id, email, phone) > 0)
) with (fillfactor = 85);
-- Partial, so that these are not keys in the sense of FOR KEY SHARE: changing an e-mail address does not wait for a new
-- membership.
create unique index contacts_external_id on contacts (company_id, external_id) where external_id is not null;
create unique index contacts_email on contacts (company_id, email) where email is not null;
create unique index contacts_phone on contacts (company_id, phone) where phone is not null;
create index contacts_search_pairs on contacts using gin (company_id, search_pairs(search));
-- Without statistics: each ANALYZE computed these values for 30,000 rows, which took half a second every few seconds while the
-- table grew. Searches do not use the statistics.
alter index contacts_search_pairs alter column 2 set statistics 0;
create index contacts_status on contacts (company_id, status, id);
create index contacts_search on contacts using gin (company_id, status, tags, search gin_trgm_ops);
-- Contacts whose messages are handed over one after the other. Almost empty: queried for each set of messages before sending.
create index contacts_less_often on contacts (company_id, id) where marketing_frequency is not null;
create index contacts_by_email on contacts (company_id, email, id) include (status);

-- Counts new and deleted contacts. A bounce, or an address that replaces a bounced one, is not a decision of the contact.
create function count_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(n) from (
      select company_id, id / 4096 as bucket, status, (updated_at at time zone 'UTC')::date as came_on, count(*) as n
      from later group by 1, 2, 3, 4
    ) sums, lateral (values ('contacts', bucket, date '2000-01-01', status),
      ('marketing-days', 0, came_on, case when status <> 'unsubscribed' then 'subscribed' end)) as kept (list, bucket, day, facet)
    where kept.facet is not null group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'contacts', id / 4096, '2000-01-01', status, -count(*) from before group by 1, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'contacts', bucket, '2000-01-01', facet, sum(n) from (
      select company_id, id / 4096 as bucket, status as facet, -1 as n from before
      union all
      select company_id, id / 4096, status, 1 from later
    ) changes
    group by company_id, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on contacts referencing new table as later for each statement execute function count_contacts();
create trigger count_updated after update on contacts referencing old table as before new table as later for each statement execute function count_contacts();
create trigger count_deleted after delete on contacts referencing old table as before for each statement execute function count_contacts();

-- A row trigger, because few changes of a contact affect these columns.
create function count_changed_contact() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  values (new.company_id, 'marketing-days', 0, (new.updated_at at time zone 'UTC')::date,
    case when new.status = 'unsubscribed' then 'unsubscribed' else 'subscribed' end, 1);
  return null;
end $$;
create trigger count_growth_updated after update on contacts for each row
  when ((old.status = 'unsubscribed') <> (new.status = 'unsubscribed')) execute function count_changed_contact();

-- Changes of a contact's status, lists and preferences, and merges. Events and messages are stored elsewhere.
create table contact_activity (
  company_id bigint not null,
  contact_id bigint not null,
  id bigint generated always as identity,
  type text not null check (type in ('status_changed', 'list_changed', 'merged', 'preferences_changed')),
  data jsonb not null,
  created_at timestamptz not null,
  primary key (company_id, contact_id, id)
);
-- Finds recent merges when the audience of a campaign is complete.
create index contact_activity_merged on contact_activity (company_id, created_at) where type = 'merged';
-- Finds old rows to delete; merges are kept.
create index contact_activity_age on contact_activity (company_id, id) where type <> 'merged';
-- Follows a link in an old message to the contact that its recipient was merged into.
create index contact_activity_merged_from
  on contact_activity (company_id, ((data ->> 'contact_id')::bigint)) where type = 'merged';

-- Ids of erased contacts. Contains no personal data, and lets erasures be repeated on a restored backup.
create table contact_erasures (
  company_id bigint not null,
  contact_id bigint not null,
  erased_at timestamptz not null,
  primary key (company_id, contact_id)
);

-- Previous addresses, numbers and ids of contacts, which an erasure also searches for.
create table contact_former_keys (
  company_id bigint not null,
  contact_id bigint not null,
  kind text not null check (kind in ('email', 'phone', 'external_id')),
  value text not null,
  primary key (company_id, contact_id, kind, value)
);

create function remember_former_keys() returns trigger language plpgsql as $$
begin
  insert into contact_former_keys (company_id, contact_id, kind, value)
  select old.company_id, old.id, k.kind, k.was
  from (values ('email', old.email, new.email), ('phone', old.phone, new.phone),
    ('external_id', old.external_id, new.external_id)) as k (kind, was, becomes)
  where k.was is not null and k.was is distinct from k.becomes
  on conflict do nothing;
  return null;
end $$;
create trigger keys_changed after update on contacts for each row
  when (old.email <> new.email or old.phone <> new.phone or old.external_id <> new.external_id
    or (old.email is not null and new.email is null) or (old.phone is not null and new.phone is null)
    or (old.external_id is not null and new.external_id is null))
  execute function remember_former_keys();

create table lists (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  description text not null default '',
  double_opt_in boolean not null default false,
  -- A deleted list disappears immediately; its memberships are deleted in slices afterwards.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Internal lists are not shown on the preference page.
  internal boolean not null default false,
  primary key (company_id, id)
);

-- No foreign key to lists: a list is never removed before its memberships, and key checks would lock one row for all of them.
create table list_memberships (
  company_id bigint not null,
  list_id bigint not null,
  contact_id bigint not null,
  status text not null check (status in ('pending', 'active', 'unsubscribed')),
  consent_at timestamptz,
  consent_source text,
  consent_ip text,
  -- When the confirmation e-mail was queued; null while a pending membership waits for it.
  confirmation_queued_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- With the status, so that pages of members are found in the index alone.
  primary key (company_id, list_id, contact_id) include (status),
  foreign key (company_id, contact_id) references contacts (company_id, id) on delete cascade
) with (fillfactor = 85);
create index list_memberships_contact on list_memberships (company_id, contact_id);
create index list_memberships_unconfirmed on list_memberships (company_id, list_id, contact_id)
  where status = 'pending' and confirmation_queued_at is null;

-- Counts memberships. A membership that is older than its row came from a merged contact and has been counted there.
create function count_list_memberships() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(n) from (
      select company_id, list_id, contact_id / 4096 as bucket, status,
        case when status = 'active' and created_at = updated_at then (updated_at at time zone 'UTC')::date end as came_on, count(*) as n
      from later group by 1, 2, 3, 4, 5
    ) sums, lateral (values ('list:' || list_id, bucket, date '2000-01-01', status),
      ('list-growth', 0, came_on, 'subscribed:' || list_id)) as kept (list, bucket, day, facet)
    where kept.day is not null group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list:' || list_id, contact_id / 4096, '2000-01-01', status, -count(*) from before group by 1, 2, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', facet, sum(n) from (
      select company_id, 'list:' || list_id as list, contact_id / 4096 as bucket, status as facet, -1 as n from before
      union all
      select company_id, 'list:' || list_id, contact_id / 4096, status, 1 from later
    ) changes
    group by company_id, list, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on list_memberships referencing new table as later for each statement execute function count_list_memberships();
create trigger count_updated after update on list_memberships referencing old table as before new table as later for each statement execute function count_list_memberships();
create trigger count_deleted after delete on list_memberships referencing old table as before for each statement execute function count_list_memberships();

create function count_changed_membership() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  values (new.company_id, 'list-growth', 0, (new.updated_at at time zone 'UTC')::date,
    case new.status when 'active' then 'subscribed:' else 'unsubscribed:' end || new.list_id, 1);
  return null;
end $$;
create trigger count_growth_updated after update on list_memberships for each row
  when (old.status <> new.status and new.status <> 'pending'
    and (old.list_id, old.contact_id) = (new.list_id, new.contact_id))
  execute function count_changed_membership();

-- Every change of a consent, and every consent given with evidence. The first state of a contact is stored in the contact's row
-- until it changes; the first change stores it in was, was_since and was_source.
create table contact_consents (
  company_id bigint not null,
  contact_id bigint not null,
  id bigint generated always as identity,
  channel text not null check (channel in ('email', 'sms')),
  state text not null check (state in ('subscribed', 'unsubscribed', 'never')),
  source text not null,
  -- The address concerned; null if the contact had none.
  address text,
  -- The text that the contact agreed to, or the reason.
  text text,
  ip text,
  user_agent text,
  was text,
  was_since timestamptz,
  was_source text,
  created_at timestamptz not null,
  primary key (company_id, contact_id, id)
);

-- Addresses that must not be written to, as keyed hashes, so that they outlive the erasure of a contact. Deleted when the contact
-- subscribes again (see marketing/contacts/standing.ts).
create table suppressions (
  company_id bigint not null,
  channel text not null check (channel in ('email', 'sms')),
  hash bytea not null,
  cause text not null check (cause in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at timestamptz not null,
  -- Who requested it: a new consent from the shop only overrides a refusal from the shop.
  source text,
  primary key (company_id, channel, hash)
);
-- Lists suppressions, newest first, without sorting all of them.
create index suppressions_listed on suppressions (company_id, created_at, channel, hash) include (cause);
create index suppressions_by_cause on suppressions (company_id, channel, cause, created_at, hash);

-- Distinguishes suppressions of the same second.
create function suppression_part(channel text, hash bytea) returns text language sql immutable parallel safe as $$
  select channel || ':' || encode(hash, 'hex')
$$;

call count_list('suppressions');

create table segments (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  conditions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

-- Parses a text as a number of the rule language, or returns null. Same grammar as marketing/rules/values.ts. Not strict, because
-- PostgreSQL would not inline it.
create function rule_number(value text) returns numeric language sql immutable parallel safe as $$
  select case when value ~ '^-?(0|[1-9][0-9]*)(\.[0-9]+)?$' and length(translate(value, '-.', '')) <= 15 then value::numeric end
$$;

-- Parses a text as a point in time of the rule language and returns milliseconds since 1970, or null. Same grammar as values.ts.
create function rule_moment(value text) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  month int;
  day int;
  days int;
  zone text;
begin
  part := regexp_match(value, '^([1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$');
  if part is null then return null; end if;
  month := part[2];
  day := part[3];
  days := extract(day from make_date(part[1]::int, month, 1) + interval '1 month' - interval '1 day');
  if day > days then return null; end if;
  zone := coalesce(nullif(part[8], 'Z'), '+00:00');
  return (make_date(part[1]::int, month, day) - date '1970-01-01') * 86400000::float8
    + coalesce(part[4]::int, 0) * 3600000 + coalesce(part[5]::int, 0) * 60000 + coalesce(part[6]::int, 0) * 1000
    + coalesce(left(rpad(part[7], 3, '0'), 3)::int, 0)
    - (case when left(zone, 1) = '-' then -1 else 1 end)
      * (substr(zone, 2, 2)::int * 3600000 + right(zone, 2)::int * 60000);
end $$;

-- Elements of a JSON array for the rule language. These are functions because PostgreSQL counts contacts with parallel workers
-- only if no subquery refers to the outer row.
-- Returns the numbers, and the texts that are numbers.
create function rule_numbers(elements jsonb) returns numeric[] language sql immutable parallel safe as $$
  select array(
    select case jsonb_typeof(element) when 'number' then element::numeric when 'string' then rule_number(element #>> '{}') end
    from jsonb_array_elements(elements) element)
$$;

-- Returns the texts that are points in time, in milliseconds since 1970.
create function rule_moments(elements jsonb) returns numeric[] language sql immutable parallel safe as $$
  select array(
    select case jsonb_typeof(element) when 'string' then rule_moment(element #>> '{}')::numeric end
    from jsonb_array_elements(elements) element)
$$;

-- Whether one of the texts contains `part`, or starts or ends with it.
create function rule_any_text(elements jsonb, comparison text, part text) returns boolean
language sql immutable parallel safe as $$
  select exists (
    select from jsonb_array_elements(elements) element
    where jsonb_typeof(element) = 'string' and case comparison
      when 'contains' then position(part in element #>> '{}') > 0
      when 'starts_with' then starts_with(element #>> '{}', part)
      when 'ends_with' then right(element #>> '{}', length(part)) = part
    end)
$$;

-- The number of contacts in a segment, counted once a day. Null if counting took too long.
create table segment_counts (
  company_id bigint not null references companies,
  segment_id bigint not null,
  day date not null,
  n bigint,
  primary key (company_id, segment_id, day),
  foreign key (company_id, segment_id) references segments on delete cascade
);
-- Finds old rows to delete, and segments that have not been counted today.
create index segment_counts_day on segment_counts (day);

-- Signup forms. public_id is part of their public addresses.
create table forms (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  public_id text not null unique,
  name text not null,
  list_ids bigint[] not null,
  channels text[] not null,
  double_opt_in boolean not null,
  -- Fields other than the addresses: [{name, label, required}].
  fields jsonb not null,
  consent_text text not null,
  allowed_origins text[] not null,
  success_text text,
  redirect_url text,
  language text not null check (language in ('en', 'de')),
  -- The minimum time that a person needs to fill in the form; 0: not checked.
  min_fill_seconds int not null,
  max_per_hour int not null,
  submissions bigint not null default 0,
  confirmed bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Appearance: {"title", "text", "button", "color", "logo_url"}; values that are not set are absent.
  look jsonb not null default '{}',
  primary key (company_id, id)
);

-- Submissions of forms: the evidence of consent, and the data that waits for confirmation.
create table form_submissions (
  company_id bigint not null,
  id bigint generated always as identity,
  form_id bigint not null,
  contact_id bigint not null,
  -- Keyed like suppressions: the address that received the confirmation, even if the contact changes.
  address_hash bytea not null,
  -- In E.164 format, if given.
  phone text,
  -- Names and properties, which are added to the contact on confirmation.
  given jsonb not null,
  consent_text text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  -- Per channel; null: not confirmed.
  email_confirmed_at timestamptz,
  sms_confirmed_at timestamptz,
  -- When the row is deleted; null: confirmed.
  expires_at timestamptz,
  primary key (company_id, id)
);
create index form_submissions_contact on form_submissions (company_id, contact_id);
create index form_submissions_address on form_submissions (company_id, address_hash, created_at);
create index form_submissions_expiry on form_submissions (expires_at) where expires_at is not null;

-- Submissions by form and client within a time window, shared by all processes. subject: '' for the whole form, otherwise a keyed
-- hash of the client's address.
create table form_rates (
  company_id bigint not null,
  form_id bigint not null,
  subject text not null,
  window_start timestamptz not null,
  n int not null,
  primary key (company_id, form_id, subject, window_start)
);
create index form_rates_window on form_rates (window_start);

-- Submissions and confirmations of a form by day (UTC). Kept after the submissions are deleted.
create table form_days (
  company_id bigint not null references companies,
  form_id bigint not null,
  day date not null,
  submissions bigint not null,
  confirmed bigint not null,
  primary key (company_id, form_id, day)
) with (fillfactor = 50);

-- The time of the last event of each contact, which the contact list is sorted by. Written in the background from the events, so
-- that storing an event costs nothing extra.
create table contact_last_activity (
  company_id bigint not null,
  contact_id bigint not null,
  -- '-infinity' without events, so that those contacts are sorted last.
  last_activity_at timestamptz not null default '-infinity',
  primary key (company_id, contact_id)
) with (fillfactor = 85);
create index contact_last_activity_at on contact_last_activity (company_id, last_activity_at, contact_id);

create function list_last_activity() returns trigger language plpgsql as $$
begin
  insert into contact_last_activity (company_id, contact_id) select company_id, id from added on conflict do nothing;
  return null;
end $$;
create trigger activity_inserted after insert on contacts referencing new table as added
  for each statement execute function list_last_activity();

create function drop_last_activity() returns trigger language plpgsql as $$
begin
  delete from contact_last_activity a using gone g where a.company_id = g.company_id and a.contact_id = g.id;
  return null;
end $$;
create trigger activity_deleted after delete on contacts referencing old table as gone
  for each statement execute function drop_last_activity();

-- The progress of the background job; one row.
create table contact_activity_state (
  only_row boolean primary key default true check (only_row),
  -- Events up to this id have been read. Those above `again_from` are read once more by the next pass, because an event may be
  -- committed after one with a higher id.
  read_to bigint not null,
  again_from bigint not null,
  -- No event above `again_from` was received earlier.
  since timestamptz not null,
  -- After a company was loaded, the last contact whose events have been read; null once all have been.
  passed_company bigint,
  passed_contact bigint
);
insert into contact_activity_state (read_to, again_from, since) values (0, 0, '-infinity');

-- Reads the next events, at most the given number of ids, and returns whether there are more.
create function fold_last_activity(at_most bigint, moment timestamptz) returns boolean language plpgsql as $$
declare
  state contact_activity_state;
  newest bigint;
  until bigint;
begin
  -- One fold at a time.
  select * into state from contact_activity_state for update skip locked;
  if not found then return false; end if;
  select last_value into newest from event_ids;
  until := least(newest, state.read_to + at_most);
  update contact_last_activity a set last_activity_at = n.at
  from (
    select e.company_id, e.contact_id, max(least(e.occurred_at, e.received_at)) as at
    from companies c cross join lateral (
      select company_id, contact_id, occurred_at, received_at from events
      where company_id = c.company_id and event_id > state.again_from and event_id <= until
        and received_at >= state.since and source <> 'flow'
    ) e
    group by 1, 2 order by 1, 2
  ) n
  where a.company_id = n.company_id and a.contact_id = n.contact_id and a.last_activity_at < n.at;
  update contact_activity_state set again_from = state.read_to, read_to = until,
    since = case when until = newest then least(moment, now()) - interval '1 hour' else since end;
  return until < newest;
end $$;

-- Reads the events of the next contacts of a loaded company, and returns whether there are more.
create function read_loaded_activity(at_most bigint) returns boolean language plpgsql as $$
declare
  state contact_activity_state;
  passed bigint;
begin
  select * into state from contact_activity_state where passed_company is not null for update skip locked;
  if not found then return false; end if;
  with next as materialized (
    select company_id, id from contacts where (company_id, id) > (state.passed_company, state.passed_contact)
    order by company_id, id limit at_most
  ),
  written as (
    insert into contact_last_activity as a (company_id, contact_id, last_activity_at)
    select n.company_id, n.id, coalesce((
      select max(least(e.occurred_at, e.received_at)) from events e
      where e.company_id = n.company_id and e.contact_id = n.id and e.source <> 'flow'), '-infinity')
    from next n order by 1, 2
    on conflict (company_id, contact_id) do update set last_activity_at = greatest(a.last_activity_at, excluded.last_activity_at)
  ),
  last as (select company_id, id from next order by company_id desc, id desc limit 1),
  moved as (
    update contact_activity_state set passed_company = (select company_id from last), passed_contact = (select id from last)
  )
  select count(*) into passed from next;
  return passed = at_most;
end $$;
