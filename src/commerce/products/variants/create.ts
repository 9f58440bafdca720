import type { FieldError } from '../../../errors.ts';
import { mergeCustom } from '../../custom-fields/values.ts';
import { linkPictures } from '../../pictures/service.ts';
import type { ProductChanges } from '../change.ts';
import type { OptionValue, ProductOption, ProductStatus, VariantInput } from '../contract.ts';
import { NEW_PRODUCT, type ProductFields, readProduct } from '../fields.ts';
import { insertProducts, type NewProduct } from '../queries.ts';
import { freeSlugs, slugify } from '../slug.ts';
import { findTakenSlugs } from '../slug-queries.ts';
import { checkUnique } from '../unique.ts';
import { combinationOf, valuesFor, variantTexts } from './options.ts';

/** A variant to be inserted, read from a request. */
export interface NewVariant {
  fields: ProductFields;
  options: OptionValue[];
  stock: number;
  status: ProductStatus;
  /** Null for the place after all others. */
  position: number | null;
}

/** What new variants must fit. */
export interface VariantContext {
  /** Of the parent; values that they lack are added. */
  options: ProductOption[];
  /** The combinations of unarchived variants; those of the new ones are added. */
  taken: Set<string>;
  /** Tax class and subscriptions of the parent. */
  defaults: Pick<ProductFields, 'tax_class' | 'subscription_enabled'>;
}

/** Reads new variants; adds an error for each field that is wrong, with the variant's index. */
export function readVariants(
  { shop, custom: context }: Pick<ProductChanges, 'shop' | 'custom'>,
  given: readonly VariantInput[],
  { options, taken, defaults }: VariantContext,
  errors: FieldError[],
): NewVariant[] {
  const { tax_class, subscription_enabled } = defaults;
  return given.flatMap(({ options: values, status = 'active', ...own }, i): NewVariant[] => {
    const field = `variants.${i}`;
    const ordered = valuesFor(options, values, `${field}.options`, errors);
    const failed: FieldError[] = [];
    const custom = mergeCustom(context, 'variant', own.custom, null, failed);
    const old = { ...NEW_PRODUCT, tax_class, subscription_enabled };
    const fields = readProduct({ ...own, custom }, shop, old, failed);
    errors.push(...failed.map((error) => ({ ...error, field: `${field}.${error.field}` })));
    if (ordered === null) return [];
    const combination = combinationOf(ordered);
    if (status === 'active' && taken.has(combination)) {
      const message = `${field}.options are those of another variant`;
      errors.push({ field: `${field}.options`, code: 'duplicate', message });
    }
    if (status === 'active') taken.add(combination);
    return [{ fields, options: ordered, stock: own.stock_qty ?? 0, status, position: own.position ?? null }];
  });
}

/** Inserts variants of a parent, at the places that they name or after `last`, and returns their ids. The caller has
 * locked slugs, and updates the parent. Throws duplicate. */
export async function insertVariants(
  { tx, caller, origin }: ProductChanges,
  parent: { id: number; name: string; slug: string; categories: string[] },
  variants: readonly NewVariant[],
  last: number,
): Promise<number[]> {
  const { companyId, actor, now } = caller;
  const rows = variants.map(({ fields, options, stock, status, position }, i): NewProduct => {
    const { title, name, search } = variantTexts(parent.name, options);
    const own = { ...fields, name, slug: slugify(`${parent.slug} ${title}`), categories: parent.categories };
    return {
      ...own,
      search,
      status,
      stock_qty: stock,
      variant_of: parent.id,
      title,
      position: position ?? last + i + 1,
      options,
    };
  });
  await freeSlugs(rows, (asked) => findTakenSlugs(tx, companyId, asked));
  const ids = await checkUnique(() => insertProducts(tx, companyId, rows, { actor, now }));
  for (const { slug, images } of rows) {
    if (images.length > 0) await linkPictures(tx, caller, ids.get(slug)!, { before: [], after: images, origin });
  }
  return rows.map(({ slug }) => ids.get(slug)!);
}
