import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { PictureStore } from './stores/store.ts';

export interface PictureRow {
  id: number;
  hash: string;
  width: number;
  height: number;
}

export interface NewPicture {
  kind: 'picture' | 'file';
  hash: string;
  /** Null for a file. */
  width: number | null;
  height: number | null;
  bytes: number;
  title: string;
  storedIn: PictureStore['name'];
  deleteAfter: Date;
  now: Date;
}

/** Returns a picture that was uploaded before, and keeps it until `deleteAfter`, or for as long as a product shows it. */
export async function reusePicture(
  db: Queryable,
  companyId: number,
  hash: string,
  deleteAfter: Date,
): Promise<PictureRow | undefined> {
  const rows = await db.query<PictureRow>(sql`
    update pictures set delete_after = case when delete_after is not null then greatest(delete_after, ${deleteAfter}) end
    where company_id = ${companyId} and id = (
      select id from pictures where company_id = ${companyId} and hash = ${hash} and ready order by id limit 1)
      and ready
    returning id, hash, width, height`);
  return rows[0];
}

/** Inserts a picture whose bytes are not stored yet. */
export async function insertPicture(db: Queryable, companyId: number, picture: NewPicture): Promise<number> {
  const { kind, hash, width, height, bytes, title, storedIn, deleteAfter, now } = picture;
  const rows = await db.query<{ id: number }>(sql`
    insert into pictures (company_id, kind, hash, width, height, bytes, title, stored_in, delete_after, created_at)
    values (${companyId}, ${kind}, ${hash}, ${width}, ${height}, ${bytes}, ${title}, ${storedIn}, ${deleteAfter}, ${now})
    returning id`);
  return rows[0]!.id;
}

/** Returns false if it was removed in the meantime. */
export async function markReady(db: Queryable, companyId: number, id: number): Promise<boolean> {
  const rows = await db.query(sql`
    update pictures set ready = true where company_id = ${companyId} and id = ${id} returning 1`);
  return rows.length > 0;
}

/**
 * Adds it to the media library, until it is deleted; a title that it has stays. `isNew`: its content has just been stored. Returns false if
 * it was removed in the meantime.
 */
export async function keepPicture(
  tx: Tx,
  companyId: number,
  id: number,
  { title, isNew }: { title: string; isNew: boolean },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update pictures set ready = true, keep = true, delete_after = null, title = case when title = '' then ${title} else title end
    where company_id = ${companyId} and id = ${id} and (ready or ${isNew}) returning 1`);
  return rows.length > 0;
}

export async function sumPictures(db: Queryable, companyId: number): Promise<{ pictures: number; bytes: number }> {
  const rows = await db.query<{ pictures: number; bytes: number }>(sql`
    select count(*) filter (where kind = 'picture')::bigint as pictures, coalesce(sum(bytes), 0)::bigint as bytes
    from pictures where company_id = ${companyId}`);
  return rows[0]!;
}

interface Stored {
  kind: NewPicture['kind'];
  stored_in: PictureStore['name'];
  bytes: number;
}

/** Returns where the picture is stored, and the size of its contents together; undefined if it is not ready. */
export async function findStored(
  db: Queryable,
  companyId: number,
  { id, hash }: { id: number; hash: string },
): Promise<Stored | undefined> {
  const rows = await db.query<Stored>(sql`
    select kind, stored_in, bytes from pictures where company_id = ${companyId} and id = ${id} and hash = ${hash} and ready`);
  return rows[0];
}

/** Returns and locks those of the pictures that are ready, by ascending id; files are none. */
export async function lockPictures(tx: Tx, companyId: number, ids: number[]): Promise<{ id: number; hash: string }[]> {
  return tx.query<{ id: number; hash: string }>(sql`
    select id, hash from pictures where company_id = ${companyId} and id = any(${ids}::bigint[]) and ready and kind = 'picture'
    order by id for update`);
}

export interface Shown {
  productId: number;
  pictureId: number;
}

/** Makes these exactly the pictures that the products show. */
export async function setProductPictures(
  tx: Tx,
  companyId: number,
  productIds: number[],
  shown: Shown[],
): Promise<void> {
  const products = shown.map(({ productId }) => productId);
  const pictures = shown.map(({ pictureId }) => pictureId);
  await tx.query(sql`
    delete from product_pictures p
    where p.company_id = ${companyId} and p.product_id = any(${productIds}::bigint[]) and not exists (
      select from unnest(${products}::bigint[], ${pictures}::bigint[]) as s (product_id, picture_id)
      where s.product_id = p.product_id and s.picture_id = p.picture_id)`);
  await tx.query(sql`
    insert into product_pictures (company_id, product_id, picture_id)
    select ${companyId}, product_id, picture_id
    from unnest(${products}::bigint[], ${pictures}::bigint[]) as s (product_id, picture_id) on conflict do nothing`);
}

/** Pictures of the library and those that a product shows are kept; the others are deleted after `deleteAfter`. */
export async function setDeleteAfter(tx: Tx, companyId: number, ids: number[], deleteAfter: Date): Promise<void> {
  await tx.query(sql`
    update pictures p set delete_after = case
      when p.keep or exists (select from product_pictures u where u.company_id = ${companyId} and u.picture_id = p.id) then null
      else coalesce(greatest(p.delete_after, ${deleteAfter}), ${deleteAfter}) end
    where p.company_id = ${companyId} and p.id = any(${ids}::bigint[])`);
}

export interface DuePicture {
  company_id: number;
  id: number;
  stored_in: PictureStore['name'];
}

/** Hides pictures whose time is over, and returns them for removal. Nobody else takes them until `tryAgain`. */
export async function takeDue(db: Queryable, now: Date, tryAgain: Date, limit: number): Promise<DuePicture[]> {
  return db.query<DuePicture>(sql`
    with due as materialized (
      select company_id, id from pictures d where delete_after < ${now} and not exists (
        select from product_pictures u where u.company_id = d.company_id and u.picture_id = d.id)
      order by delete_after limit ${limit} for update skip locked
    )
    update pictures p set ready = false, delete_after = ${tryAgain} from due
    where p.company_id = due.company_id and p.id = due.id
    returning p.company_id, p.id, p.stored_in`);
}

export async function deletePicture(db: Queryable, companyId: number, id: number): Promise<void> {
  await db.query(sql`delete from pictures where company_id = ${companyId} and id = ${id} and not ready`);
}
