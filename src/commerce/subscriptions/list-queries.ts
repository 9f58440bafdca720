import { countRows, findIds, orderBy, storedTotal } from '../../db/lists.ts';
import type { Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { walkSorted } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Sort } from '../../lib/sorting.ts';
import type { SubscriptionStatus } from './contract.ts';
import { COLUMNS, FREQUENCY, type SubscriptionRow } from './queries.ts';

const ID = rawSql('s.id');
const NEXT = rawSql('s.next_billing_date');

interface ListFilters {
  customerId: number | null;
  status: SubscriptionStatus | null;
  /** Only these. */
  ids: readonly number[] | null;
  sort: Sort<'next_renewal'>;
}

/** Returns a page under any filters, in any order, with its exact total. */
export async function listSubscriptions(
  db: Queryable,
  companyId: number,
  filters: ListFilters,
  page: PageBounds,
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  const { customerId, status, ids, sort } = filters;
  const from = setOf(companyId, filters);
  const isWhole = customerId === null && status === null && ids === null;
  const total = isWhole ? storedTotal(companyId, 'subscriptions') : countRows(from);
  const order = orderBy({ id: ID, key: sort.key === null ? null : NEXT }, sort.direction);
  const found = await findIds(db, { total, ids: sql`select s.id ${from} ${order}` }, page);
  return { total: found.total, rows: await findInOrder(db, companyId, found.ids) };
}

/** Yields all subscriptions under the filters, in pages. */
export async function* walkSubscriptions(
  db: Queryable,
  companyId: number,
  filters: ListFilters,
): AsyncGenerator<SubscriptionRow[]> {
  const { key, direction } = filters.sort;
  const next = { value: NEXT, type: 'date', nulls: 'first where descending' } as const;
  const set = { from: setOf(companyId, filters), id: ID, key: key === null ? null : next };
  for await (const ids of walkSorted(db, set, direction)) yield findInOrder(db, companyId, ids);
}

function setOf(companyId: number, { customerId, status, ids }: ListFilters): Statement {
  return sql`from subscriptions s where s.company_id = ${companyId}
    ${status === null ? emptySql : sql`and s.status = ${status}`}
    ${customerId === null ? emptySql : sql`and s.customer_id = ${customerId}`}
    ${ids === null ? emptySql : sql`and s.id = any(${[...ids]}::bigint[])`}`;
}

async function findInOrder(db: Queryable, companyId: number, ids: number[]): Promise<SubscriptionRow[]> {
  const rows = await db.query<SubscriptionRow>(sql`
    select ${COLUMNS} from subscriptions s ${FREQUENCY}
    where s.company_id = ${companyId} and s.id = any(${ids}::bigint[])`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
