import type { Queryable } from '../../db/pool.ts';
import { sortedIds } from '../../db/sorting/sorted-ids.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Sort } from '../../lib/sorting.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from './queries.ts';
import type { SubscriptionStatus } from './schemas.ts';

export interface SortedFilters {
  customerId: number | null;
  status: SubscriptionStatus | null;
  sort: Sort<'next_renewal'>;
}

/** A page in another order than the newest first. */
export async function listSorted(
  db: Queryable,
  companyId: number,
  { customerId, status, sort }: SortedFilters,
  page: PageBounds,
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  const from = sql`from subscriptions s where s.company_id = ${companyId}
    ${status === null ? emptySql : sql`and s.status = ${status}`}
    ${customerId === null ? emptySql : sql`and s.customer_id = ${customerId}`}`;
  const kept = status === null ? null : [status];
  const total =
    customerId === null
      ? sql`select total from locate_page(${companyId}, 'subscriptions', ${kept}::text[], null, null, 0)`
      : sql`select count(*) as total ${from}`;
  const set = { from, id: rawSql('s.id'), key: sort.key === null ? null : rawSql('s.next_billing_date'), total };
  const found = await sortedIds(db, set, sort.direction, page);
  const rows = await db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.id = any(${found.ids}::bigint[])`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { total: found.total, rows: found.ids.flatMap((id) => byId.get(id) ?? []) };
}
