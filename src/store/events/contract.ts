import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, OneOf } from '../../lib/schemas.ts';

export const StoreEventInput = Type.Object({
  event_type: OneOf(['product_viewed'] as const),
  product_id: Id,
});
export type StoreEventInput = Static<typeof StoreEventInput>;

export const createEvent = {
  method: 'POST',
  path: '/events',
  scope: 'store',
  tokens: ['cart', 'customer'],
  tokensOptional: true,
  limitedBy: 'store_events',
  tag: 'Events',
  summary: 'Note what a visitor does',
  description:
    'For the customer who is signed in, otherwise for the e-mail address of the cart: an event of their contact, by which flows start, segments choose and messages recommend. Nothing is noted of a visitor without an address. A network, and a token, may send 60 a minute.',
  mayFindNothing: true,
  body: StoreEventInput,
  data: Type.Object({
    recorded: Type.Boolean({ description: 'false: the visitor has neither signed in nor given an address' }),
  }),
  status: 200,
} as const satisfies Endpoint;

export const storeEventEndpoints: readonly Endpoint[] = [createEvent];
