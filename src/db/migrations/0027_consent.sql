-- Consent per contact and channel; the documented status is derived from it.

-- Its triggers count by the status, which is another column from here on; the totals are rebuilt below.
alter table contacts disable trigger user;
alter table contacts rename column status to status_before;
alter table contacts
  add column email_consent text not null default 'subscribed' check (email_consent in ('subscribed', 'unsubscribed', 'never')),
  -- null: since the contact was created
  add column email_consent_at timestamptz,
  add column email_consent_source text not null default 'api',
  add column sms_consent text not null default 'never' check (sms_consent in ('subscribed', 'unsubscribed', 'never')),
  add column sms_consent_at timestamptz,
  add column sms_consent_source text not null default 'api',
  -- The address refused mail for good, or too often; another address begins anew.
  add column email_bounced boolean not null default false;

-- Whoever said no said it to everything. A contact without an e-mail address was written to by SMS; nobody else asked for any.
update contacts set email_consent = 'unsubscribed', sms_consent = 'unsubscribed', email_consent_at = updated_at,
  sms_consent_at = updated_at
where status_before = 'unsubscribed';
update contacts set email_bounced = true where status_before = 'bounced';
update contacts set sms_consent = 'subscribed' where status_before = 'subscribed' and email is null and phone is not null;
-- The shop's customers who accept no marketing became subscribed contacts.
update contacts c set email_consent = 'never', email_consent_source = 'shop'
from customers k
where c.company_id = k.company_id and c.external_id = k.id::text and c.source = 'shop' and c.email_consent = 'subscribed'
  and not k.accepts_marketing;

alter table contacts drop column status_before;
-- As statusOf in marketing/contacts/status.ts has it.
alter table contacts add column status text not null generated always as (
  case
    when email is null and phone is not null then case when sms_consent = 'subscribed' then 'subscribed' else 'unsubscribed' end
    when email_consent <> 'subscribed' then 'unsubscribed'
    when email_bounced then 'bounced'
    else 'subscribed'
  end) stored;
create index contacts_status on contacts (company_id, status, id);
create index contacts_search on contacts using gin (company_id, status, tags, search gin_trgm_ops);

-- Every change of a consent, and every consent that came with evidence. The first state of a contact is the row's own until
-- it changes; the first change tells it in was, was_since and was_source.
create table contact_consents (
  company_id bigint not null,
  contact_id bigint not null,
  id bigint generated always as identity,
  channel text not null check (channel in ('email', 'sms')),
  state text not null check (state in ('subscribed', 'unsubscribed', 'never')),
  source text not null,
  -- The address that it was about; null where the contact had none.
  address text,
  -- What was agreed to, or why.
  text text,
  ip text,
  user_agent text,
  was text,
  was_since timestamptz,
  was_source text,
  created_at timestamptz not null,
  primary key (company_id, contact_id, id)
);

-- Where the no came from: the shop's yes takes back the shop's no alone.
alter table suppressions add column source text;

-- Contacts of before whose no is not kept for their address yet (see marketing/contacts/consent/backfill.ts). Hashes need the
-- installation's key, which the database does not have.
create table suppression_backfills (
  company_id bigint not null references companies,
  after_contact_id bigint not null default 0,
  primary key (company_id)
);
insert into suppression_backfills (company_id)
select distinct company_id from contacts where status <> 'subscribed';

delete from list_counts where list = 'contacts';
delete from list_count_deltas where list = 'contacts';
insert into list_counts (company_id, list, bucket, day, facet, n)
select company_id, 'contacts', id / 4096, '2000-01-01', status, count(*) from contacts group by 1, 3, 5;
alter table contacts enable trigger user;
