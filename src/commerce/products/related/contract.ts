import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { pageQuery } from '../../../lib/schemas.ts';
import { Product, ref } from '../contract.ts';

export const RelatedQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 24, default: 8, description: 'At most so many products' })),
  ...pageQuery(25),
});
export type RelatedQuery = Static<typeof RelatedQuery>;

export const listRelated = {
  method: 'GET',
  path: '/products/{id}/related',
  scope: 'products:read',
  tag: 'Products',
  summary: 'List products bought together with a product',
  description:
    'Products most often bought together in the last 90 days, then best sellers of the product’s categories. Excludes archived and sold-out products. Updated every few hours.',
  params: ref,
  query: RelatedQuery,
  data: Type.Array(Product),
  status: 200,
} as const satisfies Endpoint;

export const relatedEndpoints: readonly Endpoint[] = [listRelated];
