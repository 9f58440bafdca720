export type ProductKind = 'simple' | 'parent' | 'variant';

/** Of one parent, archived ones included. */
export const MAX_VARIANTS = 2_000;

/** What variants have from their parent. */
export const OF_PARENT = [
  'name',
  'slug',
  'description',
  'categories',
  'seo_title',
  'seo_description',
  'publish_at',
] as const;

/** What parents do not have themselves. */
export const OF_VARIANT = [
  'price',
  'stock_qty',
  'sku',
  'barcode',
  'compare_at_price',
  'cost',
  'weight_g',
  'requires_shipping',
  'track_stock',
  'low_stock_at',
] as const;
