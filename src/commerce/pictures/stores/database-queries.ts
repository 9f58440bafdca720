import type { Queryable } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { ContentKey } from './store.ts';

export async function putContent(db: Queryable, key: ContentKey, content: Buffer): Promise<void> {
  await db.query(sql`
    insert into picture_contents (company_id, picture_id, variant, content)
    values (${key.companyId}, ${key.pictureId}, ${key.name}, ${content})
    on conflict (company_id, picture_id, variant) do update set content = excluded.content`);
}

export async function findContent(db: Queryable, key: ContentKey): Promise<Buffer | null> {
  const rows = await db.query<{ content: Buffer }>(sql`
    select content from picture_contents
    where company_id = ${key.companyId} and picture_id = ${key.pictureId} and variant = ${key.name}`);
  return rows[0]?.content ?? null;
}

/** Returns a part of a content, empty behind its end; null if it does not exist. The others are not read from the disk. */
export async function findPiece(
  db: Queryable,
  key: ContentKey,
  { at, length }: { at: number; length: number },
): Promise<Buffer | null> {
  const rows = await db.query<{ piece: Buffer }>(sql`
    select substring(content from ${at + 1}::int for ${length}::int) as piece from picture_contents
    where company_id = ${key.companyId} and picture_id = ${key.pictureId} and variant = ${key.name}`);
  return rows[0]?.piece ?? null;
}

export async function deleteContents(db: Queryable, companyId: number, pictureId: number): Promise<void> {
  await db.query(sql`
    delete from picture_contents where company_id = ${companyId} and picture_id = ${pictureId}`);
}
