import { foldText } from '../../db/fold.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { readAmount } from '../fields.ts';
import type { Shop } from '../shop.ts';
import type { Product, ProductPatch } from './contract.ts';

export interface ProductImage {
  url: string;
  is_primary: boolean;
  alt?: string;
}

/** The values of a product that clients write, with the price in minor units. */
export type ProductFields = Omit<
  Product,
  'id' | 'stock_qty' | 'archived' | 'images' | 'revision' | 'created_at' | 'updated_at'
> & { images: ProductImage[] };

/** A new product. The columns of statements, imports and the API's JSON derive from these names. See docs/design/adding-a-field.md. */
export const NEW_PRODUCT: ProductFields = {
  name: '',
  slug: '',
  description: '',
  price: 0,
  subscription_enabled: false,
  sku: null,
  tax_class: null,
  categories: [],
  images: [],
};

export const PRODUCT_COLUMNS = Object.keys(NEW_PRODUCT) as readonly (keyof ProductFields)[];

/** Returns the fields of `NEW_PRODUCT`, of several objects the first value that is not undefined. */
export function mergedFields(...sources: readonly Partial<ProductFields>[]): ProductFields {
  const given = (name: keyof ProductFields): unknown => sources.find((one) => one[name] !== undefined)?.[name];
  return Object.fromEntries(PRODUCT_COLUMNS.map((name) => [name, given(name)])) as unknown as ProductFields;
}

/** Merges the given fields with the old values. Throws validation_failed with every failing field. */
export function productValues(given: ProductPatch, shop: Shop, old: ProductFields): ProductFields {
  const errors: FieldError[] = [];
  const price = given.price === undefined ? undefined : readAmount('price', given.price, shop, errors);
  const images = given.images === undefined ? undefined : readImages(given.images, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const categories = given.categories === undefined ? undefined : [...new Set(given.categories)];
  return mergedFields({ ...given, price, images, categories }, old);
}

/** Returns the text that searches examine. */
export function searchTextOf({ name, description }: Pick<ProductFields, 'name' | 'description'>): string {
  return foldText(`${name} ${description}`);
}

/** Exactly one image is primary: the one with `is_primary`, otherwise the first. */
function readImages(images: NonNullable<ProductPatch['images']>, errors: FieldError[]): ProductImage[] {
  images.forEach(({ url }, i) => {
    const field = `images.${i}.url`;
    if (!URL.canParse(url)) errors.push({ field, code: 'wrong_format', message: `${field} must be a valid address` });
  });
  const primaries = images.filter((image) => image.is_primary === true).length;
  if (primaries > 1) {
    errors.push({ field: 'images', code: 'invalid', message: 'images may have only one primary image' });
  }
  return images.map(({ url, is_primary, alt = '' }, i) => ({
    url,
    is_primary: primaries === 0 ? i === 0 : is_primary === true,
    ...(alt === '' ? {} : { alt }),
  }));
}
