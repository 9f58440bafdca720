import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { Revision } from '../../lib/validation/revision.ts';

const Image = Type.Object({
  url: Type.String(),
  is_primary: Type.Boolean(),
  alt: Type.Optional(Type.String({ description: 'Alternative text' })),
});

export const Product = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  price: Type.Number({ description: "In the shop's currency" }),
  description: Type.String(),
  stock_qty: Type.Integer(),
  subscription_enabled: Type.Boolean(),
  categories: Type.Array(Type.String(), { description: 'Category slugs' }),
  images: Type.Array(Image),
  sku: Nullable(Type.String()),
  tax_class: Nullable(Type.String()),
  archived: Type.Boolean(),
  revision: Revision,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Product = Static<typeof Product>;

export const Inventory = Type.Object({ product_id: Id, stock_qty: Type.Integer(), in_stock: Type.Boolean() });
export type Inventory = Static<typeof Inventory>;

const SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$';
/** A path takes an id or a slug, so a slug of digits alone would hide a product. */
const Slug = Type.String({
  maxLength: 255,
  pattern: `^(?=.*[a-z])${SLUG.slice(1)}`,
  description: 'Lower case, with at least one letter',
});

const fields = {
  slug: Type.Optional(Slug),
  description: Type.Optional(Type.String({ maxLength: 100_000 })),
  stock_qty: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  subscription_enabled: Type.Optional(Type.Boolean()),
  categories: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: SLUG }), { maxItems: 50 })),
  images: Type.Optional(
    Type.Array(
      Type.Object({
        url: Type.String({ maxLength: 2_000, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$' }),
        is_primary: Type.Optional(Type.Boolean()),
        alt: Type.Optional(Trimmed({ maxLength: 300 })),
      }),
      { maxItems: 50 },
    ),
  ),
  sku: Type.Optional(Nullable(Trimmed({ minLength: 1, maxLength: 100 }))),
  tax_class: Type.Optional(Nullable(Trimmed({ minLength: 1, maxLength: 100 }))),
};
const Price = Type.Number({ minimum: 0, maximum: 9_999_999.99 });
const Name = Trimmed({ minLength: 1, maxLength: 255 });

export const ProductInput = Type.Object({ name: Name, price: Price, ...fields });
export type ProductInput = Static<typeof ProductInput>;

export const ProductPatch = Type.Object({
  name: Type.Optional(Name),
  price: Type.Optional(Price),
  ...fields,
  archived: Type.Optional(Type.Boolean()),
});
export type ProductPatch = Static<typeof ProductPatch>;

const filters = {
  category: Type.Optional(Type.String({ description: 'Category slug' })),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Parts of the name or description, in any case, or the SKU' }),
  ),
  in_stock: Type.Optional(Type.Boolean()),
  subscription_enabled: Type.Optional(Type.Boolean()),
  archived: Type.Optional(
    Type.Boolean({ description: 'true lists the archived products only; otherwise they are left out' }),
  ),
};
export const ProductFilters = Type.Object(filters);
export type ProductFilters = Static<typeof ProductFilters>;

export const ProductQuery = Type.Object({
  ...filters,
  sort: Type.Optional(
    OneOf([...sortNames('name', 'price', 'stock'), 'relevance'] as const, {
      description:
        'The order; newest first where absent. By name without regard to case and accents. `relevance` puts first what matches `search` by its SKU, then by its name, the beginning of its name, words of its name, its description; the newest first among equals, and where there is no `search`',
    }),
  ),
  ...pageQuery(25),
});
export type ProductQuery = Static<typeof ProductQuery>;

export const ref = Type.Object({ id: Type.String({ description: 'Id or slug' }) });

export const listProducts = {
  method: 'GET',
  path: '/products',
  scope: 'products:read',
  tag: 'Products',
  summary: 'List products',
  description:
    'Newest first unless `sort` is set; archived products are excluded unless `archived` is true. Filters combine.',
  query: ProductQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Product),
  status: 200,
} as const satisfies Endpoint;

export const getProduct = {
  method: 'GET',
  path: '/products/{id}',
  scope: 'products:read',
  tag: 'Products',
  summary: 'Read a product by id or slug',
  params: ref,
  data: Product,
  status: 200,
} as const satisfies Endpoint;

export const getInventory = {
  method: 'GET',
  path: '/products/{id}/inventory',
  scope: 'products:read',
  tag: 'Products',
  summary: "Read a product's stock",
  params: ref,
  data: Inventory,
  status: 200,
} as const satisfies Endpoint;

export const createProduct = {
  method: 'POST',
  path: '/products',
  scope: 'products:write',
  tag: 'Products',
  summary: 'Create a product',
  body: ProductInput,
  data: Product,
  status: 201,
} as const satisfies Endpoint;

export const updateProduct = {
  method: 'PATCH',
  path: '/products/{id}',
  scope: 'products:write',
  tag: 'Products',
  summary: 'Change a product',
  conditional: true,
  description: 'Sets the fields that are given. `stock_qty` sets the stock and writes a stock movement.',
  params: ref,
  body: ProductPatch,
  data: Product,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const productEndpoints: readonly Endpoint[] = [
  listProducts,
  getProduct,
  getInventory,
  createProduct,
  updateProduct,
];
