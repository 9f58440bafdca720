import type { Invariant } from '../db/invariant.ts';
import { sql } from '../db/sql.ts';

export const erasureInvariants: Invariant[] = [
  {
    id: 'I11.erasures',
    promise: 'An erasure is finished within an hour',
    fix: 'Is a worker running (tradeloom start --role worker)? Does its master key fit? Its log names the error',
    violations: sql`
      select company_id, 'erasure ' || id as subject from erasures
      where finished_at is null and requested_at < now() - interval '1 hour' limit 1000`,
  },
  {
    id: 'I11.erased_people',
    promise: 'No stored row names an erased person',
    fix: 'Set finished_at of the erasure to null and step to the empty string: the worker repeats the erasure',
    violations: sql`
      with erased as (
        select e.company_id, id, customer_id, contact_id
        from erasures e left join lateral unnest(e.contact_ids) contact_id on true
        where finished_at is not null
      )
      select company_id, 'erasure ' || id as subject from erased e
      where exists (select from contacts c where c.company_id = e.company_id and c.id = e.contact_id)
        or exists (
          select from customers c where c.company_id = e.company_id and c.id = e.customer_id
            and (c.erased_at is null or num_nonnulls(c.email, c.phone, c.address, c.password_hash) > 0))
        or exists (
          select from events v where v.company_id = e.company_id and v.contact_id = e.contact_id and v.data <> '{}')
        or exists (
          select from messages m where m.company_id = e.company_id and m.contact_id = e.contact_id and m.recipient is not null)
        or exists (
          select from mailbox_messages m where m.company_id = e.company_id and m.contact_id = e.contact_id)
        or exists (
          select from notes n where n.company_id = e.company_id and n.customer_id = e.customer_id)
        or exists (
          select from orders o where o.company_id = e.company_id and o.customer_id = e.customer_id
            and (o.shipping_address <> '' or o.tracking_number is not null))
      limit 1000`,
  },
];
