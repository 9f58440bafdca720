export const ORDER_STATUSES = ['pending', 'processing', 'shipped', 'delivered', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const INITIAL_STATUS: OrderStatus = 'pending';

/** The statuses of orders that have not left the shop. */
export const TO_FULFILL: readonly OrderStatus[] = ['pending', 'processing'];

/** The statuses that may follow each status. The same status again is no transition (see status-change.ts). */
const TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending: ['processing', 'shipped', 'cancelled'],
  processing: ['shipped', 'delivered', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
};

export function allowedFrom(from: OrderStatus): readonly OrderStatus[] {
  return TRANSITIONS[from];
}

export function canMove(from: OrderStatus, to: OrderStatus): boolean {
  return TRANSITIONS[from].includes(to);
}
