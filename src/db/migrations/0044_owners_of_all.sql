-- Who owns the whole installation: companies that are made later are theirs as well.
alter table persons add column owns_all boolean not null default false;
