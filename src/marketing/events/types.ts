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

/** What the shop tells beside these. Flows begin with them, end and wait for them; nobody else sends them. */
export const SHOP_TYPES: ReadonlySet<string> = new Set([
  'order_cancelled',
  'subscription_scheduled',
  'subscription_renewed',
  'subscription_past_due',
  'subscription_skipped',
  'subscription_paused',
  'loyalty_adjusted',
]);

export type BuiltInType = keyof typeof BUILT_IN_TYPES;

export function isBuiltIn(eventType: string): eventType is BuiltInType {
  return Object.hasOwn(BUILT_IN_TYPES, eventType);
}

/** Required keys by event type: the built-in ones and those that the company registered. */
export type EventTypes = ReadonlyMap<string, readonly string[]>;

export function eventTypesWith(registered: { event_type: string; required_keys: string[] }[]): EventTypes {
  return new Map<string, readonly string[]>([
    ...Object.entries(BUILT_IN_TYPES),
    ...registered.map((row) => [row.event_type, row.required_keys] as const),
  ]);
}

/** Where an event came from. */
export type EventSource = 'api' | 'webhook' | 'shop' | 'flow';

/** An event whose data has been checked (see normalise.ts), on its way into the store. */
export interface EventInput {
  eventType: string;
  data: Record<string, unknown>;
  /** The sender's own id, by which it is known again for 7 days; up to 255 characters. */
  eventId?: string;
  /** The moment of storing where absent. */
  occurredAt?: Date;
  source: EventSource;
  /** Where the contact is known already; else it is found by the data's email, customer_id and phone. */
  contactId?: number;
}

/** What became of an event. */
export interface EventOutcome {
  /** Of a duplicate: the first one's. */
  event_id: number;
  event_type: string;
  contact_id: number;
  duplicate: boolean;
  /** Ids of the flows that this event started. */
  flows_triggered: number[];
}

/** An event as flows and outgoing webhooks are told of it, in the transaction that stores it. */
export interface StoredEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
  source: EventSource;
  /** False for one that is more than a day old: it is kept, and starts nothing. */
  triggers: boolean;
}
