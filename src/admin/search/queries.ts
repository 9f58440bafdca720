import { codesOf, conditionsOf } from '../../commerce/search.ts';
import type { Queryable } from '../../db/pool.ts';
import { joinSql, likeAnywhere, rawSql, sql } from '../../db/sql.ts';
import type { Kind } from './contract.ts';

export interface FoundRow {
  id: number;
  name: string;
  detail: string | null;
  archived?: boolean;
}

/** Newest rows read to see whether a search matches many: 3 ms for 5,000. */
const NEWEST = 5_000;

/** Returns the order with that number, and the one with that external id. */
export async function findOrders(
  db: Queryable,
  companyId: number,
  { id, externalId }: { id: number | null; externalId: string },
): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    select id, coalesce(external_id, '') as name, status as detail from orders
    where company_id = ${companyId} and id = ${id}::bigint
    union
    select id, external_id, status from orders where company_id = ${companyId} and external_id = ${externalId}`);
}

/** Returns the product with that SKU, searched as written and in upper and lower case, and the one with that slug. */
export async function findProductsByCode(db: Queryable, companyId: number, code: string): Promise<FoundRow[]> {
  const skus = codesOf(code);
  return db.query<FoundRow>(sql`
    select id, name, sku as detail, archived_at is not null as archived from products
    where company_id = ${companyId} and sku = any(${skus}::text[])
    union
    select id, name, sku, archived_at is not null from products
    where company_id = ${companyId} and slug = ${code.toLowerCase()}`);
}

/** Returns listed products whose folded name starts with a text, ordered by name: index products_shown_name. */
export async function findProductsByName(
  db: Queryable,
  companyId: number,
  begin: string,
  most: number,
): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    select id, name, sku as detail, false as archived from products
    where company_id = ${companyId} and archived_at is null and variant_of is null
      and left(search, length(name)) collate "C" >= ${begin} and left(search, length(name)) collate "C" < ${`${begin}\u{10FFFF}`}
    order by left(search, length(name)) collate "C" limit ${most}`);
}

export async function findNewestProducts(
  db: Queryable,
  companyId: number,
  words: readonly string[],
  most: number,
): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    select id, name, sku as detail, false as archived from (
      select id, name, sku, search from products where company_id = ${companyId} and archived_at is null and variant_of is null
      order by id desc limit ${NEWEST}
    ) p where ${joinSql(conditionsOf(rawSql('p.search'), words), ' and ')} order by id desc limit ${most}`);
}

export async function findNewestCustomers(
  db: Queryable,
  companyId: number,
  words: readonly string[],
  most: number,
): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    select id, trim(first_name || ' ' || last_name) as name, coalesce(email, phone) as detail from (
      select id, first_name, last_name, email, phone, search from customers
      where company_id = ${companyId} and erased_at is null order by id desc limit ${NEWEST}
    ) c where ${joinSql(conditionsOf(rawSql('c.search'), words), ' and ')} order by id desc limit ${most}`);
}

/** Returns flows, campaigns and segments by a part of their name. They are created by people, so there are thousands at most. */
export async function findNamed(
  db: Queryable,
  companyId: number,
  part: string,
  most: number,
): Promise<(FoundRow & { kind: Kind })[]> {
  const pattern = likeAnywhere(part);
  return db.query<FoundRow & { kind: Kind }>(sql`
    (select 'flow' as kind, id, name, status as detail from flows
      where company_id = ${companyId} and deleted_at is null and name ilike ${pattern} order by id desc limit ${most})
    union all
    (select 'campaign', id, name, status from campaigns
      where company_id = ${companyId} and name ilike ${pattern} order by id desc limit ${most})
    union all
    (select 'segment', id, name, null from segments
      where company_id = ${companyId} and name ilike ${pattern} order by id desc limit ${most})`);
}
