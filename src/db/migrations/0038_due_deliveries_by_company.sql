-- The first due delivery of each company is found by one look into the index, however many another company has.
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (company_id, due_at, id) where status = 'pending';
