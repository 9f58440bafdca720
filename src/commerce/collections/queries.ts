import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { emptySql, likeAnywhere, rawSql, type Statement, sql } from '../../db/sql.ts';
import { type WalkedSet, walkSorted } from '../../db/walk-sorted.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { RuleGroup } from '../../rules/language.ts';
import type { CustomValues } from '../custom-fields/definition.ts';
import type { Collection, CollectionSort } from './contract.ts';

/** The fields that are written. */
export interface CollectionValues {
  slug: string;
  name: string;
  description: string;
  image_media_id: number | null;
  kind: Collection['kind'];
  rules: RuleGroup | null;
  sort: CollectionSort;
  custom: CustomValues;
  seo_title: string | null;
  seo_description: string | null;
}

export interface CollectionRow extends CollectionValues {
  id: number;
  updating: boolean;
  product_count: number;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS =
  rawSql(`c.id, c.slug, c.name, c.description, c.image_media_id, c.kind, c.rules, c.sort, c.custom, c.seo_title, c.seo_description, c.updating, c.revision, c.created_at, c.updated_at, (
  select count(*)::int from collection_products m where m.company_id = c.company_id and m.collection_id = c.id) as product_count`);

const by = (ref: number | string): Statement => (typeof ref === 'number' ? sql`c.id = ${ref}` : sql`c.slug = ${ref}`);
const ofKind = (kind: Collection['kind'] | undefined): Statement =>
  kind === undefined ? emptySql : sql`and c.kind = ${kind}`;

/** Filters of the list. */
export interface CollectionFilters {
  kind?: Collection['kind'];
  /** Part of the name or the slug. */
  search?: string;
}

function filtered({ kind, search = '' }: CollectionFilters): Statement {
  if (search === '') return ofKind(kind);
  const pattern = likeAnywhere(search);
  return sql`${ofKind(kind)} and (c.name ilike ${pattern} or c.slug ilike ${pattern})`;
}

export async function countCollections(db: Queryable, companyId: number, filters: CollectionFilters): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*)::int as n from collections c where c.company_id = ${companyId} ${filtered(filters)}`);
  return rows[0]!.n;
}

/** Newest first. */
export async function listCollections(
  db: Queryable,
  companyId: number,
  filters: CollectionFilters,
  page: PageBounds,
): Promise<CollectionRow[]> {
  return db.query<CollectionRow>(sql`
    select ${COLUMNS} from collections c where c.company_id = ${companyId} ${filtered(filters)}
    order by c.id desc offset ${page.skip} limit ${page.take}`);
}

/** Yields all collections, newest first, in pages. */
export async function* walkCollections(
  db: Db,
  companyId: number,
  kind: Collection['kind'] | undefined,
): AsyncGenerator<CollectionRow[]> {
  const from = sql`from collections c where c.company_id = ${companyId} ${ofKind(kind)}`;
  const set: WalkedSet = { from, id: rawSql('c.id'), key: null };
  for await (const ids of walkSorted(db, set, 'desc')) {
    yield await db.query<CollectionRow>(sql`
      select ${COLUMNS} from collections c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) order by c.id desc`);
  }
}

/** Finds a collection by id (a number) or slug (a string). */
export async function findCollection(
  db: Queryable,
  companyId: number,
  ref: number | string,
): Promise<CollectionRow | undefined> {
  const rows = await db.query<CollectionRow>(sql`
    select ${COLUMNS} from collections c where c.company_id = ${companyId} and ${by(ref)}`);
  return rows[0];
}

/** Locks a collection; members can still be added to it by changes of products. */
export async function lockCollection(
  tx: Tx,
  companyId: number,
  ref: number | string,
  lock: 'for no key update' | 'for update' = 'for no key update',
): Promise<CollectionRow | undefined> {
  const rows = await tx.query<CollectionRow>(sql`
    select ${COLUMNS} from collections c where c.company_id = ${companyId} and ${by(ref)} ${rawSql(lock)}`);
  return rows[0];
}

/** Until COMMIT, of the transactions that create collections of a company one works at a time: they look for free slugs, and count. */
export async function lockNewCollections(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('collections', ${companyId}))`);
}

export async function findTakenSlugs(tx: Tx, companyId: number, slugs: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ slug: string }>(sql`
    select slug from collections where company_id = ${companyId} and slug = any(${slugs}::text[])`);
  return new Set(rows.map(({ slug }) => slug));
}

/** @param refreshAt when the rules are applied again; null where they depend on no time */
export async function insertCollection(
  tx: Tx,
  companyId: number,
  { slug, name, description, image_media_id, kind, rules, sort, custom, seo_title, seo_description }: CollectionValues,
  { now, refreshAt }: { now: Date; refreshAt: Date | null },
): Promise<CollectionRow> {
  const rows = await tx.query<CollectionRow>(sql`
    with c as (
      insert into collections (company_id, slug, name, description, image_media_id, kind, rules, sort, custom, seo_title, seo_description, updating, rules_at, refresh_at, created_at, updated_at)
      values (${companyId}, ${slug}, ${name}, ${description}, ${image_media_id}, ${kind}, ${rules === null ? null : JSON.stringify(rules)}::jsonb, ${sort}, ${JSON.stringify(custom)}::jsonb,
        ${seo_title}, ${seo_description}, ${kind === 'rules'}, ${now}, ${refreshAt}, ${now}, ${now})
      returning *
    )
    select ${COLUMNS} from c`);
  return rows[0]!;
}

export async function updateCollection(
  tx: Tx,
  companyId: number,
  id: number,
  { slug, name, description, image_media_id, rules, sort, custom, seo_title, seo_description }: CollectionValues,
  now: Date,
): Promise<CollectionRow> {
  const rows = await tx.query<CollectionRow>(sql`
    with c as (
      update collections set slug = ${slug}, name = ${name}, description = ${description},
        image_media_id = ${image_media_id}, rules = ${rules === null ? null : JSON.stringify(rules)}::jsonb, sort = ${sort},
        custom = ${JSON.stringify(custom)}::jsonb, seo_title = ${seo_title}, seo_description = ${seo_description},
        updated_at = ${now}
      where company_id = ${companyId} and id = ${id}
      returning *
    )
    select ${COLUMNS} from c`);
  return rows[0]!;
}

export async function touchCollection(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`
    update collections set updated_at = ${now}, revision = revision + 1 where company_id = ${companyId} and id = ${id}`);
}

/** Deletes a collection that the transaction has locked, and its list of products. */
export async function deleteCollection(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`delete from collection_products where company_id = ${companyId} and collection_id = ${id}`);
  await tx.query(sql`delete from collections where company_id = ${companyId} and id = ${id}`);
}
