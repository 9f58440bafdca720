import Type, { type Static } from 'typebox';
import { Collection } from '../../commerce/collections/contract.ts';
import { PaymentMethod } from '../../commerce/payments/methods/contract.ts';
import { listProducts as commerceList, Product, ProductQuery, ref } from '../../commerce/products/contract.ts';
import { RelatedQuery } from '../../commerce/products/related/contract.ts';
import { CheckoutSettings } from '../../commerce/settings/checkout/contract.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, OneOf, pageQuery } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';

const CustomValues = Type.Unsafe<Product['custom']>({
  type: 'object',
  additionalProperties: true,
  description: 'The values of the custom fields that are visible in the store, by key',
});

const { properties: method } = PaymentMethod;

/** What buyers see of a payment method before they order. */
const StorePaymentMethod = Type.Object({
  id: method.id,
  provider: method.provider,
  kind: method.kind,
  name: method.name,
  description: method.description,
  places: method.places,
  capture: method.capture,
  min_total: method.min_total,
  max_total: method.max_total,
  publishable_key: Nullable(
    Type.String({ description: 'What the page gives to the script of the provider, where that needs a key' }),
  ),
});

export const StoreShop = Type.Object({
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217' }),
  country: Type.String({ description: 'ISO 3166 alpha-2; that of the shop' }),
  countries: Type.Array(Type.String(), { description: 'Where it ships to, as ISO 3166 alpha-2' }),
  prices_include_tax: Type.Boolean(),
  show_stock: CheckoutSettings.properties.show_stock,
  payment_methods: Type.Array(StorePaymentMethod, { description: 'Those that buyers may choose, by position' }),
});
export type StoreShop = Static<typeof StoreShop>;

const { properties: commerce } = Product;

/** The fields that visitors see of those that staff see. */
const shown = {
  id: commerce.id,
  name: commerce.name,
  slug: commerce.slug,
  price: commerce.price,
  compare_at_price: commerce.compare_at_price,
  price_max: commerce.price_max,
  in_stock: Nullable(
    Type.Boolean({ description: 'Of a parent, whether one of its variants is; null if the shop shows no stock' }),
  ),
  stock_qty: Nullable(Type.Integer({ description: 'null unless the shop shows the exact stock' })),
  few_left: Nullable(
    Type.Integer({
      description: 'How many are left, from 5 down; null where there are more, or none, or if the shop shows no stock',
    }),
  ),
  subscription_enabled: commerce.subscription_enabled,
  categories: commerce.categories,
  images: commerce.images,
  sku: commerce.sku,
  barcode: commerce.barcode,
  weight_g: commerce.weight_g,
  requires_shipping: commerce.requires_shipping,
  has_variants: commerce.has_variants,
  options: commerce.options,
  variant_of: commerce.variant_of,
  title: commerce.title,
  position: commerce.position,
  custom: CustomValues,
  created_at: commerce.created_at,
  updated_at: commerce.updated_at,
};
const StoreVariant = Type.Object(shown);
export type StoreVariant = Static<typeof StoreVariant>;

/** What a page of one product or collection needs besides its fields. */
const page = {
  description_html: Type.Optional(
    Type.String({
      description: 'Only when a single one is read: the description as HTML that is safe to insert into a page',
    }),
  ),
  seo_title: Type.Optional(
    Type.String({ description: 'Only when a single one is read: for `<title>`; the name where none is set' }),
  ),
  seo_description: Type.Optional(
    Type.String({
      description:
        'Only when a single one is read: for `<meta name="description">`; the beginning of the description, as text, where none is set',
    }),
  ),
};

export const StoreProduct = Type.Object({
  ...shown,
  description: Type.String({ description: 'As it is stored, text or HTML: never insert it as HTML' }),
  ...page,
  variants: Type.Optional(
    Type.Array(StoreVariant, {
      description: 'Only when a single parent is read: its active variants by position, without `description`',
    }),
  ),
});
export type StoreProduct = Static<typeof StoreProduct>;

