import type { Category } from '../../commerce/categories/contract.ts';
import type { Collection } from '../../commerce/collections/contract.ts';
import type { CustomFieldOwner, CustomValues } from '../../commerce/custom-fields/definition.ts';
import { pickValues } from '../../commerce/custom-fields/values.ts';
import type { Product } from '../../commerce/products/contract.ts';
import type { Shop } from '../../commerce/shop.ts';
import type { StoreCategory, StoreCollection, StoreProduct, StoreVariant } from './contract.ts';

/** From this stock down, it is shown how many are left. */
export const FEW = 5;

type Fields = Pick<Shop, 'customFields' | 'checkout'>;
/** A product or variant as services of commerce return it. */
type Own = Omit<Product, 'description' | 'variants'>;

/** Returns the values of the fields that are visible in the store. */
export function visibleCustom(
  { customFields }: Pick<Fields, 'customFields'>,
  owner: CustomFieldOwner,
  values: CustomValues,
): CustomValues {
  return pickValues(
    customFields.filter(({ on, visible }) => on === owner && visible === 'store'),
    values,
  );
}

export function shownVariant(fields: Fields, product: Own): StoreVariant {
  const { stock_qty: stock } = product;
  const { show_stock: shows } = fields.checkout;
  return {
    id: product.id,
    name: product.name,
    slug: product.slug,
    price: product.price,
    compare_at_price: product.compare_at_price,
    price_max: product.price_max,
    in_stock: shows === 'none' ? null : stock > 0,
    stock_qty: shows === 'exact' ? stock : null,
    few_left: shows !== 'none' && stock > 0 && stock <= FEW ? stock : null,
    subscription_enabled: product.subscription_enabled,
    categories: product.categories,
    images: product.images,
    sku: product.sku,
    barcode: product.barcode,
    weight_g: product.weight_g,
    requires_shipping: product.requires_shipping,
    has_variants: product.has_variants,
    // The values of a parent's options may be those of drafts: a single read shows which are used.
    options: product.has_variants ? product.options.map(({ name }) => ({ name })) : product.options,
    variant_of: product.variant_of,
    title: product.title,
    position: product.position,
    custom: visibleCustom(fields, product.variant_of === null ? 'product' : 'variant', product.custom),
    created_at: product.created_at,
    updated_at: product.updated_at,
  };
}

export function shownProduct(fields: Fields, product: Product): StoreProduct {
  return { ...shownVariant(fields, product), description: product.description };
}

export function shownCollection(
  fields: Fields,
  { id, slug, name, description, custom }: Collection,
  image: StoreCollection['image'],
): StoreCollection {
  return { id, slug, name, description, image, custom: visibleCustom(fields, 'collection', custom) };
}

export function shownCategory({ slug, name, description }: Category): StoreCategory {
  return { slug, name, description };
}
