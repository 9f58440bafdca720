/**
 * `created`: the service has not replied yet; `action_required`: the buyer must act, or money by a manual method is awaited; `processing`:
 * accepted, with the outcome to come; `authorized`: not yet captured in full; `paid`: received in full; `partially_refunded`, `refunded`: part
 * or all of what was received was given back or charged back; `failed`, `cancelled`: no money was or will be taken.
 */
export const PAYMENT_STATUSES = [
  'created',
  'action_required',
  'processing',
  'authorized',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
  'cancelled',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Of payments that have not ended. A cart, and an order by a payment service, has at most one of them. */
export const OPEN_STATUSES: readonly PaymentStatus[] = ['created', 'action_required', 'processing', 'authorized'];

/** `none`: nobody has begun to pay; `pending`: money is awaited; `failed`: no money is awaited any more. */
export const ORDER_PAYMENT_STATUSES = [
  'none',
  'pending',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
] as const;
export type OrderPaymentStatus = (typeof ORDER_PAYMENT_STATUSES)[number];
