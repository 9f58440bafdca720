import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../../errors.ts';
import { replaceInCollections, updateMemberships } from '../../collections/member-queries.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { fittingValues, mergeCustom } from '../../custom-fields/values.ts';
import { relinkPictures } from '../../pictures/service.ts';
import { lockPromosOf, replaceInPromos } from '../../promotions/queries.ts';
import type { ProductChanges } from '../change.ts';
import { MAX_CATEGORIES, type ProductOption } from '../contract.ts';
import { insertOne } from '../create.ts';
import { keepFacets } from '../facets/keep-queries.ts';
import { NEW_PRODUCT, readProduct, searchTextOf, seoOfVariants } from '../fields.ts';
import { forgetFetches, moveFetches } from '../imported/fetch-queries.ts';
import { lockProduct, lockProducts, type ProductRow } from '../queries.ts';
import { findFree, parseRef, slugify } from '../slug.ts';
import * as slugs from '../slug-queries.ts';
import { checkUnique } from '../unique.ts';
import type { ChangedOptions, GroupProducts } from './contract.ts';
import { changedOptions, changedValues } from './option-changes.ts';
import { checkOptions, combinationOf, titleOf, valuesFor } from './options.ts';
import * as queries from './queries.ts';

/*
 * Changes of what is a parent and what a variant (docs/design/catalogue.md). Each is one transaction, in which the stock of all products
 * concerned is locked.
 */

/**
 * Sets the options of a product. A simple product becomes the first variant of a new parent, which takes over what variants share. Returns
 * the parent's id. Throws not_found, validation_failed, in_use, duplicate.
 */
export async function setProductOptions(changes: ProductChanges, ref: string, body: ChangedOptions): Promise<number> {
  const { tx, caller } = changes;
  const by = parseRef(ref);
  // Before the stock: orders lock promo codes so, and imports slugs.
  await slugs.lockSlugs(tx, caller.companyId, 'generated');
  await lockPromosOf(tx, caller.companyId, by);
  const product = found(await lockProduct(tx, caller.companyId, by), 'product');
  if (product.variant_of !== null) throw notOfKind(product, 'The product is a variant');
  return product.variant_count > 0 ? changeOptions(changes, product, body) : convert(changes, product, body);
}

function notOfKind({ id }: { id: number }, message: string): AppError {
  return new AppError('not_a_parent', message, { product_id: id });
}

/** Makes a simple product the first variant of a new parent. */
async function convert(changes: ProductChanges, product: ProductRow, body: ChangedOptions): Promise<number> {
  const { tx, caller } = changes;
  const { companyId, now } = caller;
  const errors: FieldError[] = [];
  const options = body.options.map(({ name, values }) => ({ name, values: [...values] }));
  checkOptions(options, errors);
  if (body.variant === undefined) errors.push({ field: 'variant', code: 'required', message: 'variant is required' });
  const values = body.variant === undefined ? null : valuesFor(options, body.variant, 'variant', errors);
  if (errors.length > 0 || values === null) throw validationFailed(errors);
  const { name, slug, categories, images, status } = product;
  const ownSlug = await freeSlug(tx, companyId, `${slug} ${titleOf(values)}`);
  await queries.becomeVariants(tx, companyId, [{ ...variantValues(changes, product), slug: ownSlug }], now);
  const shared = {
    name,
    slug,
    description: product.description,
    seo_title: product.seo_title,
    seo_description: product.seo_description,
    categories,
    images,
    custom: product.custom,
    tax_class: product.tax_class,
    subscription_enabled: product.subscription_enabled,
    price: product.price,
  };
  const { publish_at } = product;
  const fields = { ...NEW_PRODUCT, ...shared, publish_at, stock_qty: 0, options, variant_count: 1 };
  const { id: parent } = await insertOne(changes, { slug, status }, fields);
  await relinkPictures(tx, { companyId, now }, [{ productId: product.id, before: images, after: [] }]);
  await moveFetches(tx, companyId, product.id, parent);
  const variant = { id: product.id, options: values, position: 1 };
  await queries.setFamily(tx, companyId, { id: parent, name, categories }, [variant], now);
  await queries.setVariantStatus(tx, companyId, product.id);
  await replaceInPromos(tx, companyId, product.id, [parent]);
  await queries.updateParent(tx, companyId, parent);
  await keepFacets(tx, companyId, [parent]);
  await replaceInCollections(tx, companyId, [product.id], [parent]);
  await updateMemberships(tx, companyId, [parent]);
  return parent;
}

