import type { Caller } from '../../caller.ts';

/** Where an order, or its cart, comes from: the store interface, an API key, a person in the admin app, a renewal. */
export const ORDER_ORIGINS = ['store', 'api', 'staff', 'subscription'] as const;
export type OrderOrigin = (typeof ORDER_ORIGINS)[number];

/** Returns the origin of orders and carts that a caller makes. */
export function originOf({ actor }: Caller): 'api' | 'staff' | 'store' {
  if (actor === 'store') return 'store';
  return actor === 'operator' || actor.startsWith('admin:') ? 'staff' : 'api';
}
