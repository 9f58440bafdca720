import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';

/** The first due fetch of each company, by one index lookup each. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from picture_fetches where state = 'pending' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from picture_fetches where state = 'pending' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

export async function companiesWithFetches(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}
    select company_id from first_due where due_at <= ${now} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

/** Returns when the next fetch is due, in any company. */
export async function nextDueFetch(db: Queryable): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE} select min(due_at) as due_at from first_due`);
  return rows[0]!.due_at;
}

export interface Fetch {
  id: number;
  url: string;
  attempts: number;
}

/** Takes due fetches of a company; if the process dies, they are due again at `again`. */
export async function claimFetches(
  tx: Tx,
  companyId: number,
  claim: { now: Date; again: Date; limit: number },
): Promise<Fetch[]> {
  return tx.query<Fetch>(sql`
    with due as materialized (
      select id from picture_fetches where company_id = ${companyId} and state = 'pending' and due_at <= ${claim.now}
      order by due_at, id limit ${claim.limit} for update skip locked
    )
    update picture_fetches f set due_at = ${claim.again}, attempts = f.attempts + 1 from due
    where f.company_id = ${companyId} and f.id = due.id
    returning f.id, f.url, f.attempts`);
}

export async function rescheduleFetch(db: Queryable, companyId: number, id: number, dueAt: Date): Promise<void> {
  await db.query(sql`
    update picture_fetches set due_at = ${dueAt} where company_id = ${companyId} and id = ${id} and state = 'pending'`);
}

/** Ends the fetches of a URL for all products that wait for it. */
export async function failFetches(db: Queryable, companyId: number, url: string): Promise<void> {
  await db.query(sql`
    update picture_fetches set state = 'failed'
    where company_id = ${companyId} and md5(url) = md5(${url}) and url = ${url} and state = 'pending'`);
}

/** Returns the products that wait for a picture, in their order. */
export async function findWaiting(db: Queryable, companyId: number, url: string): Promise<number[]> {
  const rows = await db.query<{ product_id: number }>(sql`
    select product_id from picture_fetches
    where company_id = ${companyId} and md5(url) = md5(${url}) and url = ${url} and state = 'pending'
    order by product_id`);
  return rows.map((row) => row.product_id);
}

/** Ends one product's fetch. Without a stored URL it is forgotten, since the product does not show the picture any more. */
export async function settleFetch(
  tx: Tx,
  companyId: number,
  { productId, url, storedUrl }: { productId: number; url: string; storedUrl: string | null },
): Promise<void> {
  if (storedUrl === null) {
    await tx.query(sql`
      delete from picture_fetches
      where company_id = ${companyId} and md5(url) = md5(${url}) and url = ${url} and product_id = ${productId}`);
    return;
  }
  await tx.query(sql`
    update picture_fetches set state = 'done', stored_url = ${storedUrl}
    where company_id = ${companyId} and md5(url) = md5(${url}) and url = ${url} and product_id = ${productId}`);
}

export interface WantedPicture {
  productId: number;
  url: string;
}

/** Lets pictures be fetched, also those that failed or were replaced before. */
export async function requestFetches(tx: Tx, companyId: number, wanted: WantedPicture[], now: Date): Promise<void> {
  const products = wanted.map(({ productId }) => productId);
  const urls = wanted.map(({ url }) => url);
  await tx.query(sql`
    insert into picture_fetches (company_id, product_id, url, state, due_at)
    select distinct ${companyId}::bigint, product_id, url, 'pending', ${now}::timestamptz
    from unnest(${products}::bigint[], ${urls}::text[]) as w (product_id, url)
    on conflict (company_id, md5(url), product_id) do update
      set state = 'pending', attempts = 0, due_at = excluded.due_at, stored_url = null, url = excluded.url`);
}

export interface StoredPicture {
  product_id: number;
  url: string;
  stored_url: string;
}

/** Returns which stored pictures the products got in place of URLs. */
export async function findStoredPictures(
  db: Queryable,
  companyId: number,
  productIds: number[],
): Promise<StoredPicture[]> {
  return db.query<StoredPicture>(sql`
    select product_id, url, stored_url from picture_fetches
    where company_id = ${companyId} and product_id = any(${productIds}::bigint[]) and state = 'done'`);
}

/** Lets another product wait for the pictures of a product, and have those that were stored for it. */
export async function moveFetches(tx: Tx, companyId: number, from: number, to: number): Promise<void> {
  await tx.query(sql`
    update picture_fetches set product_id = ${to} where company_id = ${companyId} and product_id = ${from}`);
}

export async function forgetFetches(tx: Tx, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    delete from picture_fetches where company_id = ${companyId} and product_id = any(${productIds}::bigint[])`);
}

export interface ProductImage {
  url: string;
  is_primary: boolean;
  alt?: string;
}

export async function lockImages(tx: Tx, companyId: number, productId: number): Promise<ProductImage[] | undefined> {
  const rows = await tx.query<{ images: ProductImage[] }>(sql`
    select images from products where company_id = ${companyId} and id = ${productId} for update`);
  return rows[0]?.images;
}

/** Leaves `updated_at` as it is: an undo of the import takes the product back while nobody else has changed it. */
export async function replaceImages(
  tx: Tx,
  companyId: number,
  productId: number,
  images: ProductImage[],
): Promise<void> {
  await tx.query(sql`
    update products set images = ${JSON.stringify(images)}::jsonb where company_id = ${companyId} and id = ${productId}`);
}
