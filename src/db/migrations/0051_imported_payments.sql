-- Money that other systems took for orders that an import made. See docs/design/payments.md.

-- The method of such payments; nobody chooses it. A company has at most one.
alter table payment_methods drop constraint payment_methods_kind_check;
alter table payment_methods add constraint payment_methods_kind_check check (
  provider <> 'manual' or kind in ('bank_transfer', 'cash_on_delivery', 'cash', 'card_terminal', 'other')
  or kind = 'imported' and not active) not valid;
create unique index payment_methods_imported on payment_methods (company_id) where kind = 'imported';

-- An undo of an import removes the ledgers of the orders that it removes, and the lines that it added to others.
drop trigger append_only on order_ledger;
create trigger append_only before truncate on order_ledger for each statement execute function refuse_change();
create trigger append_only_except_undo before delete on order_ledger for each statement
  when (current_setting('tradeloom.undoing_import', true) is distinct from 'on') execute function refuse_change();
