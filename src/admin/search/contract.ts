import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';

export const KINDS = ['order', 'product', 'customer', 'contact', 'flow', 'campaign', 'segment'] as const;
export type Kind = (typeof KINDS)[number];

export const Hit = Type.Object({
  kind: OneOf(KINDS),
  id: Id,
  name: Type.String({ description: "An order's is its external id" }),
  detail: Nullable(Type.String({ description: 'SKU, e-mail address or phone number, status' })),
  archived: Type.Optional(Type.Boolean({ description: 'Whether a product is archived; absent for other kinds' })),
});
export type Hit = Static<typeof Hit>;

const SearchQuery = Type.Object({
  q: Trimmed({ minLength: 1, maxLength: 100, description: 'An order number may begin with #' }),
});

export const searchEverything = {
  method: 'GET',
  path: '/search',
  scope: 'orders:read',
  tag: 'Search',
  summary: 'Search records of every kind',
  description:
    'Orders by number or external id, and by all that their list searches where a word has three letters or more; products, customers and contacts by parts of what their lists search; flows, campaigns and segments by parts of their names. At most five of each kind, of the kinds that the role may read.',
  query: SearchQuery,
  data: Type.Object({ hits: Type.Array(Hit) }),
  status: 200,
} as const satisfies Endpoint;

export const searchEndpoints: readonly Endpoint[] = [searchEverything];
