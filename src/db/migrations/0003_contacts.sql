-- Contacts, lists and who is on them.

create table contacts (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  external_id text,
  email text,
  phone text,
  first_name text,
  last_name text,
  source text,
  tags text[] not null default '{}',
  properties jsonb not null default '{}',
  status text not null default 'subscribed' check (status in ('subscribed', 'unsubscribed', 'bounced')),
  -- What a search looks through: "first last", a line break, the e-mail; folded as src/db/fold.ts folds.
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id),
  constraint contacts_has_key check (num_nonnulls(external_id, email, phone) > 0)
) with (fillfactor = 85);
-- Partial, so that they are no keys in the sense of FOR KEY SHARE: a changed e-mail does not wait for a new membership.
create unique index contacts_external_id on contacts (company_id, external_id) where external_id is not null;
create unique index contacts_email on contacts (company_id, email) where email is not null;
create unique index contacts_phone on contacts (company_id, phone) where phone is not null;
create index contacts_status on contacts (company_id, status, id);
create index contacts_tags on contacts using gin (company_id, tags);
create index contacts_search on contacts using gin (company_id, search gin_trgm_ops);
-- What has no trigram, one or two letters: the pairs of letters that stand side by side, and the last one alone. It is for
-- the index alone; to work it out for every row that is looked at takes 20 µs each.
create function search_pairs(value text) returns tsvector language sql immutable strict parallel safe cost 2000 as $$
  select array_to_tsvector(array_agg(a || coalesce(b, '')))
  from unnest(string_to_array(value, null), (string_to_array(value, null))[2:]) as letters (a, b)
$$;
create index contacts_search_pairs on contacts using gin (company_id, search_pairs(search));

create table lists (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  description text not null default '',
  double_opt_in boolean not null default false,
  -- A list that was deleted is gone for everybody at once; its memberships are taken away in pieces afterwards.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

-- No foreign key to lists: they are never removed before their memberships, and a check would lock one row for all.
create table list_memberships (
  company_id bigint not null,
  list_id bigint not null,
  contact_id bigint not null,
  status text not null check (status in ('pending', 'active', 'unsubscribed')),
  consent_at timestamptz,
  consent_source text,
  consent_ip text,
  -- When the mail that asks for the confirmation was queued; null while a pending one still waits for it.
  confirmation_queued_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, list_id, contact_id),
  foreign key (company_id, contact_id) references contacts (company_id, id) on delete cascade
) with (fillfactor = 85);
create index list_memberships_contact on list_memberships (company_id, contact_id);
create index list_memberships_unconfirmed on list_memberships (company_id, list_id, contact_id)
  where status = 'pending' and confirmation_queued_at is null;

-- What happened to a contact beside events and messages: status, lists, merges.
create table contact_activity (
  company_id bigint not null,
  contact_id bigint not null,
  id bigint generated always as identity,
  type text not null check (type in ('status_changed', 'list_changed', 'merged')),
  data jsonb not null,
  created_at timestamptz not null,
  primary key (company_id, contact_id, id)
);

-- Who was erased: says nothing of the person, and lets an erasure be repeated on a restored backup.
create table contact_erasures (
  company_id bigint not null,
  contact_id bigint not null,
  erased_at timestamptz not null,
  primary key (company_id, contact_id)
);

-- Kept totals (see list_counts): contacts by status, and per list its memberships by status.
create function count_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'contacts', id / 4096, '2000-01-01', status, count(*) from later group by 1, 3, 5;
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

create function count_list_memberships() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list:' || list_id, contact_id / 4096, '2000-01-01', status, count(*) from later group by 1, 2, 3, 5;
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