/** What a product keeps of its custom values as a variant: those that variants have too. */
function variantValues({ custom }: ProductChanges, product: ProductRow) {
  return { id: product.id, custom: fittingValues(custom, 'variant', product.custom) };
}

/** Adds an error for each value that a product would lose as a variant of a parent with other values. */
function checkKept(
  changes: ProductChanges,
  row: ProductRow,
  ofParent: CustomValues,
  place: string,
  errors: FieldError[],
): void {
  const kept = variantValues(changes, row).custom;
  // Not those of deleted fields.
  for (const [key, value] of Object.entries(fittingValues(changes.custom, 'product', row.custom))) {
    if (Object.hasOwn(kept, key)) continue;
    if (Object.hasOwn(ofParent, key) && isDeepStrictEqual(value, ofParent[key])) continue;
    const field = `${place}.custom.${key}`;
    errors.push({ field, code: 'not_allowed', message: `${field} is neither the new product's nor for variants` });
  }
}

/** Renames, adds, removes and reorders options and values of a parent; its variants follow. */
async function changeOptions(changes: ProductChanges, parent: ProductRow, body: ChangedOptions): Promise<number> {
  const { tx, caller } = changes;
  const { companyId, now } = caller;
  const errors: FieldError[] = [];
  if (body.variant !== undefined) {
    errors.push({ field: 'variant', code: 'not_allowed', message: 'variant is for a product without variants' });
  }
  const options = changedOptions(parent.options as ProductOption[], body.options, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const variants = await queries.findVariants(tx, companyId, parent.id);
  const changed = variants.map(({ id, options: values, position, archived }) => ({
    id,
    position,
    archived,
    options: changedValues(body.options, values),
  }));
  const without = changed.filter(
    ({ archived, options: values }) => !archived && values.some(({ value }, i) => !options[i]!.values.includes(value)),
  );
  if (without.length > 0) {
    const message = 'Variants that are not archived have a value that would be removed';
    throw new AppError('in_use', message, { variants: without.slice(0, 100).map(({ id }) => id) });
  }
  await queries.setOptions(tx, companyId, parent.id, { options, search: searchTextOf(parent, options) });
  // First something that no other has: values may be swapped.
  await queries.clearOptions(tx, companyId, parent.id);
  await checkUnique(() => queries.setFamily(tx, companyId, parent, changed, now));
  await queries.touch(tx, companyId, parent.id, now);
  await keepFacets(tx, companyId, [parent.id]);
  await updateMemberships(tx, companyId, [parent.id]);
  return parent.id;
}

/** Makes simple products the variants of a new parent. Returns its id. Throws validation_failed, not_a_parent, duplicate. */
export async function groupProducts(changes: ProductChanges, input: GroupProducts): Promise<number> {
  const { tx, caller, shop } = changes;
  const { companyId, now } = caller;
  await slugs.lockSlugs(tx, companyId, 'generated');
  const errors: FieldError[] = [];
  const options = input.options.map(({ name, values }) => ({ name, values: [...values] }));
  checkOptions(options, errors);
  const ids = input.variants.map(({ product_id }) => product_id);
  const rows = new Map((await lockProducts(tx, companyId, ids)).map((row) => [row.id, row]));
  const combinations = new Set<string>();
  const members = input.variants.flatMap(({ product_id, options: given }, i) => {
    const place = `variants.${i}`;
    const fail = (field: string, code: string, what: string): void => {
      errors.push({ field: `${place}.${field}`, code, message: `${place}.${field} ${what}` });
    };
    const row = rows.get(product_id);
    if (row === undefined) fail('product_id', 'unknown', 'refers to an unknown product');
    else if (row.variant_of !== null || row.variant_count > 0)
      fail('product_id', 'not_allowed', 'must be a simple product');
    if (ids.indexOf(product_id) !== i) fail('product_id', 'duplicate', 'occurs twice');
    const values = valuesFor(options, given, `${place}.options`, errors);
    if (row === undefined || values === null) return [];
    const combination = combinationOf(values);
    if (row.status === 'active' && combinations.has(combination))
      fail('options', 'duplicate', 'are those of another variant');
    if (row.status === 'active') combinations.add(combination);
    return [{ row, values, place }];
  });
  const categories = input.categories ?? [...new Set(members.flatMap(({ row }) => row.categories))];
  if (categories.length > MAX_CATEGORIES) {
    const message = `categories has more than ${MAX_CATEGORIES}: name those of the product`;
    errors.push({ field: 'categories', code: 'out_of_range', message });
  }
  if (errors.length > 0) throw validationFailed(errors);
  const first = members[0]!.row;
  const given = {
    name: input.name,
    description: input.description ?? first.description,
    seo_title: first.seo_title,
    seo_description: first.seo_description,
    categories,
    images: input.images,
    custom: mergeCustom(changes.custom, 'product', input.custom, first.custom, errors),
  };
  for (const { row, place } of members) checkKept(changes, row, given.custom, place, errors);
  const fields = readProduct(given, shop, { ...NEW_PRODUCT, images: first.images, tax_class: first.tax_class }, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const status = members.some(({ row }) => row.status === 'active') ? 'active' : first.status;
  const { publish_at } = first;
  const inserted = { ...fields, publish_at, stock_qty: 0, options, variant_count: members.length };
  const { id: parent } = await insertOne(
    changes,
    { status, ...(input.slug === undefined ? {} : { slug: input.slug }) },
    inserted,
  );
  await queries.becomeVariants(
    tx,
    companyId,
    members.map(({ row }) => ({ ...variantValues(changes, row), slug: null })),
    now,
  );
  const variants = members.map(({ row, values }, i) => ({ id: row.id, options: values, position: i + 1 }));
  await queries.setFamily(
    tx,
    companyId,
    { id: parent, name: fields.name, categories: fields.categories },
    variants,
    now,
  );
  await queries.updateParent(tx, companyId, parent);
  await keepFacets(tx, companyId, [parent]);
  await replaceInCollections(tx, companyId, ids, [parent]);
  await updateMemberships(tx, companyId, [parent]);
  return parent;
}

/** Makes the variants of a parent simple products again, and deletes it. Returns their ids. Throws not_found, not_a_parent. */
export async function ungroupProduct(
  changes: ProductChanges,
  ref: string,
): Promise<{ id: number; productIds: number[] }> {
  const { tx, caller } = changes;
  const { companyId, now } = caller;
  const by = parseRef(ref);
  await lockPromosOf(tx, companyId, by);
  const parent = found(await lockProduct(tx, companyId, by), 'product');
  if (parent.variant_count === 0) throw notOfKind(parent, 'The product has no variants');
  const rows = await queries.findVariantFields(tx, companyId, parent.id);
  const productIds = rows.map(({ id }) => id);
  await queries.becomeSimple(
    tx,
    companyId,
    rows.map(({ id, name, custom }) => ({
      id,
      search: searchTextOf({ name, description: parent.description }),
      // Whose the values of the parent were is known only of a single variant.
      custom: { ...(rows.length === 1 ? parent.custom : {}), ...fittingValues(changes.custom, 'product', custom) },
    })),
    { ...parent, ...seoOfVariants(parent, rows.length) },
    now,
  );
  await queries.addToCategories(tx, companyId, productIds, parent.categories);
  const relinked = rows
    .filter(({ images }) => images.length === 0)
    .map(({ id }) => ({ productId: id, before: [], after: parent.images }));
  await relinkPictures(tx, { companyId, now }, [
    ...relinked,
    { productId: parent.id, before: parent.images, after: [] },
  ]);
  await replaceInPromos(tx, companyId, parent.id, productIds);
  await replaceInCollections(tx, companyId, [parent.id], productIds);
  await forgetFetches(tx, companyId, [parent.id]);
  await queries.deleteParent(tx, companyId, parent.id);
  await keepFacets(tx, companyId, productIds);
  await updateMemberships(tx, companyId, productIds);
  return { id: parent.id, productIds };
}

function freeSlug(tx: Tx, companyId: number, text: string): Promise<string> {
  return findFree(slugify(text), (asked) => slugs.findTakenSlugs(tx, companyId, asked));
}
