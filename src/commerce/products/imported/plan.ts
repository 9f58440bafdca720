import type { FieldError } from '../../../errors.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { mergeCustom, type ValueContext } from '../../custom-fields/values.ts';
import type { Minor } from '../../money.ts';
import type { OptionValue, ProductOption, ProductStatus } from '../contract.ts';
import { mergedFields, NEW_PRODUCT, type ProductFields, searchTextOf, withoutOldPrice } from '../fields.ts';
import { OF_VARIANT } from '../kinds.ts';
import { slugify } from '../slug.ts';
import { nameKey } from './names.ts';

/** A product read from a file. Null fields are absent from the file. */
export interface ImportedProduct {
  /** The values of fields that need no reading of their own. */
  fields: Partial<ProductFields>;
  sku: string | null;
  /** As the file states it: one made from a text identifies no product. */
  slug: string | null;
  /** The text from which a new product's slug is made if the file states none. */
  slug_text: string;
  name: string;
  description: string | null;
  price: Minor | null;
  stock: number | null;
  /** The stock of a new or sold-out product if `stock` is null: the file does not count it. */
  refill: number;
  /** Slugs of categories. */
  categories: string[] | null;
  /** The names of those that the file does not name by their slugs. */
  category_names: ReadonlyMap<string, string>;
  /** URLs; the first is the primary image. */
  images: string[] | null;
  status: ProductStatus | null;
  /** The custom values that the file has for it as a product without variants or a parent, and as a variant; in the form of requests. */
  custom?: Partial<Record<'product' | 'variant', Record<string, unknown> | undefined>>;
  /** Set if it is a variant. */
  variant?: ImportedVariant;
  /** The file says that it has variants, without their rows: it changes a parent, and creates nothing. */
  is_parent?: true;
}

export interface ImportedVariant {
  family: {
    key: string;
    parent: ImportedProduct & { slug: string };
    /** Whether the file states the parent's slug: one made from a text finds only a parent with the same name. */
    has_slug: boolean;
    /** The options of a new parent in their order, as far as the file has it. */
    options: ProductOption[];
  };
  /** In the order of the file's options. */
  options: OptionValue[];
  /** Whether it is the file's first variant of its parent, which is then changed to what the file says. */
  leads: boolean;
  /** Whether rows of other products of the file have its SKU. */
  shares_sku: boolean;
  /** Its place among the variants, if the file has it. */
  position: number | null;
}

/** A product as it is to be written. */
export interface ProductRow extends ProductFields {
  status: ProductStatus;
  stock_qty: number;
  search: string;
}

export interface ProductSnapshot extends Omit<ProductRow, 'search'> {
  id: number;
  /** The parent of a variant. */
  variant_of: number | null;
  /** Of a parent: its option values belong to its search text. */
  variant_count: number;
  options: ProductOption[] | OptionValue[];
  /** At other online locations than the main one, whose stock an import sets. */
  stock_elsewhere: number;
  position: number | null;
  /** Of the parent of a variant. */
  parent_images: ProductFields['images'] | null;
  updated_at: Date;
}

/** How an imported product and a stored one are recognised as the same. */
export interface Matching {
  /**
   * For items of past orders: one with the same name will do if either has no SKU. Otherwise both must have none, because products of a file
   * may share their name.
   */
  anyOfName: boolean;
}

/**
 * Returns a function that finds the stored product of an imported one: by SKU, otherwise by the slug that the file states unless both have
 * different SKUs, otherwise by name. Call it in the order of the batch: a stored product without a SKU takes that of the first product that
 * matches it.
 */
export function matchProducts(
  stored: readonly ProductSnapshot[],
  { anyOfName }: Matching,
): (product: ImportedProduct) => ProductSnapshot | undefined {
  // A line of a past order sold no parent.
  const known = anyOfName ? stored.filter(({ variant_count }) => variant_count === 0) : stored;
  const bySku = new Map(known.flatMap((one) => (one.sku === null ? [] : [[one.sku, one] as const])));
  const bySlug = new Map(known.map((one) => [one.slug, one]));
  const byName = Map.groupBy(known, ({ name }) => nameKey(name));
  const skuOf = new Map(known.map(({ id, sku }) => [id, sku]));

  function named({ sku, slug, name }: ImportedProduct): ProductSnapshot | undefined {
    if (slug !== null || (sku !== null && !anyOfName)) return undefined;
    const alike = byName.get(nameKey(name)) ?? [];
    return alike.find((one) => one.sku === null) ?? (anyOfName && sku === null ? alike[0] : undefined);
  }

  return (product) => {
    const { sku, slug } = product;
    const own = sku === null ? undefined : bySku.get(sku);
    if (own !== undefined) return own;
    const found = (slug === null ? undefined : bySlug.get(slug)) ?? named(product);
    if (found === undefined || sku === null) return found;
    const taken = skuOf.get(found.id) ?? sku;
    if (taken !== sku) return undefined;
    skuOf.set(found.id, sku);
    return found;
  };
}

