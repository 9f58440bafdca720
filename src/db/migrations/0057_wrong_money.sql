-- Whether the money of a payment is of another amount or currency than was asked for: no ledger has it.
alter table payments add column wrong boolean not null default false;
