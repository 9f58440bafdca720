import type { Queryable } from '../../db/pool.ts';
import { sortedIds } from '../../db/sorting/sorted-ids.ts';
import { walkSorted } from '../../db/sorting/walk-sorted.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Sort } from '../../lib/sorting.ts';
import type { SubscriptionStatus } from './contract.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from './queries.ts';

const ID = rawSql('s.id');
const NEXT = rawSql('s.next_billing_date');

interface SortedFilters {
  customerId: number | null;
  status: SubscriptionStatus | null;
  sort: Sort<'next_renewal'>;
}

/** Returns a page in another order than newest first. */
export async function listSorted(
  db: Queryable,
  companyId: number,
  filters: SortedFilters,
  page: PageBounds,
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  const { customerId, status, sort } = filters;
  const from = setOf(companyId, filters);
  const kept = status === null ? null : [status];
  const total =
    customerId === null
      ? sql`select total from locate_page(${companyId}, 'subscriptions', ${kept}::text[], null, null, 0)`
      : sql`select count(*) as total ${from}`;
  const set = { from, id: ID, key: sort.key === null ? null : NEXT, total };
  const found = await sortedIds(db, set, sort.direction, page);
  return { total: found.total, rows: await findInOrder(db, companyId, found.ids) };
}

/** Yields all subscriptions under the filters, in pages. */
export async function* walkSubscriptions(
  db: Queryable,
  companyId: number,
  filters: SortedFilters,
): AsyncGenerator<SubscriptionRow[]> {
  const { key, direction } = filters.sort;
  const next = { value: NEXT, type: 'date', nulls: 'first where descending' } as const;
  const set = { from: setOf(companyId, filters), id: ID, key: key === null ? null : next };
  for await (const ids of walkSorted(db, set, direction)) yield findInOrder(db, companyId, ids);
}

function setOf(companyId: number, { customerId, status }: SortedFilters): Statement {
  return sql`from subscriptions s where s.company_id = ${companyId}
    ${status === null ? emptySql : sql`and s.status = ${status}`}
    ${customerId === null ? emptySql : sql`and s.customer_id = ${customerId}`}`;
}

async function findInOrder(db: Queryable, companyId: number, ids: number[]): Promise<SubscriptionRow[]> {
  const rows = await db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.id = any(${ids}::bigint[])`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
