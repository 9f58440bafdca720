-- A customer who became part of another: their row is empty, and names who they are now, which is never one who was merged as well.
alter table customers add column merged_into bigint;
create index customers_merged on customers (company_id, merged_into) where merged_into is not null;

-- The account of a customer who was merged. What was about to post to it has read the customer before: it begins anew, and finds
-- that there is no such customer.
alter table customer_accounts add column closed boolean not null default false;
create function refuse_closed_account() returns trigger language plpgsql as $$
begin
  raise exception 'The customer was merged' using errcode = 'serialization_failure';
end $$;
create trigger refuse_closed before update on customer_accounts for each row when (old.closed)
  execute function refuse_closed_account();
