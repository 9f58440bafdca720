import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, pageQuery } from '../../../lib/schemas.ts';
import { OptionValue, Product, ProductInput, ProductOption, ProductPatch, ref, VariantInput } from '../contract.ts';

const VariantQuery = Type.Object({
  archived: Type.Optional(
    Type.Boolean({ description: 'Only archived variants and drafts if true, only the others if false' }),
  ),
  ...pageQuery(25),
});
export type VariantQuery = Static<typeof VariantQuery>;

export const NewVariants = Type.Object({ variants: Type.Array(VariantInput, { minItems: 1, maxItems: 100 }) });
export type NewVariants = Static<typeof NewVariants>;

export const GenerateVariants = Type.Object({
  price: VariantInput.properties.price,
  stock_qty: VariantInput.properties.stock_qty,
  custom: VariantInput.properties.custom,
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Creates nothing, and returns what would be created; their ids are not used' }),
  ),
});
export type GenerateVariants = Static<typeof GenerateVariants>;

export const ProductsPatch = Type.Object({
  products: Type.Array(Type.Object({ id: Id, ...ProductPatch.properties }), { minItems: 1, maxItems: 500 }),
});
export type ProductsPatch = Static<typeof ProductsPatch>;

const ChangedOption = Type.Object({
  ...ProductOption.properties,
  new_name: Type.Optional(ProductOption.properties.name),
  renames: Type.Optional(
    Type.Array(Type.Object({ value: OptionValue.properties.value, new_value: OptionValue.properties.value }), {
      maxItems: 100,
      description: 'Values that variants have now, and what each becomes; `values` has the new ones',
    }),
  ),
  default: Type.Optional(
    Type.String({ maxLength: 60, description: 'Of a new option: the value that the existing variants get' }),
  ),
});
export type ChangedOption = Static<typeof ChangedOption>;

export const ChangedOptions = Type.Object({
  options: Type.Array(ChangedOption, { minItems: 1, maxItems: 5, description: 'All options, in their order' }),
  variant: Type.Optional(
    Type.Array(OptionValue, {
      minItems: 1,
      maxItems: 5,
      description: 'For a product without variants: the values that it has as the first variant',
    }),
  ),
});
export type ChangedOptions = Static<typeof ChangedOptions>;

export const GroupProducts = Type.Object({
  name: ProductInput.properties.name,
  slug: ProductInput.properties.slug,
  description: ProductInput.properties.description,
  categories: ProductInput.properties.categories,
  images: ProductInput.properties.images,
  custom: ProductInput.properties.custom,
  options: Type.Array(ProductOption, { minItems: 1, maxItems: 5 }),
  variants: Type.Array(Type.Object({ product_id: Id, options: VariantInput.properties.options }), {
    minItems: 1,
    maxItems: 2_000,
  }),
});
export type GroupProducts = Static<typeof GroupProducts>;

const Ungrouped = Type.Object({ id: Id, deleted: Type.Boolean(), product_ids: Type.Array(Id) });
export type Ungrouped = Static<typeof Ungrouped>;

export const listVariants = {
  method: 'GET',
  path: '/products/{id}/variants',
  scope: 'products:read',
  tag: 'Products',
  summary: "List a product's variants",
  description: 'By `position`. Of a product without variants, the list is empty.',
  params: ref,
  query: VariantQuery,
  data: Type.Array(Product),
  status: 200,
} as const satisfies Endpoint;

const write = { scope: 'products:write', tag: 'Products' } as const;

export const createVariants = {
  ...write,
  method: 'POST',
  path: '/products/{id}/variants',
  summary: 'Add variants to a product',
  description: 'All of them or none. The product must have variants already.',
  params: ref,
  body: NewVariants,
  data: Type.Array(Product),
  status: 201,
} as const satisfies Endpoint;

export const generateVariants = {
  ...write,
  method: 'POST',
  path: '/products/{id}/variants/generate',
  summary: 'Add a variant for each missing combination of option values',
  description: 'Up to 2,000 variants, archived ones included.',
  params: ref,
  body: GenerateVariants,
  data: Type.Array(Product),
  status: 201,
  alsoStatus: 200,
} as const satisfies Endpoint;

export const updateProducts = {
  ...write,
  method: 'PATCH',
  path: '/products',
  summary: 'Change several products',
  description: 'All of them or none: `products` has the id and the fields to change of each.',
  body: ProductsPatch,
  data: Type.Array(Product),
  status: 200,
} as const satisfies Endpoint;

export const setOptions = {
  ...write,
  method: 'PUT',
  path: '/products/{id}/options',
  summary: 'Set the options of a product',
  description:
    'Renames, adds, removes and reorders the options of a parent; names of its variants follow. A product without variants becomes the first variant of a new parent, which takes its name, slug, description, categories, pictures and custom fields: the product keeps its id, price, stock and history, and promo codes for it apply to the parent. Returns the parent.',
  params: ref,
  body: ChangedOptions,
  data: Product,
  status: 200,
} as const satisfies Endpoint;

export const groupProducts = {
  ...write,
  method: 'POST',
  path: '/products/group',
  summary: 'Make products the variants of a new product',
  description:
    'The products keep their ids, slugs, prices, stock and histories. What is absent is taken from the first of them, the categories from all. A custom value that variants cannot have must be that of the new product, otherwise it is refused: `variants.0.custom.material`, `not_allowed`.',
  body: GroupProducts,
  data: Product,
  status: 201,
} as const satisfies Endpoint;

export const ungroupProduct = {
  ...write,
  method: 'POST',
  path: '/products/{id}/ungroup',
  summary: 'Make the variants of a product simple products',
  description:
    "They keep their names and slugs, and get copies of the product's description, categories and, where they have none, pictures. They keep their own custom values that products can have; only a single variant gets those of the product too. The product is deleted.",
  params: ref,
  mayRefuse: true,
  data: Ungrouped,
  status: 200,
} as const satisfies Endpoint;

export const variantEndpoints: readonly Endpoint[] = [
  listVariants,
  createVariants,
  generateVariants,
  updateProducts,
  setOptions,
  groupProducts,
  ungroupProduct,
];
