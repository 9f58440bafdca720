/** The event types that every company has, with the keys that their data must hold. */
export const BUILT_IN_TYPES = {
  customer_created: ['email', 'first_name', 'last_name'],
  order_placed: ['order_id', 'email', 'total'],
  order_completed: ['order_id', 'email'],
  cart_abandoned: ['email', 'cart_total', 'items'],
  product_viewed: ['email', 'product_id', 'product_name'],
  subscription_created: ['email', 'subscription_id', 'plan'],
  subscription_cancelled: ['email', 'subscription_id'],
} as const satisfies Record<string, readonly string[]>;

/** Further types that the shop itself sends. Flows can use them; other senders must not send them. */
export const SHOP_TYPES: ReadonlySet<string> = new Set([
  'payment_pending',
  'payment_failed',
  'payment_returned',
  'payment_disputed',
  'checkout_started',
  'order_paid',
  'order_refunded',
  'order_refund_reversed',
  'order_shipped',
  'order_cancelled',
  'subscription_scheduled',
  'subscription_renewed',
  'subscription_past_due',
  'subscription_payment_failed',
  'subscription_skipped',
  'subscription_paused',
  'payment_method_expiring',
  'loyalty_adjusted',
  'list_joined',
  'date_reached',
  'segment_joined',
]);

export type BuiltInType = keyof typeof BUILT_IN_TYPES;

export function isBuiltIn(eventType: string): eventType is BuiltInType {
  return Object.hasOwn(BUILT_IN_TYPES, eventType);
}

/** Required keys by event type, for the built-in types and those registered by the company. */
export type EventTypes = ReadonlyMap<string, readonly string[]>;

export function eventTypesWith(registered: { event_type: string; required_keys: string[] }[]): EventTypes {
  return new Map<string, readonly string[]>([
    ...Object.entries(BUILT_IN_TYPES),
    ...registered.map((row) => [row.event_type, row.required_keys] as const),
  ]);
}
