/** Types whose `net_amount` was given back of an order (1) or has returned (-1), as in `event_amount` of the database. */
export const GIVEN_BACK: ReadonlyMap<string, 1 | -1> = new Map([
  ['order_refunded', 1],
  ['payment_disputed', 1],
  ['order_refund_reversed', -1],
] as const);
