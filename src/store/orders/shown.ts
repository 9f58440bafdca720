import type { Order } from '../../commerce/orders/contract.ts';
import type { Payment } from '../../commerce/payments/contract.ts';
import type { StoreOrder } from './contract.ts';

/** An order without what is for staff and programs. */
export function shownOrder(order: Order): StoreOrder {
  const { customer_id, external_id, metadata, custom, location_id, cart_id, origin, ...shown } = order;
  return shown;
}

/** A payment without what is for staff. */
export function shownPayment<One extends Payment>(payment: One) {
  const { account_id, attention, wrong, dispute_due_by, ...shown } = payment;
  return shown;
}
