import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { MAX_CATEGORY_SLUG, SLUG } from '../products/contract.ts';

const MAX_POSITION = 1_000_000;

export const Category = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  position: Type.Integer(),
  product_count: Type.Integer({ description: 'Archived products and drafts included; variants are not counted' }),
  revision: Revision,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Category = Static<typeof Category>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
const fields = {
  description: Type.Optional(Type.String({ maxLength: 100_000 })),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_POSITION, description: '0 where absent' })),
};

export const CategoryInput = Type.Object({
  name: Name,
  slug: Type.Optional(
    Nullable(
      Type.String({
        maxLength: MAX_CATEGORY_SLUG,
        pattern: SLUG,
        description: 'Cannot be changed. Made from the name where absent or null',
      }),
    ),
  ),
  ...fields,
});
export type CategoryInput = Static<typeof CategoryInput>;

export const CategoryPatch = Type.Object({ name: Type.Optional(Name), ...fields });
export type CategoryPatch = Static<typeof CategoryPatch>;

const CategoryQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or the slug' })),
  ...pageQuery(25),
});
export type CategoryQuery = Static<typeof CategoryQuery>;

const slug = Type.Object({ slug: Type.String() });

const read = { scope: 'products:read', tag: 'Categories', status: 200 } as const;
const write = { scope: 'products:write', tag: 'Categories', status: 200 } as const;

export const listCategories = {
  ...read,
  method: 'GET',
  path: '/categories',
  summary: 'List categories',
  description: 'By position, then by name.',
  query: CategoryQuery,
  inOrderOf: { by: 'position', id: 'slug', direction: 'asc' },
  data: Type.Array(Category),
} as const satisfies Endpoint;

export const getCategory = {
  ...read,
  method: 'GET',
  path: '/categories/{slug}',
  summary: 'Read a category',
  params: slug,
  data: Category,
} as const satisfies Endpoint;

export const createCategory = {
  ...write,
  method: 'POST',
  path: '/categories',
  summary: 'Create a category',
  description:
    'A slug in `categories` of a product that has no category yet creates it, too, with a name made from the slug. Another category with the slug → `duplicate`.',
  body: CategoryInput,
  data: Category,
  status: 201,
} as const satisfies Endpoint;

export const updateCategory = {
  ...write,
  method: 'PATCH',
  path: '/categories/{slug}',
  summary: 'Change a category',
  description: 'Sets the fields that are given.',
  conditional: true,
  params: slug,
  body: CategoryPatch,
  data: Category,
} as const satisfies Endpoint;

export const deleteCategory = {
  ...write,
  method: 'DELETE',
  path: '/categories/{slug}',
  summary: 'Delete a category',
  description: 'Returns it as it was. Refused with `in_use` while a product or a promo code has it.',
  params: slug,
  data: Category,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const categoryEndpoints: readonly Endpoint[] = [
  listCategories,
  getCategory,
  createCategory,
  updateCategory,
  deleteCategory,
];
