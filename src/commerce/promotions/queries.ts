import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, joinSql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { WalkedKey } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Sort } from '../../lib/sorting.ts';
import type { PromoBenefit, PromoTerms } from './discount.ts';

/** Only orders write `used_count`. */
export type PromoValues = Omit<PromoTerms, 'covered_ids'> &
  PromoBenefit & { code: string; collection_ids: readonly number[]; is_template: boolean; valid_days: number | null };
export type PromoRow = PromoValues & { id: number; template_id: number | null; created_at: Date; updated_at: Date };

export const columns =
  rawSql(`id, code, type, value, scope, product_ids, category_slugs, collection_ids, min_subtotal, max_discount, starts_at,
  ends_at, usage_limit, per_customer_limit, first_order_only, active, is_template, valid_days, template_id, used_count, created_at, updated_at`);

/** The driver returns elements of bigint[] as texts. */
export function rowOf(row: PromoRow): PromoRow {
  return { ...row, product_ids: row.product_ids.map(Number), collection_ids: row.collection_ids.map(Number) };
}

export interface PromoFilters {
  code: string | undefined;
  active: boolean | undefined;
  is_template: boolean | undefined;
}

export function conditionOf(companyId: number, filters: PromoFilters): Statement {
  const conditions = [sql`company_id = ${companyId}`];
  if (filters.code === undefined) conditions.push(sql`template_id is null`);
  else conditions.push(sql`upper(code) = upper(${filters.code})`);
  if (filters.active !== undefined) conditions.push(sql`active = ${filters.active}`);
  if (filters.is_template !== undefined) conditions.push(sql`is_template = ${filters.is_template}`);
  return joinSql(conditions, ' and ');
}

export async function countPromos(db: Queryable, companyId: number, filters: PromoFilters): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from promo_codes where ${conditionOf(companyId, filters)}`);
  return rows[0]!.n;
}

export const KEYS = {
  code: { value: rawSql('upper(code)'), type: 'text' },
  ends: { value: rawSql('ends_at'), type: 'timestamptz', nulls: 'last' },
  used: { value: rawSql('used_count'), type: 'bigint' },
} as const satisfies Record<string, WalkedKey>;
export type PromoSort = Sort<keyof typeof KEYS>;

/** Sorts all of them: a shop has hundreds of codes of its own. Coupons, of which it has many, are listed by template. */
export async function listPromos(
  db: Queryable,
  companyId: number,
  filters: PromoFilters,
  { key, direction }: PromoSort,
  page: PageBounds,
): Promise<PromoRow[]> {
  const rows = await db.query<PromoRow>(sql`
    select ${columns} from promo_codes where ${conditionOf(companyId, filters)}
    order by ${key === null ? emptySql : sql`${KEYS[key].value} ${rawSql(direction)} nulls last,`} id ${rawSql(direction)}
    offset ${page.skip} limit ${page.take}`);
  return rows.map(rowOf);
}

export async function findPromo(db: Queryable, companyId: number, id: number): Promise<PromoRow | undefined> {
  const rows = await db.query<PromoRow>(sql`
    select ${columns} from promo_codes where company_id = ${companyId} and id = ${id}`);
  return rows.map(rowOf)[0];
}

export async function lockPromo(tx: Tx, companyId: number, id: number): Promise<PromoRow | undefined> {
  const rows = await tx.query<PromoRow>(sql`
    select ${columns} from promo_codes where company_id = ${companyId} and id = ${id} for update`);
  return rows.map(rowOf)[0];
}

export async function insertPromo(tx: Tx, companyId: number, promo: PromoValues, now: Date): Promise<PromoRow> {
  const rows = await tx.query<PromoRow>(sql`
    insert into promo_codes (company_id, code, type, value, scope, product_ids, category_slugs, collection_ids, min_subtotal,
      max_discount, starts_at, ends_at, usage_limit, per_customer_limit, first_order_only, active,
      is_template, valid_days, created_at, updated_at)
    values (${companyId}, ${promo.code}, ${promo.type}, ${valueJson(promo)}::jsonb, ${promo.scope}, ${promo.product_ids},
      ${promo.category_slugs}, ${promo.collection_ids}, ${promo.min_subtotal}, ${promo.max_discount}, ${promo.starts_at}, ${promo.ends_at},
      ${promo.usage_limit}, ${promo.per_customer_limit}, ${promo.first_order_only}, ${promo.active},
      ${promo.is_template}, ${promo.valid_days}, ${now}, ${now})
    returning ${columns}`);
  return rowOf(rows[0]!);
}

export async function updatePromo(
  tx: Tx,
  companyId: number,
  id: number,
  promo: PromoValues,
  now: Date,
): Promise<PromoRow> {
  const rows = await tx.query<PromoRow>(sql`
    update promo_codes set code = ${promo.code}, type = ${promo.type}, value = ${valueJson(promo)}::jsonb,
      scope = ${promo.scope}, product_ids = ${promo.product_ids}, category_slugs = ${promo.category_slugs},
      collection_ids = ${promo.collection_ids},
      min_subtotal = ${promo.min_subtotal}, max_discount = ${promo.max_discount}, starts_at = ${promo.starts_at},
      ends_at = ${promo.ends_at}, usage_limit = ${promo.usage_limit}, per_customer_limit = ${promo.per_customer_limit},
      first_order_only = ${promo.first_order_only}, active = ${promo.active},
      valid_days = ${promo.valid_days}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}
    returning ${columns}`);
  return rowOf(rows[0]!);
}

/** Converted to text, because the driver would write null as SQL's null. */
function valueJson(promo: PromoValues): string {
  return JSON.stringify('value' in promo ? promo.value : null);
}

export async function deletePromo(tx: Tx, companyId: number, id: number): Promise<PromoRow | undefined> {
  const rows = await tx.query<PromoRow>(sql`
    delete from promo_codes where company_id = ${companyId} and id = ${id} returning ${columns}`);
  return rows.map(rowOf)[0];
}

/** Returns those of the ids that name no product of the company. */
export async function findUnknownProducts(db: Queryable, companyId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select given.id from unnest(${ids}::bigint[]) as given (id)
    where not exists (select 1 from products p where p.company_id = ${companyId} and p.id = given.id)`);
  return rows.map((row) => row.id);
}

