import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { ruleTree } from '../../rules/schema.ts';
import { CustomInput, CustomValues } from '../custom-fields/contract.ts';
import { Slug, seoFields } from '../products/contract.ts';

export const COLLECTION_KINDS = ['manual', 'rules'] as const;
export const COLLECTION_SORTS = ['manual', 'newest', 'price_asc', 'price_desc', 'name_asc', 'best_selling'] as const;
export type CollectionSort = (typeof COLLECTION_SORTS)[number];

/** Of a manual collection. */
const MAX_PRODUCTS = 10_000;

const Rules = ruleTree({});

const Sort = OneOf(COLLECTION_SORTS, {
  description:
    'The order of `GET /products?collection={slug}`. `manual`: that of `product_ids`, only with `kind: manual`, and its default. `best_selling`: by the units sold in 90 days, counted every few hours. With `kind: rules` the default is `newest`.',
});

export const Collection = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  image_media_id: Nullable(Id),
  kind: OneOf(COLLECTION_KINDS),
  rules: Nullable(Rules),
  sort: Sort,
  status: OneOf(['ready', 'updating'] as const, {
    description: '`updating` while changed rules are applied to the products, usually for about a second',
  }),
  product_count: Type.Integer({ description: 'Archived products and drafts included' }),
  custom: CustomValues,
  seo_title: Nullable(Type.String()),
  seo_description: Nullable(Type.String()),
  product_ids: Type.Optional(
    Type.Array(Id, {
      description: 'Only when a single collection with `kind: manual` is read: its products in their order',
    }),
  ),
  revision: Revision,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Collection = Static<typeof Collection>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
const fields = {
  slug: Type.Optional(Slug),
  description: Type.Optional(Type.String({ maxLength: 100_000 })),
  image_media_id: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'A picture of the media library, which then keeps it until it is deleted',
      }),
    ),
  ),
  sort: Type.Optional(Sort),
  custom: Type.Optional(CustomInput),
  ...seoFields,
};

export const CollectionInput = Type.Object({
  name: Name,
  kind: OneOf(COLLECTION_KINDS, {
    description: 'Cannot be changed. `manual`: a list of products. `rules`: the products that the rules select.',
  }),
  rules: Type.Optional(Rules),
  ...fields,
});
export type CollectionInput = Static<typeof CollectionInput>;

export const CollectionPatch = Type.Object({
  name: Type.Optional(Name),
  rules: Type.Optional(Rules),
  ...fields,
});
export type CollectionPatch = Static<typeof CollectionPatch>;

export const CollectionProducts = Type.Object({
  product_ids: Type.Array(Id, { maxItems: MAX_PRODUCTS, description: 'All products of the collection, in order' }),
});
export type CollectionProducts = Static<typeof CollectionProducts>;

export const RulesToCount = Type.Object({ rules: Rules });
export type RulesToCount = Static<typeof RulesToCount>;

const CollectionQuery = Type.Object({
  kind: Type.Optional(OneOf(COLLECTION_KINDS)),
  ...pageQuery(25),
});
export type CollectionQuery = Static<typeof CollectionQuery>;

const ref = Type.Object({ id: Type.String({ description: 'Id or slug' }) });

const RULE_FIELDS =
  'Fields of rules: `name`, `price`, `sku`, `categories`, `tax_class`, `subscription_enabled`, `created_at`, `option.{name}` and `custom.{key}`, a custom field of products or variants with comparisons that fit its type. A list matches if one of its values does. A product with variants matches if it or one of its active variants does; only variants have the values of options, and a variant without a value of a custom field has that of its product.';

const read = { scope: 'products:read', tag: 'Collections' } as const;
const write = { scope: 'products:write', tag: 'Collections' } as const;

export const listCollections = {
  ...read,
  method: 'GET',
  path: '/collections',
  summary: 'List collections',
  description: 'Newest first.',
  query: CollectionQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Collection),
  status: 200,
} as const satisfies Endpoint;

export const getCollection = {
  ...read,
  method: 'GET',
  path: '/collections/{id}',
  summary: 'Read a collection by id or slug',
  params: ref,
  data: Collection,
  status: 200,
} as const satisfies Endpoint;

export const createCollection = {
  ...write,
  method: 'POST',
  path: '/collections',
  summary: 'Create a collection',
  description: `A collection without a slug gets one from its name. A shop has at most 500 collections with rules, which every change of a product applies to it in the same transaction. ${RULE_FIELDS}`,
  body: CollectionInput,
  data: Collection,
  status: 201,
} as const satisfies Endpoint;

export const updateCollection = {
  ...write,
  method: 'PATCH',
  path: '/collections/{id}',
  summary: 'Change a collection',
  description: `Sets the fields that are given. New rules are applied in the background, while \`status\` is \`updating\`. ${RULE_FIELDS}`,
  conditional: true,
  params: ref,
  body: CollectionPatch,
  data: Collection,
  status: 200,
} as const satisfies Endpoint;

export const setCollectionProducts = {
  ...write,
  method: 'PUT',
  path: '/collections/{id}/products',
  summary: 'Set the products of a collection',
  description:
    'Replaces the list of a collection with `kind: manual`. Variants cannot be listed: name the product that they belong to.',
  conditional: true,
  params: ref,
  body: CollectionProducts,
  data: Collection,
  status: 200,
} as const satisfies Endpoint;

export const deleteCollection = {
  ...write,
  method: 'DELETE',
  path: '/collections/{id}',
  summary: 'Delete a collection',
  mayRefuse: true,
  description:
    'Returns the collection as it was. Its products stay. Refused with `in_use` while a promo code is for it. Nobody has bought anything from it then for segments.',
  params: ref,
  data: Collection,
  status: 200,
} as const satisfies Endpoint;

export const countCollectionRules = {
  ...read,
  method: 'POST',
  path: '/collections/count',
  unaudited: 'changes nothing',
  summary: 'Count the products that rules select',
  description: `For rules that are not saved yet. Variants count as the product that they belong to. ${RULE_FIELDS}`,
  body: RulesToCount,
  data: Type.Object({
    count: Nullable(Type.Integer({ description: 'null where counting takes more than three seconds' })),
  }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const collectionEndpoints: readonly Endpoint[] = [
  listCollections,
  getCollection,
  createCollection,
  updateCollection,
  setCollectionProducts,
  deleteCollection,
  countCollectionRules,
];
