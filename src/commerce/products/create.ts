import { type FieldError, validationFailed } from '../../errors.ts';
import { mergeCustom } from '../custom-fields/values.ts';
import { linkPictures } from '../pictures/service.ts';
import { checkKind, type ProductChanges } from './change.ts';
import type { ProductInput, ProductOption } from './contract.ts';
import { NEW_PRODUCT, readProduct, searchTextOf } from './fields.ts';
import { readPublishAt } from './publish.ts';
import { insertProducts, type NewProduct } from './queries.ts';
import { findFree, slugify } from './slug.ts';
import * as slugs from './slug-queries.ts';
import { checkUnique } from './unique.ts';
import { insertVariants, readVariants } from './variants/create.ts';
import { checkOptions } from './variants/options.ts';
import { updateParent } from './variants/queries.ts';

/** Creates a simple product and returns its id. Throws validation_failed, duplicate. */
export async function createSimple(changes: ProductChanges, input: ProductInput): Promise<number> {
  const errors: FieldError[] = [];
  if (input.price === undefined) errors.push(required('price'));
  if (input.options !== undefined) errors.push(required('variants'));
  const custom = mergeCustom(changes.custom, 'product', input.custom, null, errors);
  const fields = readProduct({ ...input, custom }, changes.shop, NEW_PRODUCT, errors);
  const publish_at = publishAtOf(changes, input, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return (await insertOne(changes, input, { ...fields, publish_at, stock_qty: input.stock_qty ?? 0 })).id;
}

/** Creates a parent with its variants and returns its id. Throws validation_failed, duplicate. */
export async function createParent(changes: ProductChanges, input: ProductInput): Promise<number> {
  const { variants = [], options, ...own } = input;
  const errors: FieldError[] = [];
  if (options === undefined) throw validationFailed([required('options')]);
  checkKind(own, 'parent', errors);
  checkOptions(options, errors);
  const custom = mergeCustom(changes.custom, 'product', own.custom, null, errors);
  const fields = readProduct({ ...own, custom }, changes.shop, NEW_PRODUCT, errors);
  const all = options.map(({ name, values }) => ({ name, values: [...values] }));
  const publish_at = publishAtOf(changes, input, errors);
  const read = readVariants(changes, variants, { options: all, taken: new Set(), defaults: fields }, errors);
  if (errors.length > 0) throw validationFailed(errors);
  // Before a lock for a given slug, which it includes: the slugs of the variants are generated.
  await slugs.lockSlugs(changes.tx, changes.caller.companyId, 'generated');
  const { id, slug } = await insertOne(changes, input, {
    ...fields,
    publish_at,
    stock_qty: 0,
    options: all,
    variant_count: variants.length,
  });
  const parent = { id, name: fields.name, slug, categories: fields.categories };
  await insertVariants(changes, parent, read, 0);
  await updateParent(changes.tx, changes.caller.companyId, id);
  return id;
}

function publishAtOf(
  { caller: { now } }: ProductChanges,
  { publish_at, status = 'active' }: ProductInput,
  errors: FieldError[],
): Date | null {
  return readPublishAt(publish_at, { status, before: null, now }, errors);
}

/** The options of a parent; others have none with `values`. */
function optionsOf({ variant_count = 0, options = [] }: Omit<NewProduct, 'status' | 'search'>): ProductOption[] {
  return variant_count > 0 ? (options as ProductOption[]) : [];
}

function required(field: string): FieldError {
  return { field, code: 'required', message: `${field} is required` };
}

/** Inserts a product with its pictures. A slug is made from its name if none is given. Throws duplicate. */
export async function insertOne(
  { tx, caller, origin }: ProductChanges,
  { slug, status = 'active' }: Pick<ProductInput, 'slug' | 'status'>,
  fields: Omit<NewProduct, 'status' | 'search'>,
): Promise<{ id: number; slug: string }> {
  const { companyId, actor, now } = caller;
  const row = { ...fields, slug: slug ?? '', status, search: searchTextOf(fields, optionsOf(fields)) };
  await slugs.lockSlugs(tx, companyId, slug === undefined ? 'generated' : 'given');
  if (slug === undefined) {
    row.slug = await findFree(slugify(fields.name), (asked) => slugs.findTakenSlugs(tx, companyId, asked));
  }
  const ids = await checkUnique(() => insertProducts(tx, companyId, [row], { actor, now }));
  const id = ids.get(row.slug)!;
  await linkPictures(tx, caller, id, { before: [], after: row.images, origin });
  return { id, slug: row.slug };
}
