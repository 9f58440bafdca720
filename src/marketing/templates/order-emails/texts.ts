/** What the customer is told about an order, and about one that waits for its payment. */
export const ORDER_EMAILS = ['payment', 'received', 'shipped', 'delivered', 'cancelled'] as const;
export type OrderEmail = (typeof ORDER_EMAILS)[number];

/** One e-mail about an order, with Liquid. */
export interface OrderEmailTexts {
  /** The name of the template. */
  name: string;
  subject: string;
  preview: string;
  title: string;
  /** Follows the greeting. */
  message: string;
}

/** The wording of the e-mails about orders in one language. */
export interface OrderTexts {
  emails: Record<OrderEmail, OrderEmailTexts>;
  greeting: string;
  /** How to pay. */
  payment: string;
  /** Tracking number and carrier; empty without them. */
  parcel: string;
  /** The lines of the order. */
  lines: string;
  totals: string;
  addressHeading: string;
  address: string;
}
