-- Until when the shop can respond to a dispute of a payment.
alter table payments add column dispute_due_by timestamptz;

-- The service has refused to capture what was authorized.
alter table payments drop constraint payments_attention_check;
alter table payments
  add constraint payments_attention_check check (attention in ('wrong_amount', 'dispute', 'capture_declined', 'uncertain')) not valid;
