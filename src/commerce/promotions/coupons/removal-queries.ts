import type { Tx } from '../../../db/pool.ts';
import { type Looked, placeAt, type RemovalSlice, type Removed, removedOf } from '../../../db/removal.ts';
import { sql } from '../../../db/sql.ts';

/**
 * Removes the record of which coupons messages had, for messages that are gone and so never composed again. The coupons stay, as customers
 * may still use them.
 */
export async function removeMessageCoupons(
  tx: Tx,
  { companyId, before, place, limit }: RemovalSlice,
): Promise<Removed> {
  const { id, seq } = place ?? placeAt(0);
  const [slice] = await tx.query<Looked & { last_template: number | null }>(sql`
    with looked as materialized (
      select c.message_id, c.template_id, m.id is null as is_gone, coalesce(m.created_at < ${before}, true) as is_old
      from (
        select message_id, template_id from message_coupons
        where company_id = ${companyId} and (message_id, template_id) > (${id}::bigint, ${seq}::bigint)
        order by message_id, template_id limit ${limit}
      ) c left join messages m on m.company_id = ${companyId} and m.id = c.message_id
    ),
    gone as (
      delete from message_coupons c using looked l
      where c.company_id = ${companyId} and c.message_id = l.message_id and c.template_id = l.template_id and l.is_gone
      returning 1
    )
    select (select count(*) from gone) as removed, count(*) as looked, coalesce(bool_or(is_old), false) as some_old,
      (select message_id from looked order by message_id desc limit 1) as last,
      (select template_id from looked order by message_id desc, template_id desc limit 1) as last_template
    from looked`);
  const { next } = removedOf(slice!, limit);
  // Not counted, since they are part of messages, which were counted.
  return { removed: 0, next: next && { ...next, seq: slice!.last_template! } };
}
