import { foldText } from '../../../db/fold.ts';
import type { Minor } from '../../money.ts';
import { slugify } from '../slug.ts';

/** A product read from a file. Null fields are absent from the file. */
export interface ImportedProduct {
  sku: string | null;
  slug: string | null;
  name: string;
  description: string | null;
  price: Minor | null;
  stock: number | null;
  tax_class: string | null;
  /** Slugs of categories. */
  categories: string[] | null;
  /** URLs; the first is the primary image. */
  images: string[] | null;
  archived: boolean | null;
}

export interface ProductSnapshot {
  id: number;
  name: string;
  slug: string;
  description: string;
  price: Minor;
  sku: string | null;
  tax_class: string | null;
  categories: string[];
  images: { url: string; is_primary: boolean }[];
  archived: boolean;
  stock_qty: number;
  updated_at: Date;
}

/** A product as it is to be written. */
export interface ProductRow extends Omit<ProductSnapshot, 'id' | 'updated_at'> {
  search: string;
}

/**
 * Returns a function that finds the stored product of an imported one: by SKU, otherwise by slug unless both have different SKUs. Call it
 * in the order of the batch: a stored product without a SKU takes that of the first product that matches it.
 */
export function matchProducts(
  stored: readonly ProductSnapshot[],
): (product: ImportedProduct) => ProductSnapshot | undefined {
  const bySku = new Map(stored.flatMap((one) => (one.sku === null ? [] : [[one.sku, one] as const])));
  const bySlug = new Map(stored.map((one) => [one.slug, one]));
  const skuOf = new Map(stored.map(({ id, sku }) => [id, sku]));
  return ({ sku, slug }) => {
    const own = sku === null ? undefined : bySku.get(sku);
    if (own !== undefined) return own;
    const named = slug === null ? undefined : bySlug.get(slug);
    if (named === undefined || sku === null) return named;
    const known = skuOf.get(named.id) ?? sku;
    if (known !== sku) return undefined;
    skuOf.set(named.id, sku);
    return named;
  };
}

/** Returns the product's new state; null if nothing changes. The slug of a new product may be taken. */
export function nextProduct(given: ImportedProduct, old: ProductSnapshot | undefined): ProductRow | null {
  const next: ProductRow = {
    name: given.name,
    slug: old?.slug ?? given.slug ?? slugify(given.name),
    description: given.description ?? old?.description ?? '',
    price: given.price ?? old?.price ?? 0,
    sku: given.sku ?? old?.sku ?? null,
    tax_class: given.tax_class ?? old?.tax_class ?? null,
    categories: given.categories ?? old?.categories ?? [],
    images: given.images?.map((url, i) => ({ url, is_primary: i === 0 })) ?? old?.images ?? [],
    archived: given.archived ?? old?.archived ?? false,
    stock_qty: given.stock ?? old?.stock_qty ?? 0,
    search: '',
  };
  next.search = searchOf(next);
  return old !== undefined && isSame(next, old) ? null : next;
}

/** Returns the text that searches examine. */
export function searchOf({ name, description }: Pick<ProductRow, 'name' | 'description'>): string {
  return foldText(`${name} ${description}`);
}

function isSame(next: ProductRow, old: ProductSnapshot): boolean {
  return (
    (['name', 'slug', 'description', 'price', 'sku', 'tax_class', 'archived', 'stock_qty'] as const).every(
      (field) => next[field] === old[field],
    ) &&
    next.categories.join(' ') === old.categories.join(' ') &&
    next.images.map(({ url }) => url).join(' ') === old.images.map(({ url }) => url).join(' ')
  );
}
