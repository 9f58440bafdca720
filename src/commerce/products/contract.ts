import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Dotted, Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { CustomInput, CustomValues } from '../custom-fields/contract.ts';
import { UNTRACKED_STOCK } from '../inventory/stock.ts';

const Image = Type.Object({
  url: Type.String(),
  is_primary: Type.Boolean(),
  alt: Type.Optional(Type.String({ description: 'Alternative text' })),
});

const OptionName = Trimmed({ minLength: 1, maxLength: 60 });
const Value = Trimmed({ minLength: 1, maxLength: 60 });
const ShownOption = Type.Object({
  name: Type.String(),
  value: Type.Optional(Type.String()),
  values: Type.Optional(Type.Array(Type.String())),
});
export const ProductOption = Type.Object({
  name: OptionName,
  values: Type.Array(Value, { minItems: 1, maxItems: 100 }),
});
export type ProductOption = Static<typeof ProductOption>;
export const OptionValue = Type.Object({ name: OptionName, value: Value });
export type OptionValue = Static<typeof OptionValue>;

export const PRODUCT_STATUSES = ['draft', 'active', 'archived'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];
const Status = OneOf(PRODUCT_STATUSES);

/** The fields of a product in responses, without its description. */
const shown = {
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  price: Type.Number({ description: "In the shop's currency; of a parent, the lowest of its active variants" }),
  stock_qty: Type.Integer({
    description: `${UNTRACKED_STOCK} where the stock is not tracked; of a parent, the sum over its active variants`,
  }),
  subscription_enabled: Type.Boolean(),
  categories: Type.Array(Type.String(), { description: 'Category slugs' }),
  images: Type.Array(Image, { description: 'Those of its parent for a variant without pictures of its own' }),
  sku: Nullable(Type.String()),
  tax_class: Nullable(Type.String()),
  barcode: Nullable(Type.String()),
  compare_at_price: Nullable(Type.Number({ description: 'The price before a reduction' })),
  cost: Nullable(Type.Number({ description: 'What a unit costs the shop' })),
  weight_g: Nullable(Type.Integer({ description: 'In grams' })),
  requires_shipping: Nullable(Type.Boolean({ description: 'null for a parent' })),
  track_stock: Nullable(Type.Boolean({ description: 'null for a parent' })),
  low_stock_at: Nullable(Type.Integer()),
  custom: CustomValues,
  seo_title: Nullable(Type.String()),
  seo_description: Nullable(Type.String()),
  status: Status,
  publish_at: Nullable(Type.String({ format: 'date-time', description: 'When the draft becomes active' })),
  archived: Type.Boolean({ description: 'true for a draft too: neither is listed or sold' }),
  active: Type.Boolean({ description: 'Whether neither it nor its parent is archived or a draft' }),
  has_variants: Type.Boolean({ description: 'Whether it is a parent, which is not sold itself' }),
  variant_count: Type.Integer({ description: 'Of a parent, archived variants included; otherwise 0' }),
  price_max: Nullable(Type.Number({ description: 'The highest price of the active variants of a parent' })),
  options: Type.Array(ShownOption, { description: 'Of a parent with `values`, of a variant with its `value`' }),
  variant_of: Nullable(Type.Integer({ description: 'The parent of a variant' })),
  title: Nullable(Type.String({ description: 'The option values of a variant' })),
  position: Nullable(Type.Integer({ description: 'The place of a variant among those of its parent' })),
  revision: Revision,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};

export const Product = Type.Object({
  ...shown,
  description: Type.String(),
  variants: Type.Optional(
    Type.Array(Type.Object(shown), {
      description: 'Only when a single parent is read: its first 100 variants by position, without `description`',
    }),
  ),
});
export type Product = Static<typeof Product>;

export const Inventory = Type.Object({ product_id: Id, stock_qty: Type.Integer(), in_stock: Type.Boolean() });
export type Inventory = Static<typeof Inventory>;

export const SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$';
export const MAX_CATEGORY_SLUG = 100;
/** A path takes an id or a slug, so a slug of digits alone would hide a product. */
export const Slug = Type.String({
  maxLength: 255,
  pattern: `^(?=.*[a-z])${SLUG.slice(1)}`,
  description: 'Lower case, with at least one letter',
});

