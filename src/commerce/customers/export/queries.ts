import type { KeysetPage } from '../../../db/keyset-pages.ts';
import { type Statement, sql } from '../../../db/sql.ts';

/** Selects the customer's entries in the loyalty ledger, for `keysetPages`. */
export function ledgerEntries(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('id', id, 'type', type, 'points', points, 'order_id', order_id, 'reason', reason,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from loyalty_ledger where company_id = ${companyId} and customer_id = ${customerId} and id > ${after}
    order by id limit ${limit}`;
}
