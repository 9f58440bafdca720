import type { Minor } from '../../money.ts';
import { mergedFields, NEW_PRODUCT, type ProductFields, searchTextOf } from '../fields.ts';
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
  /** URLs; the first is the primary image. */
  images: string[] | null;
  archived: boolean | null;
}

/** A product as it is to be written. */
export interface ProductRow extends ProductFields {
  archived: boolean;
  stock_qty: number;
  search: string;
}

export interface ProductSnapshot extends Omit<ProductRow, 'search'> {
  id: number;
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
  const bySku = new Map(stored.flatMap((one) => (one.sku === null ? [] : [[one.sku, one] as const])));
  const bySlug = new Map(stored.map((one) => [one.slug, one]));
  const byName = Map.groupBy(stored, ({ name }) => nameKey(name));
  const skuOf = new Map(stored.map(({ id, sku }) => [id, sku]));

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
    const known = skuOf.get(found.id) ?? sku;
    if (known !== sku) return undefined;
    skuOf.set(found.id, sku);
    return found;
  };
}

/** Returns the product's new state; null if nothing changes. The slug of a new product may be taken. */
export function nextProduct(given: ImportedProduct, old: ProductSnapshot | undefined): ProductRow | null {
  const known: Partial<ProductFields> = old ?? {};
  const fields = mergedFields(
    {
      ...given.fields,
      name: given.name,
      slug: old?.slug ?? given.slug ?? slugify(given.slug_text),
      description: given.description ?? undefined,
      price: given.price ?? undefined,
      sku: given.sku ?? undefined,
      categories: given.categories ?? undefined,
      images: given.images?.map((url, i) => ({ url, is_primary: i === 0 })),
    },
    known,
    NEW_PRODUCT,
  );
  const next: ProductRow = {
    ...fields,
    archived: given.archived ?? old?.archived ?? false,
    stock_qty: stockOf(given, old),
    search: searchTextOf(fields),
  };
  return old !== undefined && isSame(next, old) ? null : next;
}

/** Returns the stock that the product has after the import. */
export function stockOf({ stock, refill }: ImportedProduct, old: ProductSnapshot | undefined): number {
  return stock ?? (old === undefined || old.stock_qty === 0 ? refill : old.stock_qty);
}

function isSame(next: ProductRow, old: ProductSnapshot): boolean {
  const compared = ({ images, ...rest }: ProductFields): string =>
    JSON.stringify([mergedFields({ ...rest, images: [] }), images.map(({ url }) => url)]);
  return next.archived === old.archived && next.stock_qty === old.stock_qty && compared(next) === compared(old);
}
