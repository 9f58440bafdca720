-- migrate: outside-transaction

-- Lists in another order than the newest first (src/db/sorting/sorted-ids.ts). By stock there is none: every order would write it.
create index concurrently if not exists products_price
  on products (company_id, price, id) include (archived_at, subscription_enabled, in_stock);
-- By the folded name, so that neither case nor accents part names. What is folded begins with the name.
create index concurrently if not exists products_name on products (company_id, (left(search, length(name)) collate "C"), id);
create index concurrently if not exists contacts_by_email on contacts (company_id, email, id) include (status);
create index concurrently if not exists subscriptions_next on subscriptions (company_id, next_billing_date, id) include (status);