const { properties: filters } = ProductQuery;
export const StoreProductQuery = Type.Object({
  category: filters.category,
  collection: filters.collection,
  search: filters.search,
  in_stock: filters.in_stock,
  subscription_enabled: filters.subscription_enabled,
  price_min: filters.price_min,
  price_max: filters.price_max,
  option: filters.option,
  custom: filters.custom,
  facets: filters.facets,
  sort: Type.Optional(
    OneOf([...sortNames('name', 'price'), 'relevance'] as const, { description: 'As in the commerce API' }),
  ),
  ...pageQuery(25),
});
export type StoreProductQuery = Static<typeof StoreProductQuery>;

export const StoreCollection = Type.Object({
  id: Collection.properties.id,
  slug: Collection.properties.slug,
  name: Collection.properties.name,
  description: Collection.properties.description,
  image: Nullable(Type.Object({ url: Type.String(), alt: Type.String() })),
  custom: CustomValues,
  ...page,
});
export type StoreCollection = Static<typeof StoreCollection>;

export const StoreCategory = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
});
export type StoreCategory = Static<typeof StoreCategory>;

export const Suggestions = Type.Object({
  products: Type.Array(
    Type.Object({
      id: shown.id,
      name: shown.name,
      slug: shown.slug,
      price: shown.price,
      compare_at_price: shown.compare_at_price,
      price_max: shown.price_max,
      in_stock: shown.in_stock,
      image: Nullable(Type.String({ description: 'The address of its primary picture' })),
    }),
    { description: 'At most 8, the best matches first' },
  ),
  collections: Type.Array(Type.Object({ slug: Type.String(), name: Type.String() }), { description: 'At most 4' }),
  categories: Type.Array(Type.Object({ slug: Type.String(), name: Type.String() }), { description: 'At most 4' }),
});
export type Suggestions = Static<typeof Suggestions>;

const read = { method: 'GET', scope: 'store', cached: true, status: 200 } as const;

export const getShop = {
  ...read,
  path: '/shop',
  tag: 'Shop',
  summary: 'Read the shop',
  data: StoreShop,
} as const satisfies Endpoint;

export const listProducts = {
  ...read,
  path: '/products',
  tag: 'Products',
  summary: 'List products',
  description:
    'Active products only. Newest first unless `sort` is set or `collection` has an order of its own. Filters and facets are those of the commerce API; only custom fields that are visible in the store can be used.',
  query: StoreProductQuery,
  data: Type.Array(StoreProduct),
  meta: commerceList.meta,
} as const satisfies Endpoint;

export const getProduct = {
  ...read,
  path: '/products/{id}',
  tag: 'Products',
  summary: 'Read a product by id or slug',
  params: ref,
  data: StoreProduct,
} as const satisfies Endpoint;

export const listRelated = {
  ...read,
  path: '/products/{id}/related',
  tag: 'Products',
  summary: 'List products bought together with a product',
  description: 'Then best sellers of the product’s categories. Updated every few hours.',
  params: ref,
  query: RelatedQuery,
  data: Type.Array(StoreProduct),
} as const satisfies Endpoint;

export const listCollections = {
  ...read,
  path: '/collections',
  tag: 'Collections',
  summary: 'List collections',
  description: 'Newest first. `GET /products?collection={slug}` lists the products of one.',
  query: Type.Object(pageQuery(25)),
  data: Type.Array(StoreCollection),
} as const satisfies Endpoint;

export const getCollection = {
  ...read,
  path: '/collections/{slug}',
  tag: 'Collections',
  summary: 'Read a collection by slug or id',
  params: Type.Object({ slug: Type.String({ description: 'Slug or id' }) }),
  data: StoreCollection,
} as const satisfies Endpoint;

export const listCategories = {
  ...read,
  path: '/categories',
  tag: 'Categories',
  summary: 'List categories',
  description: 'By position, then by name.',
  query: Type.Object(pageQuery(25)),
  data: Type.Array(StoreCategory),
} as const satisfies Endpoint;

export const suggest = {
  ...read,
  path: '/suggest',
  tag: 'Search',
  summary: 'Suggest products, collections and categories',
  query: Type.Object({ q: Type.String({ minLength: 1, maxLength: 200, description: 'What a visitor has typed' }) }),
  data: Suggestions,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const catalogueEndpoints: readonly Endpoint[] = [
  getShop,
  listProducts,
  getProduct,
  listRelated,
  listCollections,
  getCollection,
  listCategories,
  suggest,
];
