import type { Db, Queryable } from '../../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { conditionsOf as conditionsOfWords, ONLY_BITMAPS } from '../../search.ts';
import { conditionsOf, type ListFilters } from '../list-queries.ts';
import type { OrderSearch } from './search-text.ts';

/** If more people match, they are searched among the newest orders. */
const PEOPLE = 500;
/** More products, or more lines of orders with them, likewise. */
const PRODUCTS = 200;
const LINES = 5_000;

interface Candidate {
  id: number;
  exact: boolean;
}

/** The customers, products or orders that match a search. */
export interface Candidates {
  /** Null if there are too many. */
  ids: number[] | null;
  /** Those whose e-mail address, phone number or SKU matches as a whole. */
  exact: number[];
}

/** Matches names, e-mail address or phone number of a customer, as a condition over alias c. */
function isPerson({ words }: OrderSearch): Statement {
  return sql`c.erased_at is null and ${joinSql(conditionsOfWords(rawSql('c.search'), words), ' and ')}`;
}

function isExactPerson({ text }: OrderSearch): Statement {
  return sql`(lower(c.email) = ${text} or c.phone = ${text})`;
}

/** Matches the SKU or words of the name of a product, as a condition over alias p. */
function isProduct({ words, skus }: OrderSearch): Statement {
  // The normalised search text begins with the name, which has at most as many letters as bytes. Only the whole text is indexed.
  const name = words.map((word) => sql`strpos(left(p.search, octet_length(p.name)), ${word}) > 0`);
  const conditions = [...conditionsOfWords(rawSql('p.search'), words), ...name];
  return sql`((${joinSql(conditions, ' and ')}) or p.sku = any(${skus}::text[]))`;
}

/**
 * Finds the customers and products that match a search, only through their search indexes: for a frequent word, the planner would scan the
 * table until it has enough rows.
 */
export async function findCandidates(
  db: Pick<Db, 'tx'>,
  companyId: number,
  search: OrderSearch,
): Promise<{ people: Candidates; products: Candidates }> {
  return db.tx(async (tx) => {
    const [, people, products] = await Promise.all([
      tx.query(ONLY_BITMAPS),
      tx.query<Candidate>(sql`
        select c.id, coalesce(${isExactPerson(search)}, false) as exact from customers c
        where c.company_id = ${companyId} and ${isPerson(search)} limit ${PEOPLE + 1}`),
      tx.query<Candidate>(sql`
        select p.id, coalesce(p.sku = any(${search.skus}::text[]), false) as exact from products p
        where p.company_id = ${companyId} and ${isProduct(search)} limit ${PRODUCTS + 1}`),
    ]);
    return { people: candidates(people, PEOPLE), products: candidates(products, PRODUCTS) };
  });
}

function candidates(rows: Candidate[], most: number): Candidates {
  const exact = rows.filter((row) => row.exact).map(({ id }) => id);
  return { ids: rows.length > most ? null : rows.map(({ id }) => id), exact };
}

/** Returns the orders with products that match a search. */
export async function findLines(db: Queryable, companyId: number, { ids, exact }: Candidates): Promise<Candidates> {
  if (ids === null || ids.length === 0) return { ids, exact: [] };
  const rows = await db.query<{ all: number[] | null; exact: number[] | null }>(sql`
    select json_agg(order_id) as all, json_agg(order_id) filter (where product_id = any(${exact}::bigint[])) as exact from (
      select a.id as product_id, i.order_id from unnest(${ids}::bigint[]) a (id) cross join lateral (
        -- As a range in the order of the index: for a product that most lines have, all lines would be read.
        select order_id from order_items i
        where i.company_id = ${companyId} and i.product_id >= a.id and i.product_id <= a.id
        order by i.product_id limit ${LINES + 1}
      ) i limit ${LINES + 1}
    ) lines`);
  const { all, exact: coded } = rows[0]!;
  return { ids: (all?.length ?? 0) > LINES ? null : (all ?? []), exact: coded ?? [] };
}

/** Most orders that a search finds; the newest ones. */
const FOUND = 1_000;
/** Newest orders that are looked through for what no index finds in bounded time (30 to 50 ms). */
const NEWEST = 3_000;

/** Scores by what matches. */
const SCORES = { number: 6, code: 5, person: 4, people: 3, sku: 2, name: 1 };

const ORDERS = {
  relevance: rawSql('score desc, id desc'),
  newest: rawSql('id desc'),
  oldest: rawSql('id'),
};
export type SearchOrder = keyof typeof ORDERS;

