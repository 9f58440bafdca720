import type { Queryable } from '../../db/pool.ts';
import { walkSorted } from '../../db/sorting/walk-sorted.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Direction } from '../../lib/sorting.ts';
import { conditionsOfDays, type Days, locateOrders } from './day-filter-queries.ts';
import { COLUMNS, ITEMS, type OrderWithItems } from './queries.ts';
import { ORDER_STATUSES, type OrderStatus } from './status.ts';

export interface OrderPage {
  rows: OrderWithItems[];
  total: number;
}

type ListedRow = OrderWithItems & { list_total: number };

export interface KeptFilters {
  status: OrderStatus | null;
  isSubscription: boolean | null;
  days: Days;
}

/** The filters as conditions over alias o. */
export function conditionsOf(filters: KeptFilters): Statement {
  return sql`${facetConditionsOf(filters)} ${conditionsOfDays(filters.days)}`;
}

function facetConditionsOf({ status, isSubscription }: KeptFilters): Statement {
  return sql`${status === null ? emptySql : sql`and o.status = ${status}`}
    ${isSubscription === null ? emptySql : rawSql(`and o.subscription_id is ${isSubscription ? 'not null' : 'null'}`)}`;
}

/** Returns the facets of list_counts that the filters include; null for all. */
function facetsOf({ status, isSubscription }: KeptFilters): string[] | null {
  if (status === null && isSubscription === null) return null;
  const kinds = isSubscription === null ? ['single', 'subscription'] : [isSubscription ? 'subscription' : 'single'];
  const statuses = status === null ? ORDER_STATUSES : [status];
  return statuses.flatMap((one) => kinds.map((kind) => `${one}:${kind}`));
}

/** Locates a page, as columns (see locateOrders). */
export function locate(companyId: number, filters: KeptFilters, skip: number): Statement {
  const facets = facetsOf(filters);
  return locateOrders(companyId, { facets, facetConditions: facetConditionsOf(filters), days: filters.days, skip });
}

/** Returns a page under any combination of filters, by the kept totals, in one statement (see products/list-queries.ts). */
export async function listOrders(
  db: Queryable,
  companyId: number,
  filters: KeptFilters,
  page: PageBounds,
): Promise<OrderPage> {
  const wanted = conditionsOf(filters);
  const rows = await db.query<ListedRow>(sql`
    select l.total as list_total, ${COLUMNS}, ${ITEMS}
    from (
      select total, lowest, (
        select o.id from orders o
        where o.company_id = ${companyId} and o.id < below and o.id >= lowest ${wanted}
        order by o.id desc offset rest limit 1
      ) as first
      from ${locate(companyId, filters, page.skip)} located
    ) l
    left join lateral (
      -- The limit of 100: see listProductsByKey.
      select * from (
        select * from orders o where o.company_id = ${companyId} and o.id <= l.first and o.id >= l.lowest ${wanted}
        order by o.id desc limit 100
      ) page limit ${page.take}
    ) o on true
    order by o.id desc`);
  return unpack(rows);
}

/** Returns a page of one customer's orders. Without other filters, the total is kept on the customer's account. */
export async function listCustomerOrders(
  db: Queryable,
  companyId: number,
  customerId: number,
  filters: KeptFilters,
  page: PageBounds,
): Promise<OrderPage> {
  const of = sql`o.company_id = ${companyId} and o.customer_id = ${customerId}`;
  const { dateFrom, dateTo } = filters.days;
  if ([filters.status, filters.isSubscription, dateFrom, dateTo].every((filter) => filter === null)) {
    const kept = sql`select coalesce((select order_count from customer_accounts where company_id = ${companyId} and customer_id = ${customerId}), 0) as total`;
    return pageOf(db, companyId, { total: kept, conditions: of }, page);
  }
  // locate_page bounds the ids of orders with these dates and statuses. The bounds are compared together with the customer, so that only
  // the index on customers applies: with the ids alone, the planner would read the orders of all customers.
  const within = sql`${of} and (o.customer_id, o.id) < (${customerId}, l.below)
    and (o.customer_id, o.id) >= (${customerId}, l.lowest) ${conditionsOf(filters)}`;
  const total = sql`select l.below, l.lowest, (select count(*) from orders o where ${within}) as total
    from ${locate(companyId, filters, 0)} l`;
  return pageOf(db, companyId, { total, conditions: within }, page);
}

/** Returns a page of the orders of a subscription's renewals. */
export async function listSubscriptionOrders(
  db: Queryable,
  companyId: number,
  subscriptionId: number,
  page: PageBounds,
): Promise<OrderPage> {
  const conditions = sql`o.company_id = ${companyId} and o.subscription_id = ${subscriptionId}`;
  const total = sql`select count(*) as total from orders o where ${conditions}`;
  return pageOf(db, companyId, { total, conditions }, page);
}

/**
 * Returns a page of a set of orders that an index serves. The ids come from an index-only scan from the nearer end, so that the last page
 * of 100,000 orders costs as much as the first. `total` is a statement that counts the set; `conditions` are over alias o.
 */
async function pageOf(
  db: Queryable,
  companyId: number,
  { total, conditions }: { total: Statement; conditions: Statement },
  { skip, take }: PageBounds,
): Promise<OrderPage> {
  const rows = await db.query<ListedRow>(sql`
    -- Materialized, so that the total is counted once and not at each reference.
    with l as materialized (${total})
    select l.total as list_total, ${COLUMNS}, ${ITEMS}
    from l
    left join (
      lateral (
        (select o.id from orders o where ${conditions} and ${skip}::bigint * 2 <= l.total
         order by o.id desc offset ${skip} limit ${take})
        union all
        (select o.id from orders o where ${conditions} and ${skip}::bigint * 2 > l.total
         order by o.id offset greatest(l.total - ${skip}::bigint - ${take}::int, 0)
         limit greatest(least(${take}::int, l.total - ${skip}::bigint), 0))
      ) page
      cross join lateral (
        -- "offset 0" keeps this a look-up per row: the planner, which cannot tell how short the page is, would read all
        -- orders for a join.
        select * from orders o where o.company_id = ${companyId} and o.id = page.id offset 0
      ) o
    ) on true
    order by o.id desc limit ${take}`);
  return unpack(rows);
}

/** Yields all orders under any filters by age, in pages. */
export async function* walkOrders(
  db: Queryable,
  companyId: number,
  filters: KeptFilters,
  { customerId, direction }: { customerId: number | null; direction: Direction },
): AsyncGenerator<OrderWithItems[]> {
  const from = sql`from ${locate(companyId, filters, 0)} l
    join orders o on o.company_id = ${companyId} and o.id < l.below and o.id >= l.lowest ${conditionsOf(filters)}
    where ${customerId === null ? rawSql('true') : sql`o.customer_id = ${customerId}`}`;
  for await (const ids of walkSorted(db, { from, id: rawSql('o.id'), key: null }, direction))
    yield findListed(db, companyId, ids);
}

/** Returns orders by id, in the order of `ids`. */
export async function findListed(db: Queryable, companyId: number, ids: readonly number[]): Promise<OrderWithItems[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<OrderWithItems>(sql`
    select ${COLUMNS}, ${ITEMS} from orders o where o.company_id = ${companyId} and o.id = any(${ids}::bigint[])`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

function unpack(rows: ListedRow[]): OrderPage {
  return { total: rows[0]!.list_total, rows: rows.filter((row) => row.id !== null) };
}
