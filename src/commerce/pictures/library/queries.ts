import type { Queryable, Tx } from '../../../db/pool.ts';
import { joinSql, likeAnywhere, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import { type MediaField, unionShowing } from '../../custom-fields/media-queries.ts';
import type { Media } from './contract.ts';

export interface MediaRow {
  id: number;
  kind: Media['kind'];
  hash: string | null;
  link: string | null;
  title: string;
  alt: string;
  tags: string[];
  focal_x: number | null;
  focal_y: number | null;
  bytes: number;
  width: number | null;
  height: number | null;
  used_in: Media['used_in'];
  revision: number;
  created_at: Date;
}

/** How many records of each kind a record names that show it. */
const USES = 100;

const isOfCollections = ({ on }: MediaField): boolean => on === 'collection';

/** Products that show record p as a picture or in a custom field. */
const productsShowing = (companyId: number, fields: readonly MediaField[], limit: number): Statement => sql`
  (select s.product_id as id from product_pictures s
  where s.company_id = ${companyId} and s.picture_id = p.id order by s.product_id limit ${limit})
  ${unionShowing(
    companyId,
    fields.filter((field) => !isOfCollections(field)),
    limit,
  )}`;

const collectionsShowing = (companyId: number, fields: readonly MediaField[], limit: number): Statement => sql`
  (select c.id from collections c where c.company_id = ${companyId} and c.image_media_id = p.id order by c.id limit ${limit})
  ${unionShowing(companyId, fields.filter(isOfCollections), limit)}`;

const ownColumns =
  rawSql(`p.id, p.kind, p.hash, p.link, p.title, p.alt, p.tags, p.focal_x, p.focal_y, p.bytes, p.width, p.height,
  p.revision, p.created_at`);

const columnsOf = (companyId: number, fields: readonly MediaField[]): Statement => sql`${ownColumns}, (
    select coalesce(json_agg(json_build_object('kind', u.kind, 'id', u.id, 'name', u.name) order by u.place, u.id), '[]') from (
      (select 1 as place, 'product' as kind, d.id, d.name from products d
      where d.company_id = ${companyId} and d.id in (${productsShowing(companyId, fields, USES)}) order by d.id limit ${USES})
      union all
      (select 2, 'collection', c.id, c.name from collections c
      where c.company_id = ${companyId} and c.id in (${collectionsShowing(companyId, fields, USES)}) order by c.id limit ${USES})
    ) u) as used_in`;

/** In the library, over alias p: pictures that are to be removed are not. */
const LISTED = rawSql('p.ready and p.delete_after is null');

export interface MediaFilters {
  kind?: Media['kind'];
  search?: string;
  unused?: boolean;
}

function conditionOf(
  companyId: number,
  { kind, search, unused }: MediaFilters,
  fields: readonly MediaField[],
): Statement {
  const all = [sql`p.company_id = ${companyId}`, LISTED];
  if (kind !== undefined) all.push(sql`p.kind = ${kind}`);
  if (search !== undefined && search !== '') {
    const pattern = likeAnywhere(search);
    all.push(sql`(p.title ilike ${pattern} or p.alt ilike ${pattern} or exists (
      select from unnest(p.tags) as t (tag) where t.tag ilike ${pattern}))`);
  }
  if (unused !== undefined) {
    all.push(sql`${!unused} = (
      exists (${productsShowing(companyId, fields, 1)}) or exists (${collectionsShowing(companyId, fields, 1)}))`);
  }
  return joinSql(all, ' and ');
}

export async function countMedia(
  db: Queryable,
  companyId: number,
  filters: MediaFilters,
  fields: readonly MediaField[],
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from pictures p where ${conditionOf(companyId, filters, fields)}`);
  return rows[0]!.n;
}

export async function listMedia(
  db: Queryable,
  companyId: number,
  filters: MediaFilters,
  fields: readonly MediaField[],
  page: PageBounds,
): Promise<MediaRow[]> {
  return db.query<MediaRow>(sql`
    select ${columnsOf(companyId, fields)} from pictures p where ${conditionOf(companyId, filters, fields)}
    order by p.id desc offset ${page.skip} limit ${page.take}`);
}

/** In a transaction of the company, row-level security keeps PostgreSQL from searching custom values by their index. */
export async function findMedia(
  db: Queryable,
  companyId: number,
  id: number,
  fields: readonly MediaField[],
): Promise<MediaRow | undefined> {
  const rows = await db.query<MediaRow>(sql`
    select ${columnsOf(companyId, fields)} from pictures p where p.company_id = ${companyId} and p.id = ${id} and ${LISTED}`);
  return rows[0];
}

/** Returns the records with these ids that there are, without where they are used. */
export async function findMediaWithin(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<Omit<MediaRow, 'used_in'>[]> {
  return db.query<Omit<MediaRow, 'used_in'>>(sql`
    select ${ownColumns} from pictures p where p.company_id = ${companyId} and p.id = any(${[...ids]}::bigint[]) and ${LISTED}`);
}

export async function lockMedia(tx: Tx, companyId: number, id: number): Promise<Omit<MediaRow, 'used_in'> | undefined> {
  const rows = await tx.query<Omit<MediaRow, 'used_in'>>(sql`
    select ${ownColumns} from pictures p where p.company_id = ${companyId} and p.id = ${id} and ${LISTED} for update of p`);
  return rows[0];
}

export async function insertLink(
  tx: Tx,
  companyId: number,
  { url, title, now }: { url: string; title: string; now: Date },
): Promise<number> {
  const rows = await tx.query<{ id: number }>(sql`
    insert into pictures (company_id, kind, bytes, link, title, ready, keep, created_at)
    values (${companyId}, 'link', 0, ${url}, ${title}, true, true, ${now}) returning id`);
  return rows[0]!.id;
}

export type MediaTexts = Pick<MediaRow, 'title' | 'alt' | 'tags' | 'focal_x' | 'focal_y'>;

/** Sets the texts, and keeps the record until it is deleted. */
export async function updateMedia(tx: Tx, companyId: number, id: number, values: MediaTexts): Promise<void> {
  const { title, alt, tags, focal_x, focal_y } = values;
  await tx.query(sql`
    update pictures set title = ${title}, alt = ${alt}, tags = ${tags}::text[], focal_x = ${focal_x}, focal_y = ${focal_y},
      keep = true
    where company_id = ${companyId} and id = ${id}`);
}

/** Keeps a picture until it is deleted. Returns false if there is no such picture in the library. */
export async function keepInLibrary(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update pictures p set keep = true where p.company_id = ${companyId} and p.id = ${id} and p.kind = 'picture' and ${LISTED}
    returning 1`);
  return rows.length > 0;
}

