-- Internal lists are not shown on the preference page.
alter table lists add column internal boolean not null default false;
