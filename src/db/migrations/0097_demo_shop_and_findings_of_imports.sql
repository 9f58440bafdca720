-- The demo shop's messages stay in the mailbox, whatever transports there are.
alter table companies add column is_demo boolean not null default false;
update companies set is_demo = true
from installation i where companies.company_id = (i.demo ->> 'company_id')::bigint;

-- What the check found out about the whole file: columns that are not kept, products without a stock, repeated SKUs.
alter table imports add column notices jsonb;
