-- A payment through an account that is being deleted waits, and is then refused; a manual payment has no account and checks nothing.
alter table payments add constraint payments_account_fkey
  foreign key (company_id, account_id) references payment_accounts (company_id, id) not valid;

-- Browsers that watch orders are told when their money changes (see live_marks).
create function mark_order_balances() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, n) select company_id, 'orders', 0 from added group by 1;
  return null;
end $$;
create trigger mark_added after insert on order_balances referencing new table as added
  for each statement execute function mark_order_balances();
create function mark_order_money() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, n) values (new.company_id, 'orders', 0);
  return null;
end $$;
create trigger mark_changed after update on order_balances for each row when (old is distinct from new) execute function mark_order_money();
create trigger mark_changed after update on payments for each row when (
  old.attention is distinct from new.attention
  or old.order_id is not null and (old.status, old.authorized, old.captured, old.refunded, old.refund_pending, old.capture_pending)
    is distinct from (new.status, new.authorized, new.captured, new.refunded, new.refund_pending, new.capture_pending)
) execute function mark_order_money();