/** What search engines show of a page. */
export const seoFields = {
  seo_title: Type.Optional(
    Nullable(
      Trimmed({
        minLength: 1,
        maxLength: 255,
        description:
          'The title in search results, which show about 60 characters. The store interface shows the name where it is null',
      }),
    ),
  ),
  seo_description: Type.Optional(
    Nullable(
      Trimmed({
        minLength: 1,
        maxLength: 1_000,
        description:
          'The text in search results, which show about 160 characters. The store interface shows the beginning of the description where it is null',
      }),
    ),
  ),
};

/** Of a product. */
export const MAX_CATEGORIES = 50;

const Price = Type.Number({ minimum: 0, maximum: 9_999_999.99 });
const fields = {
  slug: Type.Optional(Slug),
  description: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description:
        'Text, or HTML where it contains a tag. It is kept as it is sent: `description_html` of the store interface is safe to show',
    }),
  ),
  stock_qty: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  subscription_enabled: Type.Optional(Type.Boolean()),
  categories: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_CATEGORY_SLUG, pattern: SLUG }), { maxItems: MAX_CATEGORIES }),
  ),
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
  barcode: Type.Optional(
    Nullable(Trimmed({ minLength: 1, maxLength: 100, description: 'GTIN, EAN, UPC or ISBN; unique among products' })),
  ),
  compare_at_price: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        maximum: 9_999_999.99,
        description: 'Above `price`. A change of the price alone removes one that is no longer above it',
      }),
    ),
  ),
  cost: Type.Optional(Nullable(Price)),
  weight_g: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }))),
  requires_shipping: Type.Optional(
    Type.Boolean({
      description: 'true where absent. An order of products that need no shipping has no shipping costs',
    }),
  ),
  track_stock: Type.Optional(
    Type.Boolean({
      description: `true where absent. If false, the product can always be ordered, orders do not change its stock, and \`stock_qty\` is ${UNTRACKED_STOCK} and cannot be set`,
    }),
  ),
  low_stock_at: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'The event `stock_low` is sent when the stock falls from above this number to it or below',
      }),
    ),
  ),
  custom: Type.Optional(CustomInput),
  ...seoFields,
  status: Type.Optional(OneOf(PRODUCT_STATUSES, { description: '`active` where absent' })),
  publish_at: Type.Optional(
    Nullable(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        description:
          'When a draft becomes active: a time in the future. null, or another status before that, cancels it; not of variants',
      }),
    ),
  ),
};
const Name = Trimmed({ minLength: 1, maxLength: 255 });

const Position = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'The place among the variants' });

const variantFields = {
  options: Type.Array(OptionValue, {
    minItems: 1,
    maxItems: 5,
    description: 'One value for each option of the parent',
  }),
  price: Price,
  images: fields.images,
  stock_qty: fields.stock_qty,
  subscription_enabled: fields.subscription_enabled,
  sku: fields.sku,
  tax_class: fields.tax_class,
  barcode: fields.barcode,
  compare_at_price: fields.compare_at_price,
  cost: fields.cost,
  weight_g: fields.weight_g,
  requires_shipping: fields.requires_shipping,
  track_stock: fields.track_stock,
  low_stock_at: fields.low_stock_at,
  custom: fields.custom,
  status: fields.status,
  position: Type.Optional(Position),
};
export const VariantInput = Type.Object(variantFields);
export type VariantInput = Static<typeof VariantInput>;

export const ProductInput = Type.Object({
  name: Name,
  price: Type.Optional(
    Type.Number({ ...Price, description: 'Required unless `variants` are given, which have their own' }),
  ),
  ...fields,
  options: Type.Optional(
    Type.Array(ProductOption, {
      minItems: 1,
      maxItems: 5,
      description: 'With `variants`: what its variants differ in',
    }),
  ),
  variants: Type.Optional(
    Type.Array(VariantInput, { minItems: 1, maxItems: 100, description: 'Makes the product their parent' }),
  ),
});
export type ProductInput = Static<typeof ProductInput>;

export const ProductPatch = Type.Object({
  name: Type.Optional(Name),
  price: Type.Optional(Price),
  ...fields,
  archived: Type.Optional(
    Type.Boolean({
      description: '`false` makes the product active, `true` archives an active one; ignored beside `status`',
    }),
  ),
  position: Type.Optional(Position),
});
export type ProductPatch = Static<typeof ProductPatch>;

