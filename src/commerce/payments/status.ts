/**
 * `action_required`: money by a manual method is awaited; `paid`: received in full; `partially_refunded`, `refunded`: part or all of what
 * was received was given back; `cancelled`: no money was or will be taken.
 */
export const PAYMENT_STATUSES = ['action_required', 'paid', 'partially_refunded', 'refunded', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

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