/** Returns the ids of the orders that a search finds, in `order`. If `people` or `lines` is null, the newest orders are scanned. */
export async function findOrders(
  db: Queryable,
  companyId: number,
  search: OrderSearch,
  { people, lines }: { people: Candidates | null; lines: Candidates | null },
  { filters, order }: { filters: ListFilters; order: SearchOrder },
): Promise<number[]> {
  const wanted = conditionsOf(filters);
  const sources = [byCodes(companyId, search, wanted)];
  if (people?.ids != null && people.ids.length > 0) sources.push(byPeople(companyId, people.ids, people.exact, wanted));
  if (lines?.ids != null && lines.ids.length > 0) sources.push(byLines(companyId, lines.ids, lines.exact, wanted));
  if (people?.ids == null || lines?.ids == null) sources.push(byNewest(companyId, search, wanted));
  const rows = await db.query<{ ids: number[] | null }>(sql`
    select json_agg(id order by ${ORDERS[order]}) as ids from (
      select id, max(score) as score from (${joinSql(sources, ' union all ')}) matches
      group by id order by max(score) >= ${SCORES.code} desc, id desc limit ${FOUND}
    ) found`);
  return rows[0]!.ids ?? [];
}

/** Searches by number, external id or tracking number, each by its index. */
function byCodes(companyId: number, search: OrderSearch, wanted: Statement): Statement {
  const code = rawSql(String(SCORES.code));
  return sql`
    select o.id, ${rawSql(String(SCORES.number))} as score from orders o
      where o.company_id = ${companyId} and o.id = ${search.number}::bigint ${wanted}
    union all
    select o.id, ${code} from orders o
      where o.company_id = ${companyId} and o.external_id = any(${search.externalIds}::text[]) ${wanted}
    union all
    (select o.id, ${code} from orders o where o.company_id = ${companyId} and o.tracking_number is not null
      and lower(replace(o.tracking_number, ' ', '')) = ${search.trackingNumber} ${wanted}
      order by o.id desc limit ${FOUND})`;
}

function byPeople(companyId: number, ids: number[], exact: number[], wanted: Statement): Statement {
  return sql`
    select o.id, case when c.id = any(${exact}::bigint[]) then ${rawSql(String(SCORES.person))} else ${rawSql(String(SCORES.people))} end
    from unnest(${ids}::bigint[]) c (id) cross join lateral (
      select o.id from orders o where o.company_id = ${companyId} and o.customer_id = c.id ${wanted}
      order by o.id desc limit ${FOUND}
    ) o`;
}

function byLines(companyId: number, orderIds: number[], exact: number[], wanted: Statement): Statement {
  return sql`
    select o.id, case when o.id = any(${exact}::bigint[]) then ${rawSql(String(SCORES.sku))} else ${rawSql(String(SCORES.name))} end
    from orders o where o.company_id = ${companyId} and o.id = any(${orderIds}::bigint[]) ${wanted}`;
}

/**
 * Searches by person and product among the newest orders under the filters. Each order's customer and products are fetched by key before
 * they are compared (`offset 0`): the planner has no statistics of a text behind row-level security, takes it for rare, and would search
 * all products for each order (5,000 of them for 3,000 orders took 8.6 s).
 */
function byNewest(companyId: number, search: OrderSearch, wanted: Statement): Statement {
  // The ids alone, from an index; the customers follow by key.
  const newest = sql`select o.id from orders o where o.company_id = ${companyId} ${wanted} order by o.id desc limit ${NEWEST}`;
  return sql`
    select n.id, found.score from (${newest}) ids cross join lateral (
      select o.id, o.customer_id from orders o where o.company_id = ${companyId} and o.id = ids.id offset 0
    ) n cross join lateral (
      select case when ${isExactPerson(search)} then ${rawSql(String(SCORES.person))} else ${rawSql(String(SCORES.people))} end as score
      from (select * from customers where company_id = ${companyId} and id = n.customer_id offset 0) c where ${isPerson(search)}
      union all
      select case when p.sku = any(${search.skus}::text[]) then ${rawSql(String(SCORES.sku))} else ${rawSql(String(SCORES.name))} end
      from order_items i cross join lateral (
        select * from products where company_id = ${companyId} and id = i.product_id offset 0
      ) p
      where i.company_id = ${companyId} and i.order_id = n.id and ${isProduct(search)}
    ) found`;
}
