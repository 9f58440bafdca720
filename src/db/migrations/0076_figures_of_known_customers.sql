-- migrate: outside-transaction

-- Nobody waits for this. The orders of each customer are added up in the background.
insert into customer_figures (company_id, customer_id)
  select company_id, id from customers where erased_at is null on conflict do nothing;
insert into customer_figure_deltas (company_id, customer_id, anew)
  select distinct company_id, customer_id, true from orders;
