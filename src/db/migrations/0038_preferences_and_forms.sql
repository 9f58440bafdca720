-- What a contact chose on the preference page, null where nothing was.
alter table contacts
  -- 'less_often': marketing at most once in so many days as the company's setting says.
  add column marketing_frequency text check (marketing_frequency = 'less_often'),
  -- Until then no marketing.
  add column paused_until timestamptz;
-- Those whose hand-overs wait for each other. Almost empty: the gate asks it about each set of messages.
create index contacts_less_often on contacts (company_id, id) where marketing_frequency is not null;

alter table contact_activity drop constraint contact_activity_type_check;
alter table contact_activity add constraint contact_activity_type_check
  check (type in ('status_changed', 'list_changed', 'merged', 'preferences_changed'));

-- Signup forms. public_id is what their addresses show.
create table forms (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  public_id text not null unique,
  name text not null,
  list_ids bigint[] not null,
  channels text[] not null,
  double_opt_in boolean not null,
  -- What is asked beside the addresses: [{name, label, required}].
  fields jsonb not null,
  consent_text text not null,
  allowed_origins text[] not null,
  success_text text,
  redirect_url text,
  language text not null check (language in ('en', 'de')),
  -- A person needs so long to fill it in; 0: not checked.
  min_fill_seconds int not null,
  max_per_hour int not null,
  submissions bigint not null default 0,
  confirmed bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

-- What people sent by forms: what their consent rests on, and what waits for their confirmation.
create table form_submissions (
  company_id bigint not null,
  id bigint generated always as identity,
  form_id bigint not null,
  contact_id bigint not null,
  -- Keyed, as those of suppressions: the address that the confirmation went to, whatever became of the contact since.
  address_hash bytea not null,
  -- In E.164, where it was given.
  phone text,
  -- First and last name and properties, for the contact to get with the confirmation.
  given jsonb not null,
  consent_text text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  -- By channel; null: not confirmed.
  email_confirmed_at timestamptz,
  sms_confirmed_at timestamptz,
  -- When it is removed; null: confirmed.
  expires_at timestamptz,
  primary key (company_id, id)
);
create index form_submissions_contact on form_submissions (company_id, contact_id);
create index form_submissions_address on form_submissions (company_id, address_hash, created_at);
create index form_submissions_expiry on form_submissions (expires_at) where expires_at is not null;

-- Submissions by form and by client in windows of time, shared by all processes. subject: '' for the whole form, else a keyed
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
