-- How a signup form looks: {"title", "text", "button", "color", "logo_url"}, each absent where nothing was set.
alter table forms add column look jsonb not null default '{}';

-- Submissions of a form and what of them was confirmed, by the day (UTC) on which it happened. Submissions themselves are removed.
create table form_days (
  company_id bigint not null references companies,
  form_id bigint not null,
  day date not null,
  submissions bigint not null,
  confirmed bigint not null,
  primary key (company_id, form_id, day)
) with (fillfactor = 50);
