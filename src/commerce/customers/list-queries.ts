import { countRows, findIds, type IdPage, orderBy, pageOfKeys, storedTotal } from '../../db/lists.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { walkSorted } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { isDefault, type Sort } from '../../lib/sorting.ts';
import { type PageRow, pageFrom, selectPage } from '../page-rows.ts';
import { areShort, conditionsOf, findShort } from '../search.ts';
import { customerJson } from './queries.ts';

export interface CustomerFilters {
  /** Normalised words, all of which must be found. */
  words: string[];
  /** Lower case. */
  email: string | undefined;
  /** Of the contact. */
  tag: string | undefined;
  sort: Sort<'spent' | 'last_order'>;
}

const ID = rawSql('c.id');
/** Columns of customer_figures by sort key. */
const KEYS = { spent: 'spent', last_order: 'last_order_at' };

/** The same over alias f. */
const WALKED = {
  spent: { value: rawSql('f.spent'), type: 'bigint' },
  last_order: { value: rawSql('f.last_order_at'), type: 'timestamptz' },
} as const;

/** Returns a page under any filters, in any order, with its exact total. */
export async function listCustomers(
  db: Db,
  companyId: number,
  filters: CustomerFilters,
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  if (isDefault(filters.sort) && !isFiltered(filters)) return listNewest(db, companyId, bounds);
  const { total, ids } = await findPage(db, companyId, filters, bounds);
  return { total, rows: await findInOrder(db, companyId, ids) };
}

const isFiltered = ({ words, email, tag }: CustomerFilters): boolean =>
  email !== undefined || tag !== undefined || words.length > 0;

/** What is read most often, in one statement. */
async function listNewest(
  db: Queryable,
  companyId: number,
  bounds: PageBounds,
): Promise<{ rows: RawJson[]; total: number }> {
  const ids = sql`select c.id from customers c where c.company_id = ${companyId} and c.erased_at is null order by c.id desc`;
  const page = sql`
      select c.id, ${customerJson} as json from (${pageOfKeys(ids, bounds)}) f
      cross join lateral (select * from customers where company_id = ${companyId} and id = f.id offset 0) c`;
  const rows = await db.query<PageRow>(selectPage(sql`(${storedTotal(companyId, 'customers')})`, page));
  return pageFrom(rows);
}

async function findPage(db: Db, companyId: number, filters: CustomerFilters, bounds: PageBounds): Promise<IdPage> {
  const { words, email, tag, sort } = filters;
  const key = keyOf(sort);
  const order = orderBy({ key, id: ID }, sort.direction);
  if (email === undefined && tag === undefined && areShort(words)) {
    const where = { table: rawSql('customers'), alias: rawSql('c'), condition: rawSql('true'), order };
    return findShort(db, companyId, where, words, bounds);
  }
  const from = sql`from customers c where c.company_id = ${companyId} and ${wantedBy(companyId, filters)}`;
  if (isFiltered(filters))
    return findIds(db, { total: countRows(from), ids: sql`select c.id ${from} ${order}` }, bounds);
  const total = storedTotal(companyId, 'customers');
  if (sort.key === null) return findIds(db, { total, ids: sql`select c.id ${from} ${order}` }, bounds);
  const byFigure = orderBy({ key: rawSql(`f.${KEYS[sort.key]}`), id: rawSql('f.customer_id') }, sort.direction);
  const ids = sql`select f.customer_id as id from customer_figures f where f.company_id = ${companyId} ${byFigure}`;
  return findIds(db, { total, ids }, bounds);
}

/** The key over alias c. Every customer that is listed has figures. */
function keyOf({ key }: CustomerFilters['sort']): Statement | null {
  if (key === null) return null;
  return rawSql(
    `(select f.${KEYS[key]} from customer_figures f where f.company_id = c.company_id and f.customer_id = c.id)`,
  );
}

/** The filters as a condition over alias c. */
function wantedBy(companyId: number, { words, email, tag }: CustomerFilters): Statement {
  const conditions = [rawSql('c.erased_at is null'), ...conditionsOf(rawSql('c.search'), words)];
  if (email !== undefined) conditions.push(sql`lower(c.email) = ${email}`);
  if (tag !== undefined) conditions.push(sql`c.id in (${taggedCustomers(companyId, tag)})`);
  return joinSql(conditions, ' and ');
}

/** The ids of the customers whose contacts have the tag: they are the contacts' external ids. */
function taggedCustomers(companyId: number, tag: string): Statement {
  return sql`
    select case when k.external_id ~ '^[1-9][0-9]{0,17}$' then k.external_id::bigint end
    from contacts k where k.company_id = ${companyId} and k.tags @> array[${tag}]::text[]`;
}

/** Yields all customers under any filters, in pages. */
export async function* walkCustomers(db: Db, companyId: number, filters: CustomerFilters): AsyncGenerator<RawJson[]> {
  const { sort } = filters;
  const wanted = wantedBy(companyId, filters);
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
