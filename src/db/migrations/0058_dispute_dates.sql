-- Until when the shop can respond to a dispute of a payment.
alter table payments add column dispute_due_by timestamptz;
