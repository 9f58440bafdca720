import { isTimeZone } from '../../access/service.ts';
import { countRows, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { walkSorted } from '../../db/walk-sorted.ts';
import { invalidField } from '../../errors.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Direction } from '../../lib/sorting.ts';
import type { OrderPaymentStatus } from '../payments/status.ts';
import type { OrderFilters } from './contract.ts';
import { COLUMNS, ITEMS, type OrderWithItems } from './queries.ts';
import { ORDER_STATUSES, type OrderStatus, TO_FULFILL } from './status.ts';

export interface OrderPage {
  rows: OrderWithItems[];
  total: number;
}

type ListedRow = OrderWithItems & { list_total: number };

/** Days in a time zone, inclusive; null for no bound. */
interface Days {
  /** YYYY-MM-DD. */
  dateFrom: string | null;
  dateTo: string | null;
  /** IANA name. */
  timeZone: string;
}

export interface ListFilters {
  /** Null: all; otherwise one of these. */
  statuses: readonly OrderStatus[] | null;
  isSubscription: boolean | null;
  customerId: number | null;
  /** Null: both. */
  guest: boolean | null;
  paymentStatus: OrderPaymentStatus | null;
  /** Who owes money: the buyer, or the shop. */
  balance: 'due' | 'credit' | null;
  days: Days;
}

/** Returns the filters of a query or a body. Throws if the time zone is unknown. */
export function filtersOf(given: OrderFilters): ListFilters {
  const { is_subscription, customer_id, date_from, date_to, time_zone, payment_status, balance } = given;
  if (time_zone !== undefined && !isTimeZone(time_zone)) {
    throw invalidField('time_zone', 'time_zone must be an IANA name such as Europe/Berlin', 'unknown');
  }
  return {
    statuses: statusesOf(given),
    isSubscription: is_subscription ?? null,
    customerId: customer_id ?? null,
    guest: null,
    paymentStatus: payment_status ?? null,
    balance: balance ?? null,
    days: { dateFrom: date_from ?? null, dateTo: date_to ?? null, timeZone: time_zone ?? 'UTC' },
  };
}

/** Returns the statuses that both filters let through. */
function statusesOf({ status, to_fulfill }: Pick<OrderFilters, 'status' | 'to_fulfill'>): OrderStatus[] | null {
  if (status === undefined && to_fulfill === undefined) return null;
  return ORDER_STATUSES.filter(
    (one) =>
      (status === undefined || one === status) && (to_fulfill === undefined || TO_FULFILL.includes(one) === to_fulfill),
  );
}

/** The filters as conditions over alias o. The indexes of the lists contain all of these columns. */
export function conditionsOf({
  statuses,
  isSubscription,
  customerId,
  guest,
  paymentStatus,
  balance,
  days,
}: ListFilters): Statement {
  const { dateFrom, dateTo, timeZone } = days;
  return sql`${statusCondition(statuses)}
    ${isSubscription === null ? emptySql : rawSql(`and o.subscription_id is ${isSubscription ? 'not null' : 'null'}`)}
    ${customerId === null ? emptySql : sql`and o.customer_id = ${customerId}`}
    ${guest === null ? emptySql : sql`and o.guest = ${guest}`}
    ${booksCondition(paymentStatus, balance)}
    ${dateFrom === null ? emptySql : sql`and o.created_at >= ${dateFrom}::date::timestamp at time zone ${timeZone}::text`}
    ${dateTo === null ? emptySql : sql`and o.created_at < (${dateTo}::date + 1)::timestamp at time zone ${timeZone}::text`}`;
}

function statusCondition(statuses: ListFilters['statuses']): Statement {
  if (statuses === null) return emptySql;
  // One status is compared by "=": its index then has the orders by id.
  return statuses.length === 1 ? sql`and o.status = ${statuses[0]}` : sql`and o.status = any(${[...statuses]}::text[])`;
}

/** A condition on the ledgers of orders; those without one do not match. */
function booksCondition(paymentStatus: OrderPaymentStatus | null, balance: ListFilters['balance']): Statement {
  if (paymentStatus === null && balance === null) return emptySql;
  return sql`and exists (
    select from order_balances b
    where b.company_id = o.company_id and b.order_id = o.id ${balanceConditions(paymentStatus, balance)})`;
}

/** Over alias b (order_balances). */
function balanceConditions(paymentStatus: OrderPaymentStatus | null, balance: ListFilters['balance']): Statement {
  return sql`${paymentStatus === null ? emptySql : sql`and b.payment_status = ${paymentStatus}`}
    ${balance === null ? emptySql : rawSql(`and b.charged ${balance === 'due' ? '>' : '<'} b.paid - b.refunded`)}`;
}

/**
 * The FROM of a list, with alias o. Where only the ledgers narrow it, their balances are read alone: a join with all orders takes a second
 * for a million of them.
 */
function fromOf(companyId: number, filters: ListFilters): Statement {
  const { paymentStatus, balance, days, ...others } = filters;
  const isNarrowed = [...Object.values(others), days.dateFrom, days.dateTo].some((filter) => filter !== null);
  if (isNarrowed || (paymentStatus === null && balance === null)) {
    return sql`from orders o where o.company_id = ${companyId} ${conditionsOf(filters)}`;
  }
  return sql`from (
    select b.order_id as id from order_balances b
    where b.company_id = ${companyId} ${balanceConditions(paymentStatus, balance)}) o where true`;
}

/** Returns a page under any combination of filters. */
export async function listOrders(
  db: Queryable,
  companyId: number,
  filters: ListFilters,
  direction: Direction,
  bounds: PageBounds,
): Promise<OrderPage> {
  const from = fromOf(companyId, filters);
  const { statuses, isSubscription, customerId, paymentStatus, balance, days } = filters;
  const isFiltered = [statuses, isSubscription, customerId, paymentStatus, balance, days.dateFrom, days.dateTo].some(
    (filter) => filter !== null,
  );
  const total = isFiltered ? countRows(from) : storedTotal(companyId, 'orders');
  return findPage(db, companyId, { from, total }, direction, bounds);
}

/** Returns a page of the orders of a subscription's renewals. */
export async function listSubscriptionOrders(
  db: Queryable,
  companyId: number,
  subscriptionId: number,
  bounds: PageBounds,
): Promise<OrderPage> {
  const from = sql`from orders o where o.company_id = ${companyId} and o.subscription_id = ${subscriptionId}`;
  return findPage(db, companyId, { from, total: countRows(from) }, 'desc', bounds);
}

async function findPage(
  db: Queryable,
  companyId: number,
  { from, total }: { from: Statement; total: Statement },
  direction: Direction,
  bounds: PageBounds,
): Promise<OrderPage> {
  const order = rawSql(`order by o.id ${direction}`);
  const rows = await db.query<ListedRow>(sql`
    select l.total as list_total, ${COLUMNS}, ${ITEMS}
    from (${total}) l
    left join (
      (${pageOfKeys(sql`select o.id ${from} ${order}`, bounds)}) page
      cross join lateral (
        -- "offset 0" keeps this a look-up per row: the planner, which cannot tell how short the page is, would read all
        -- orders for a join.
        select * from orders o where o.company_id = ${companyId} and o.id = page.id offset 0
      ) o
    ) on true
    ${order}`);
  return { total: rows[0]!.list_total, rows: rows.filter((row) => row.id !== null) };
}

/** Yields all orders under any filters by age, in pages. */
export async function* walkOrders(
  db: Queryable,
  companyId: number,
  filters: ListFilters,
  direction: Direction,
): AsyncGenerator<OrderWithItems[]> {
  const from = fromOf(companyId, filters);
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