/** A custom value of a file that does not satisfy its definition, or a required one that a new product lacks. */
export class CustomFault extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.message);
    this.error = error;
  }
}

function customOf(
  { variant, custom }: ImportedProduct,
  old: ProductSnapshot | undefined,
  context: ValueContext,
): CustomValues {
  const isVariant = variant !== undefined || (old !== undefined && old.variant_of !== null);
  const owner = isVariant ? 'variant' : 'product';
  const errors: FieldError[] = [];
  const values = mergeCustom(context, owner, custom?.[owner], old?.custom ?? null, errors);
  if (errors.length > 0) throw new CustomFault(errors[0]!);
  return values;
}

/** Returns the product's new state; null if nothing changes. The slug of a new product may be taken. Throws CustomFault. */
export function nextProduct(
  given: ImportedProduct,
  old: ProductSnapshot | undefined,
  context: ValueContext,
): ProductRow | null {
  const known: Partial<ProductFields> = old ?? {};
  const merged = mergedFields(
    old === undefined ? {} : keptOf(old),
    {
      ...given.fields,
      name: given.name,
      slug: old?.slug ?? given.slug ?? slugify(given.slug_text),
      description: given.description ?? undefined,
      price: given.price ?? undefined,
      sku: given.sku ?? undefined,
      categories: given.categories ?? undefined,
      custom: customOf(given, old, context),
      images: isShownAnyway(given, old) ? undefined : given.images?.map((url, i) => ({ url, is_primary: i === 0 })),
    },
    known,
    NEW_PRODUCT,
  );
  const fields = withoutOldPrice(merged);
  const next: ProductRow = {
    ...fields,
    status: given.status ?? old?.status ?? 'active',
    stock_qty: stockOf(given, old),
    search: searchTextOf(fields, old === undefined ? [] : optionsOf(old)),
  };
  return old !== undefined && isSame(next, old) ? null : next;
}

/** Returns a product's stored state as it would be written. */
export function storedRow(old: ProductSnapshot): ProductRow {
  const { status, stock_qty } = old;
  return { ...mergedFields(old), status, stock_qty, search: searchTextOf(old, optionsOf(old)) };
}

/** Whether the pictures are those that a variant without its own shows from its parent, as an export has them. */
function isShownAnyway({ images }: ImportedProduct, old: ProductSnapshot | undefined): boolean {
  if (images === null || old === undefined || old.parent_images === null || old.images.length > 0) return false;
  return images.join() === old.parent_images.map(({ url }) => url).join();
}

/** What an import does not change: a variant has some fields from its parent, and a parent some of its variants. */
export function keptOf(old: ProductSnapshot): Partial<ProductFields> {
  if (old.variant_of !== null) {
    const { name, description, categories, seo_title, seo_description } = old;
    return { name, description, categories, seo_title, seo_description };
  }
  if (old.variant_count === 0) return {};
  const kept = OF_VARIANT.filter((name) => name !== 'stock_qty');
  return Object.fromEntries([...kept, 'subscription_enabled' as const].map((name) => [name, old[name]]));
}

/** The options of a parent. */
export function optionsOf({
  variant_count,
  options,
}: Pick<ProductSnapshot, 'variant_count' | 'options'>): ProductOption[] {
  return variant_count > 0 ? (options as ProductOption[]) : [];
}

/**
 * Returns the stock that the product has after the import, which leaves that of other locations alone. One that is not tracked keeps what
 * was counted before.
 */
export function stockOf({ stock, refill, fields }: ImportedProduct, old: ProductSnapshot | undefined): number {
  const isTracked = fields.track_stock ?? old?.track_stock ?? NEW_PRODUCT.track_stock;
  if (!isTracked || (old !== undefined && old.variant_count > 0)) return old?.stock_qty ?? 0;
  const given = stock ?? (old === undefined || old.stock_qty === 0 ? refill : old.stock_qty);
  return Math.max(given, old?.stock_elsewhere ?? 0);
}

function isSame(next: ProductRow, old: ProductSnapshot): boolean {
  const compared = ({ images, ...rest }: ProductFields): string =>
    JSON.stringify([mergedFields({ ...rest, images: [] }), images.map(({ url }) => url)]);
  return next.status === old.status && next.stock_qty === old.stock_qty && compared(next) === compared(old);
}
