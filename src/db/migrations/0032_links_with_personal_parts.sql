-- Of addresses that differ by recipient, one row for all of them: url is shown to people, as its template has it, and what is behind
-- the prefix stands in each recipient's link, signed. null: every click leads to url.
alter table tracked_links add column prefix text;
