-- migrate: blocks customers: before the first release, no shop has many customers
-- Whether `customer_created` was raised: not for guests and customers of imports, until they have an account.
alter table customers add column announced boolean not null default true;
alter table customers alter column announced set default false;
update customers c set announced = false
where account in ('none', 'invited')
  and exists (select from orders o where o.company_id = c.company_id and o.customer_id = c.id and o.guest);