/** Hides the record, which a chore removes with its content. */
export async function hideMedia(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`
    update pictures set ready = false, keep = false, delete_after = ${now} where company_id = ${companyId} and id = ${id}`);
}

/**
 * Locks the products that show a record as a picture or in a custom field, with their parents, by ascending id and parents last, as orders
 * do that sell out variants. Returns at most `limit` ids.
 */
export async function lockProductsShowing(
  tx: Tx,
  companyId: number,
  id: number,
  fields: readonly MediaField[],
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ id: number; shows: boolean }>(sql`
    with showing as materialized (
      select d.id, d.variant_of from products d where d.company_id = ${companyId} and d.id in (
        select shown.id from pictures p cross join lateral (${productsShowing(companyId, fields, limit)}) shown
        where p.company_id = ${companyId} and p.id = ${id} order by shown.id limit ${limit})
    )
    select id, id in (select id from showing) as shows from products
    where company_id = ${companyId} and id in (select id from showing union select variant_of from showing)
    order by variant_count > 0, id for update`);
  return rows.filter(({ shows }) => shows).map((row) => row.id);
}

/** Locks the collections that show a record, by ascending id, and returns at most `limit` ids. */
export async function lockCollectionsShowing(
  tx: Tx,
  companyId: number,
  id: number,
  fields: readonly MediaField[],
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from collections where company_id = ${companyId} and id in (
      select shown.id from pictures p cross join lateral (${collectionsShowing(companyId, fields, limit)}) shown
      where p.company_id = ${companyId} and p.id = ${id} limit ${limit})
    order by id for no key update`);
  return rows.map((row) => row.id);
}

/** Removes from the products the images whose URL has a path that begins with `path`. */
export async function removeFromProducts(
  tx: Tx,
  companyId: number,
  { id, path, productIds, now }: { id: number; path: string; productIds: number[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    update products p set updated_at = ${now}, images = (
      select coalesce(jsonb_agg(i.image order by i.n), '[]') from jsonb_array_elements(p.images) with ordinality as i (image, n)
      where strpos(i.image ->> 'url', ${path}) = 0)
    where p.company_id = ${companyId} and p.id = any(${productIds}::bigint[])`);
  await tx.query(sql`
    delete from product_pictures
    where company_id = ${companyId} and picture_id = ${id} and product_id = any(${productIds}::bigint[])`);
}

/** Removes the picture from the collections, which the caller has locked. */
export async function removeFromCollections(
  tx: Tx,
  companyId: number,
  { id, ids, now }: { id: number; ids: readonly number[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    update collections set image_media_id = null, updated_at = ${now}
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and image_media_id = ${id}`);
}
