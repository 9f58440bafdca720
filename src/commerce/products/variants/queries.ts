import type { Queryable, Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { deleteStock } from '../../inventory/stock.ts';
import type { OptionValue, ProductOption, ProductPatch } from '../contract.ts';
import { type ProductFields, type ProductImage, searchTextOf } from '../fields.ts';
import { variantName, variantTexts } from './options.ts';

/** Sets what a parent keeps of its variants: see the function in the schema. The caller has changed variants of it. */
export async function updateParent(tx: Tx, companyId: number, parent: number): Promise<void> {
  await tx.query(sql`select update_parent(${companyId}, ${parent})`);
}

/** What a change of a parent sets on its variants. */
type SharedPatch = Pick<ProductPatch, 'name' | 'categories' | 'tax_class' | 'subscription_enabled'>;

/**
 * Sets what the variants of a parent have from it, and what a change of it sets on all of them. The caller has locked the stock of all.
 */
export async function updateVariantsOf(
  tx: Tx,
  companyId: number,
  parent: number,
  { given, ...fields }: Pick<ProductFields, 'name' | 'categories'> & { given: SharedPatch },
  now: Date,
): Promise<void> {
  if (given.tax_class !== undefined || given.subscription_enabled !== undefined) {
    await tx.query(sql`
      update products set updated_at = ${now}
        ${given.tax_class === undefined ? emptySql : sql`, tax_class = ${given.tax_class}`}
        ${given.subscription_enabled === undefined ? emptySql : sql`, subscription_enabled = ${given.subscription_enabled}`}
      where company_id = ${companyId} and variant_of = ${parent}`);
    await updateParent(tx, companyId, parent);
  }
  if (given.name === undefined && given.categories === undefined) return;
  const rows = await tx.query<{ id: number; title: string }>(sql`
    select id, title from products where company_id = ${companyId} and variant_of = ${parent}`);
  const names = rows.map(({ title }) => variantName(fields.name, title));
  await tx.query(sql`
    update products p set name = v.name, search = v.search, categories = ${fields.categories}::text[], updated_at = ${now}
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${names}::text[],
      ${names.map((name) => searchTextOf({ name, description: '' }))}::text[]) as v (id, name, search)
    where p.company_id = ${companyId} and p.id = v.id`);
}

/** Finds a product's id by its id or slug. */
export async function findId(db: Queryable, companyId: number, ref: number | string): Promise<number | undefined> {
  const by = typeof ref === 'number' ? sql`id = ${ref}` : sql`slug = ${ref}`;
  const rows = await db.query<{ id: number }>(sql`select id from products where company_id = ${companyId} and ${by}`);
  return rows[0]?.id;
}

/**
 * Takes products out of categories, gives them the custom values of variants and no facets, and new slugs where they get one: a parent gets
 * what they had.
 */
export async function becomeVariants(
  tx: Tx,
  companyId: number,
  products: readonly { id: number; slug: string | null; custom: CustomValues }[],
  now: Date,
): Promise<void> {
  const ids = products.map(({ id }) => id);
  await tx.query(sql`
    delete from product_categories where company_id = ${companyId} and product_id = any(${ids}::bigint[])`);
  await tx.query(sql`
    update products p set slug = coalesce(g.slug, p.slug), description = '', seo_title = null, seo_description = null, publish_at = null, custom = g.custom, facets = '{}', updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(products)}::jsonb) as g (id bigint, slug text, custom jsonb)
    where p.company_id = ${companyId} and p.id = g.id`);
}

/** Sets what products have as variants of a parent: their options and places, and name and categories of the parent. */
export async function setFamily(
  tx: Tx,
  companyId: number,
  parent: { id: number; name: string; categories: string[] },
  variants: readonly { id: number; options: readonly OptionValue[]; position: number }[],
  now: Date,
): Promise<void> {
  const rows = variants.map(({ options, ...row }) => ({ ...row, options, ...variantTexts(parent.name, options) }));
  await tx.query(sql`
    update products p set variant_of = ${parent.id}, categories = ${parent.categories}::text[], title = v.title, name = v.name,
      search = v.search, options = v.options, position = v.position, updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v (
      id bigint, title text, name text, search text, options jsonb, position int)
    where p.company_id = ${companyId} and p.id = v.id`);
}

/** Gives each variant of a parent options that no other has, until `setFamily` sets the new ones. */
export async function clearOptions(tx: Tx, companyId: number, parent: number): Promise<void> {
  await tx.query(sql`
    update products set options = jsonb_build_array(id) where company_id = ${companyId} and variant_of = ${parent}`);
}

export async function addToCategories(
  tx: Tx,
  companyId: number,
  products: readonly number[],
  categories: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into product_categories (company_id, slug, product_id)
    select ${companyId}, slug, id from unnest(${[...categories]}::text[]) slug, unnest(${[...products]}::bigint[]) id`);
}

/** A product that became the only variant of its parent is active itself, and shows the pictures of the parent. */
export async function setVariantStatus(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`
    update products set images = '[]', archived_at = null, draft = false where company_id = ${companyId} and id = ${id}`);
}

/** Marks a change of a parent's options. */
export async function touch(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`update products set updated_at = ${now}, revision = revision + 1
    where company_id = ${companyId} and id = ${id}`);
}

interface VariantFields {
  id: number;
  name: string;
  images: ProductImage[];
  custom: CustomValues;
}

export async function findVariantFields(tx: Tx, companyId: number, parent: number): Promise<VariantFields[]> {
  return tx.query<VariantFields>(sql`
    select id, name, images, custom from products where company_id = ${companyId} and variant_of = ${parent} order by position, id`);
}

/**
 * Makes variants simple products, with the description, the texts for search results and the given custom values of their parent, its pictures if they have none, and its status if they are active.
 * Those that nobody has changed since `stamp` keep it.
 */
export async function becomeSimple(
  tx: Tx,
  companyId: number,
  variants: readonly { id: number; search: string; custom: CustomValues }[],
  parent: { id: number } & Pick<ProductFields, 'description' | 'images' | 'seo_title' | 'seo_description'>,
  now: Date,
  stamp: Date | null = null,
): Promise<void> {
  await tx.query(sql`
    update products p set variant_of = null, title = null, position = null, options = '[]', description = ${parent.description},
      seo_title = ${parent.seo_title}, seo_description = ${parent.seo_description},
      archived_at = coalesce(p.archived_at, q.archived_at), draft = case when p.archived_at is null then q.draft else p.draft end,
      publish_at = case when p.archived_at is null and q.draft then q.publish_at end,
      images = case when p.images = '[]' then ${JSON.stringify(parent.images)}::jsonb else p.images end, search = v.search,
      custom = v.custom,
      updated_at = case when p.updated_at = ${stamp}::timestamptz then p.updated_at else ${now} end
    from jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) as v (id bigint, search text, custom jsonb), products q
    where p.company_id = ${companyId} and p.id = v.id and q.company_id = ${companyId} and q.id = ${parent.id}`);
}

/** Deletes a parent whose variants are simple products already. */
export async function deleteParent(tx: Tx, companyId: number, id: number): Promise<void> {
  await deleteStock(tx, companyId, [id]);
  await tx.query(sql`delete from product_categories where company_id = ${companyId} and product_id = ${id}`);
  await tx.query(sql`delete from products where company_id = ${companyId} and id = ${id}`);
}

export interface VariantRow {
  id: number;
  options: OptionValue[];
  position: number;
  archived: boolean;
}

/** Returns the variants of a parent, by position. */
export async function findVariants(db: Queryable, companyId: number, parent: number): Promise<VariantRow[]> {
  return db.query<VariantRow>(sql`
    select id, options, position, archived_at is not null as archived from products
    where company_id = ${companyId} and variant_of = ${parent} order by position, id`);
}

export async function setOptions(
  tx: Tx,
  companyId: number,
  parent: number,
  { options, search }: { options: ProductOption[]; search: string },
): Promise<void> {
  await tx.query(sql`
    update products set options = ${JSON.stringify(options)}::jsonb, search = ${search} where company_id = ${companyId} and id = ${parent}`);
}

/** Returns the ids of a page of variants by position, and the total. */
export async function listVariantIds(
  db: Queryable,
  companyId: number,
  parent: number,
  { archived, ...bounds }: PageBounds & { archived: boolean | undefined },
): Promise<{ total: number; ids: number[] }> {
  const shown = archived === undefined ? 'true' : archived ? 'archived_at is not null' : 'archived_at is null';
  const from = sql`from products where company_id = ${companyId} and variant_of = ${parent} and ${rawSql(shown)}`;
  const [counted, rows] = await Promise.all([
    db.query<{ n: number }>(sql`select count(*)::int as n ${from}`),
    db.query<{ id: number }>(sql`select id ${from} order by position, id offset ${bounds.skip} limit ${bounds.take}`),
  ]);
  return { total: counted[0]!.n, ids: rows.map(({ id }) => id) };
}