const filters = {
  category: Type.Optional(
    Type.String({ 'x-repeatable': true, description: 'Category slug; of several, separated by commas, any' }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Parts of the name or description, in any case, or the SKU' }),
  ),
  in_stock: Type.Optional(Type.Boolean()),
  subscription_enabled: Type.Optional(Type.Boolean()),
  archived: Type.Optional(
    Type.Boolean({ description: 'true lists archived products and drafts only; otherwise they are left out' }),
  ),
  status: Type.Optional(
    OneOf(PRODUCT_STATUSES, { description: 'Only products with this status; takes precedence over `archived`' }),
  ),
};
/** Of the list, but not of actions on all products that it shows. */
const codeFilters = {
  include: Type.Optional(OneOf(['variants'], { description: '`variants` lists variants, too' })),
  sku: Type.Optional(Type.String({ maxLength: 100, description: 'Of the product or one of its variants' })),
  barcode: Type.Optional(Type.String({ maxLength: 100, description: 'Of the product or one of its variants' })),
  price_min: Type.Optional(Type.Number({ minimum: 0, maximum: 9_999_999.99 })),
  price_max: Type.Optional(Type.Number({ minimum: 0, maximum: 9_999_999.99 })),
  collection: Type.Optional(
    Type.String({
      maxLength: 10_000,
      'x-repeatable': true,
      description:
        'Collection slug; without `sort`, the list follows its order. Of several, separated by commas, any, newest first',
    }),
  ),
  option: Type.Optional(
    Dotted({
      key: 'name',
      maxLength: 255,
      maxProperties: 10,
      description:
        '`option.{name}`, such as `option.Colour=Red`: products with this value of an option, parents by their active variants. Of several values, separated by commas or in a repeated parameter, any. A text that is a value as a whole, with its commas, is that value alone. A product is found by at most 600 values of options and filterable custom fields together, options first',
    }),
  ),
  custom: Type.Optional(
    Dotted({
      key: 'key',
      maxLength: 255,
      maxProperties: 10,
      description:
        '`custom.{key}`, such as `custom.material=wool`: products with this value of a filterable custom field, parents also by their active variants, its first 255 characters. Several values, commas and the limit of 600 as for `option.{name}`',
    }),
  ),
};

/** Of a list. */
export const MAX_FACETS = 10;
/** Of a facet in a response. */
export const MAX_FACET_VALUES = 100;

const Facet = Type.Object({
  key: Type.String({ description: 'As in the parameter `facets`' }),
  name: Type.String(),
  values: Type.Array(
    Type.Object({
      value: Type.String({ description: 'For the filter of this facet' }),
      label: Type.String(),
      count: Type.Integer({ description: 'How many products the list has with this value' }),
    }),
    { description: `The most frequent, at most ${MAX_FACET_VALUES}; of \`price\` none` },
  ),
  min: Nullable(Type.Number({ description: 'Of `price`: the lowest in the list' })),
  max: Nullable(Type.Number({ description: 'Of `price`: the highest in the list' })),
  exact: Type.Boolean({
    description:
      'false above 20,000 products: then `count`, `min` and `max` are estimated from the newest 20,000. Also of options and custom fields where a product in the list has 600 values, the most that are kept',
  }),
});
export type Facet = Static<typeof Facet>;

export const ProductFilters = Type.Object(filters);
export type ProductFilters = Static<typeof ProductFilters>;

export const ProductQuery = Type.Object({
  ...filters,
  ...codeFilters,
  facets: Type.Optional(
    Type.String({
      maxLength: 2_000,
      'x-repeatable': true,
      description: `For \`meta.facets\`: at most ${MAX_FACETS} of \`option:{name}\`, \`custom.{key}\`, \`price\`, \`category\`, \`collection\` and \`in_stock\`, separated by commas; options with a comma in their name cannot be counted. Each counts the products of the list as it is without the filter of the same name`,
    }),
  ),
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
    'Newest first unless `sort` is set or `collection` has an order of its own; archived products and drafts are excluded unless `archived` is true or `status` names them. Filters combine.',
  query: ProductQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Product),
  meta: Type.Object({
    facets: Type.Optional(Type.Array(Facet, { description: 'In the order of the parameter `facets`' })),
  }),
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
