import type { Db, Queryable } from '../../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { conditionsOf as conditionsOfWords, ONLY_BITMAPS } from '../../search.ts';
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
export function isPerson({ words }: OrderSearch): Statement {
  return sql`c.erased_at is null and ${joinSql(conditionsOfWords(rawSql('c.search'), words), ' and ')}`;
}

export function isExactPerson({ text }: OrderSearch): Statement {
  return sql`(lower(c.email) = ${text} or c.phone = ${text})`;
}

/** Matches the SKU or words of the name of a product, as a condition over alias p. */
export function isProduct({ words, skus }: OrderSearch): Statement {
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
