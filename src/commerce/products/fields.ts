import { foldText } from '../../db/fold.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { readAmount } from '../fields.ts';
import type { Shop } from '../shop.ts';
import type { ProductPatch } from './contract.ts';
import type { ProductImage, ProductRow, ProductValues } from './queries.ts';

type OldValues = Omit<ProductRow, 'id' | 'archived_at' | 'stock_qty' | 'revision'>;

export const NEW_PRODUCT: OldValues = {
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

/** Merges the given fields with the old values. Throws validation_failed with every failing field. */
export function productValues(given: ProductPatch, shop: Shop, old: OldValues): ProductValues {
  const errors: FieldError[] = [];
  const price = given.price === undefined ? old.price : readAmount('price', given.price, shop, errors);
  const images = given.images === undefined ? old.images : readImages(given.images, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const name = given.name ?? old.name;
  const description = given.description ?? old.description;
  return {
    name,
    slug: given.slug ?? old.slug,
    description,
    price,
    subscriptionEnabled: given.subscription_enabled ?? old.subscription_enabled,
    sku: given.sku === undefined ? old.sku : given.sku,
    taxClass: given.tax_class === undefined ? old.tax_class : given.tax_class,
    categories: given.categories === undefined ? old.categories : [...new Set(given.categories)],
    images,
    search: foldText(`${name} ${description}`),
  };
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
