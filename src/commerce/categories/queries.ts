import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, likeAnywhere, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { nameFromSlug } from './names.ts';

/** The fields that are written. */
export interface CategoryValues {
  name: string;
  description: string;
  position: number;
}

export interface CategoryRow extends CategoryValues {
  slug: string;
  product_count: number;
  revision: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = rawSql(`c.slug, c.name, c.description, c.position, c.revision, c.created_at, c.updated_at, (
  select count(*)::int from product_categories p where p.company_id = c.company_id and p.slug = c.slug) as product_count`);

/** Records that the refusal to delete a category names. */
const EXAMPLES = 100;

function matching(search: string | undefined): Statement {
  if (search === undefined || search === '') return emptySql;
  const pattern = likeAnywhere(search);
  return sql`and (c.name ilike ${pattern} or c.slug ilike ${pattern})`;
}

export async function countCategories(db: Queryable, companyId: number, search: string | undefined): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*)::int as n from categories c where c.company_id = ${companyId} ${matching(search)}`);
  return rows[0]!.n;
}

/** By position, then by name. */
export async function listCategories(
  db: Queryable,
  companyId: number,
  search: string | undefined,
  page: PageBounds,
): Promise<CategoryRow[]> {
  return db.query<CategoryRow>(sql`
    select ${COLUMNS} from categories c where c.company_id = ${companyId} ${matching(search)}
    order by c.position, c.name, c.slug offset ${page.skip} limit ${page.take}`);
}

export async function findCategory(db: Queryable, companyId: number, slug: string): Promise<CategoryRow | undefined> {
  const rows = await db.query<CategoryRow>(sql`
    select ${COLUMNS} from categories c where c.company_id = ${companyId} and c.slug = ${slug}`);
  return rows[0];
}

/** `for update` waits for transactions that add products to the category. */
export async function lockCategory(
  tx: Tx,
  companyId: number,
  slug: string,
  lock: 'for no key update' | 'for update',
): Promise<CategoryRow | undefined> {
  const rows = await tx.query<CategoryRow>(sql`
    select ${COLUMNS} from categories c where c.company_id = ${companyId} and c.slug = ${slug} ${rawSql(lock)}`);
  return rows[0];
}

/** Returns undefined if another category has the slug. */
export async function insertCategory(
  tx: Tx,
  companyId: number,
  { slug, name, description, position }: CategoryValues & { slug: string },
  now: Date,
): Promise<CategoryRow | undefined> {
  const rows = await tx.query<CategoryRow>(sql`
    with c as (
      insert into categories (company_id, slug, name, description, position, created_at, updated_at)
      values (${companyId}, ${slug}, ${name}, ${description}, ${position}, ${now}, ${now})
      on conflict do nothing returning *
    )
    select ${COLUMNS} from c`);
  return rows[0];
}

export async function updateCategory(
  tx: Tx,
  companyId: number,
  slug: string,
  { name, description, position }: CategoryValues,
  now: Date,
): Promise<CategoryRow> {
  const rows = await tx.query<CategoryRow>(sql`
    with c as (
      update categories set name = ${name}, description = ${description}, position = ${position}, updated_at = ${now}
      where company_id = ${companyId} and slug = ${slug}
      returning *
    )
    select ${COLUMNS} from c`);
  return rows[0]!;
}

/** Returns the first products and promo codes that have the category. */
export async function findUses(
  tx: Tx,
  companyId: number,
  slug: string,
): Promise<{ kind: 'product' | 'promo code'; id: number }[]> {
  return tx.query<{ kind: 'product' | 'promo code'; id: number }>(sql`
    (select 'product' as kind, product_id as id from product_categories
    where company_id = ${companyId} and slug = ${slug} order by product_id limit ${EXAMPLES})
    union all
    (select 'promo code', id from promo_codes
    where company_id = ${companyId} and ${slug} = any(category_slugs) order by id limit ${EXAMPLES})`);
}

export async function deleteCategory(tx: Tx, companyId: number, slug: string): Promise<void> {
  await tx.query(sql`delete from categories where company_id = ${companyId} and slug = ${slug}`);
}

/** Creates the categories of products that are missing, with names made from their slugs, and holds the others: none of them is deleted. */
export async function insertMissing(
  tx: Tx,
  companyId: number,
  products: readonly { categories: readonly string[] }[],
  now: Date,
): Promise<void> {
  const slugs = [...new Set(products.flatMap(({ categories }) => categories))].sort();
  if (slugs.length === 0) return;
  await tx.query(sql`
    with held as materialized (
      select slug from categories where company_id = ${companyId} and slug = any(${slugs}::text[]) order by slug for key share
    )
    insert into categories (company_id, slug, name, created_at, updated_at)
    select ${companyId}, slug, name, ${now}, ${now}
    from unnest(${slugs}::text[], ${slugs.map(nameFromSlug)}::text[]) as g (slug, name)
    where slug not in (select slug from held)
    on conflict do nothing`);
}

/** Gives names, by slug, to categories that still have those made from their slugs. */
export async function nameCategories(
  tx: Tx,
  companyId: number,
  names: ReadonlyMap<string, string>,
  now: Date,
): Promise<void> {
  const given = [...names].filter(([slug, name]) => name !== nameFromSlug(slug));
  if (given.length === 0) return;
  const slugs = given.map(([slug]) => slug);
  await tx.query(sql`
    update categories c set name = g.name, updated_at = ${now}
    from unnest(${slugs}::text[], ${given.map(([, name]) => name)}::text[], ${slugs.map(nameFromSlug)}::text[]) as g (slug, name, made)
    where c.company_id = ${companyId} and c.slug = g.slug and c.name = g.made`);
}