/** Returns those of the ids that name no collection of the company. The others cannot be deleted until COMMIT. */
export async function findUnknownCollections(tx: Tx, companyId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from collections where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for key share`);
  const known = new Set(rows.map((row) => row.id));
  return ids.filter((id) => !known.has(id));
}

/** Keeps categories, of those that exist, from being deleted until COMMIT. */
export async function holdCategories(tx: Tx, companyId: number, slugs: readonly string[]): Promise<void> {
  await tx.query(sql`
    select 1 from categories where company_id = ${companyId} and slug = any(${slugs}::text[]) order by slug for key share`);
}

/** Returns promo codes for a collection, of coupons those that can still be used: at most `limit`, coupons last. */
export async function findPromosOfCollection(
  db: Queryable,
  companyId: number,
  collectionId: number,
  { now, limit }: { now: Date; limit: number },
): Promise<{ id: number; code: string }[]> {
  return db.query<{ id: number; code: string }>(sql`
    select id, code from promo_codes
    where company_id = ${companyId} and collection_ids @> array[${collectionId}::bigint]
      and (template_id is null or (active and used_count = 0 and (ends_at is null or ends_at > ${now})))
    order by template_id nulls first, id limit ${limit}`);
}

/** Locks the promo codes for a product (by id or slug), as orders lock codes before stock. */
export async function lockPromosOf(tx: Tx, companyId: number, product: number | string): Promise<void> {
  const by = typeof product === 'number' ? sql`id = ${product}` : sql`slug = ${product}`;
  await tx.query(sql`
    select from promo_codes
    where company_id = ${companyId} and product_ids && array(select id from products where company_id = ${companyId} and ${by})
    order by id for update`);
}

/** Lets the promo codes for a product apply to others in its place. The caller has locked them. */
export async function replaceInPromos(tx: Tx, companyId: number, product: number, others: number[]): Promise<void> {
  await tx.query(sql`
    update promo_codes set product_ids = array(
      select distinct id from unnest(array_remove(product_ids, ${product}) || ${others}::bigint[]) id order by id)
    where company_id = ${companyId} and product_ids @> array[${product}::bigint]`);
}
