import { foldText } from '../../db/fold.ts';
import type { FieldError } from '../../errors.ts';
import type { CustomValues } from '../custom-fields/definition.ts';
import { readAmount } from '../fields.ts';
import type { Minor } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { Product, ProductOption, ProductPatch } from './contract.ts';

export interface ProductImage {
  url: string;
  is_primary: boolean;
  alt?: string;
}

/** The values of a product that clients write, with amounts in minor units. */
export type ProductFields = Omit<
  Product,
  | 'id'
  | 'stock_qty'
  | 'status'
  | 'publish_at'
  | 'archived'
  | 'active'
  | 'images'
  | 'requires_shipping'
  | 'track_stock'
  | 'has_variants'
  | 'variant_count'
  | 'price_max'
  | 'options'
  | 'variants'
  | 'variant_of'
  | 'title'
  | 'position'
  | 'revision'
  | 'created_at'
  | 'updated_at'
> & { images: ProductImage[]; requires_shipping: boolean; track_stock: boolean };

/** A new product. The columns of statements, imports and the API's JSON derive from these names. See docs/design/adding-a-field.md. */
export const NEW_PRODUCT: ProductFields = {
  name: '',
  slug: '',
  description: '',
  price: 0,
  subscription_enabled: false,
  sku: null,
  tax_class: null,
  barcode: null,
  compare_at_price: null,
  cost: null,
  weight_g: null,
  requires_shipping: true,
  track_stock: true,
  low_stock_at: null,
  custom: {},
  seo_title: null,
  seo_description: null,
  categories: [],
  images: [],
};

export const PRODUCT_COLUMNS = Object.keys(NEW_PRODUCT) as readonly (keyof ProductFields)[];

/** Returns the fields of `NEW_PRODUCT`, of several objects the first value that is not undefined. */
export function mergedFields(...sources: readonly Partial<ProductFields>[]): ProductFields {
  const given = (name: keyof ProductFields): unknown => sources.find((one) => one[name] !== undefined)?.[name];
  return Object.fromEntries(PRODUCT_COLUMNS.map((name) => [name, given(name)])) as unknown as ProductFields;
}

/** The given fields, with all custom values that the product has then (`mergeCustom`). */
export type GivenProduct = Omit<ProductPatch, 'custom'> & { custom: CustomValues };

/** Merges the given fields with the old values; adds the failing fields to `errors`. */
export function readProduct(given: GivenProduct, shop: Shop, old: ProductFields, errors: FieldError[]): ProductFields {
  const price = given.price === undefined ? undefined : readAmount('price', given.price, shop, errors);
  const compared = optionalAmount('compare_at_price', given, shop, errors);
  const cost = optionalAmount('cost', given, shop, errors);
  const images = given.images === undefined ? undefined : readImages(given.images, errors);
  const field = 'compare_at_price';
  const isComparable = !errors.some((error) => error.field === 'price' || error.field === field);
  if (typeof compared === 'number' && isComparable && compared <= (price ?? old.price)) {
    errors.push({ field, code: 'out_of_range', message: `${field} must be above the price` });
  }
  if (given.stock_qty !== undefined && !(given.track_stock ?? old.track_stock)) {
    errors.push({
      field: 'stock_qty',
      code: 'untracked',
      message: 'stock_qty cannot be set while the stock is not tracked',
    });
  }
  const categories = given.categories === undefined ? undefined : [...new Set(given.categories)];
  return withoutOldPrice(mergedFields({ ...given, price, compare_at_price: compared, cost, images, categories }, old));
}

function optionalAmount(
  field: 'compare_at_price' | 'cost',
  given: GivenProduct,
  shop: Shop,
  errors: FieldError[],
): Minor | null | undefined {
  const value = given[field];
  return typeof value === 'number' ? readAmount(field, value, shop, errors) : value;
}

/** Removes a price before a reduction that is not above the price. */
export function withoutOldPrice(fields: ProductFields): ProductFields {
  const isReduced = fields.compare_at_price !== null && fields.compare_at_price > fields.price;
  return isReduced ? fields : { ...fields, compare_at_price: null };
}

/** What variants get of their parent when they become simple products: of several, none is the one that search results are about. */
export function seoOfVariants(
  { seo_title, seo_description }: Pick<ProductFields, 'seo_title' | 'seo_description'>,
  count: number,
): Pick<ProductFields, 'seo_title' | 'seo_description'> {
  return count === 1 ? { seo_title, seo_description } : { seo_title: null, seo_description: null };
}

/** Returns the text that searches examine; of a parent, its option values belong to it. */
export function searchTextOf(
  { name, description }: Pick<ProductFields, 'name' | 'description'>,
  options: readonly ProductOption[] = [],
): string {
  const values = options.flatMap((option) => option.values).map((value) => ` ${value}`);
  return foldText(`${name} ${description}${values.join('')}`);
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
