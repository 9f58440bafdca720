import type { Db } from '../../db/pool.ts';
import { orderBy, type SortedPage, sortedIds } from '../../db/sorting/sorted-ids.ts';
import { walkSorted } from '../../db/sorting/walk-sorted.ts';
import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import type { Sort } from '../../lib/sorting.ts';
import { areShort, conditionsOf, findShort } from '../search.ts';
import type { CustomerFilters } from './list-queries.ts';
import { customerJson } from './queries.ts';

export type CustomerSort = Sort<'spent' | 'last_order'>;
type SortedFilters = CustomerFilters & { sort: CustomerSort };

const ID = rawSql('c.id');
/** Columns of customer_figures by sort key. */
const KEYS = { spent: 'spent', last_order: 'last_order_at' };

/** The same over alias f. */
const WALKED = {
  spent: { value: rawSql('f.spent'), type: 'bigint' },
  last_order: { value: rawSql('f.last_order_at'), type: 'timestamptz' },
} as const;

/** The key over alias c. Every customer that is listed has figures. */
function keyOf({ key }: CustomerSort): Statement | null {
  if (key === null) return null;
  return rawSql(
    `(select f.${KEYS[key]} from customer_figures f where f.company_id = c.company_id and f.customer_id = c.id)`,
  );
}

/** Returns a page in another order than newest first, under any filters. */
export async function listSorted(
  db: Db,
  companyId: number,
  filters: SortedFilters,
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  const { total, ids } = await findSorted(db, companyId, filters, bounds);
  return { total, rows: await findInOrder(db, companyId, ids) };
}

/** Yields all customers under any filters, in pages. */
export async function* walkCustomers(
  db: Db,
  companyId: number,
  { words, email, sort }: SortedFilters,
): AsyncGenerator<RawJson[]> {
  const conditions = [rawSql('c.erased_at is null'), ...conditionsOf(rawSql('c.search'), words)];
  if (email !== undefined) conditions.push(sql`lower(c.email) = ${email}`);
  const wanted = joinSql(conditions, ' and ');
  const all = sql`from customers c where c.company_id = ${companyId} and ${wanted}`;
  const withFigures = sql`from customer_figures f join customers c on c.company_id = f.company_id and c.id = f.customer_id
    where f.company_id = ${companyId} and ${wanted}`;
  const set =
    sort.key === null
      ? { from: all, id: ID, key: null }
      : { from: withFigures, id: rawSql('f.customer_id'), key: WALKED[sort.key] };
  for await (const ids of walkSorted(db, set, sort.direction)) yield findInOrder(db, companyId, ids);
}

async function findInOrder(db: Db, companyId: number, ids: number[]): Promise<RawJson[]> {
  const rows = await db.query<{ json: string }>(sql`
    select ${customerJson} as json
    from unnest(${ids}::bigint[]) with ordinality as page (id, n)
    join customers c on c.company_id = ${companyId} and c.id = page.id
    order by page.n`);
  return rows.map(({ json }) => new RawJson(json));
}

async function findSorted(
  db: Db,
  companyId: number,
  { words, email, sort }: SortedFilters,
  bounds: PageBounds,
): Promise<SortedPage> {
  const key = keyOf(sort);
  const order = orderBy({ key, id: ID }, sort.direction);
  if (email === undefined && areShort(words)) {
    const where = { table: rawSql('customers'), alias: rawSql('c'), condition: rawSql('true'), order };
    return findShort(db, companyId, where, words, bounds);
  }
  const conditions = [sql`c.company_id = ${companyId} and c.erased_at is null`];
  if (email !== undefined) conditions.push(sql`lower(c.email) = ${email}`);
  conditions.push(...conditionsOf(rawSql('c.search'), words));
  const from = sql`from customers c where ${joinSql(conditions, ' and ')}`;
  if (email !== undefined || words.length > 0) {
    const total = sql`select count(*) as total ${from}`;
    return sortedIds(db, { from, id: ID, key, total }, sort.direction, bounds);
  }
  const total = sql`select total from locate_page(${companyId}, 'customers', null, null, null, 0)`;
  if (sort.key === null) return sortedIds(db, { from, id: ID, key, total }, sort.direction, bounds);
  const figures = {
    from: sql`from customer_figures f where f.company_id = ${companyId}`,
    id: rawSql('f.customer_id'),
    key: rawSql(`f.${KEYS[sort.key]}`),
  };
  return sortedIds(db, { ...figures, total }, sort.direction, bounds);
}
