-- How dates and numbers of an import's file are read, found by its check from all of their columns; null where nothing was looked at yet.
alter table imports add column readings jsonb;
