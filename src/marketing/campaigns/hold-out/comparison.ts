/** One of the two groups that a hold-out compares. */
export interface Group {
  recipients: number;
  orders: number;
  /** In any unit, the same for both groups. */
  revenue: number;
}

/**
 * What the difference in orders means. `too_small`: nothing, since a group or the number of orders is too small. `no_difference`:
 * it may be chance. Otherwise those who got the message ordered significantly more, or fewer, than those who did not.
 */
export const VERDICTS = ['too_small', 'no_difference', 'more_orders', 'fewer_orders'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Below these the test is not valid: it assumes an approximately normal distribution of orders. */
const FEWEST_RECIPIENTS = 100;
const FEWEST_ORDERS = 20;
/** Standard deviations that chance alone exceeds in one of twenty comparisons. */
const SIGNIFICANT = 1.96;

/** Compares orders per recipient as rates of two Poisson processes. */
export function verdictOf(messaged: Group, heldOut: Group): Verdict {
  const recipients = messaged.recipients + heldOut.recipients;
  const orders = messaged.orders + heldOut.orders;
  const smallest = Math.min(messaged.recipients, heldOut.recipients);
  if (smallest < FEWEST_RECIPIENTS || orders < FEWEST_ORDERS) return 'too_small';
  const deviation = Math.sqrt((orders / recipients) * (1 / messaged.recipients + 1 / heldOut.recipients));
  const difference = messaged.orders / messaged.recipients - heldOut.orders / heldOut.recipients;
  if (Math.abs(difference) < SIGNIFICANT * deviation) return 'no_difference';
  return difference > 0 ? 'more_orders' : 'fewer_orders';
}

/** Percent by which messaged recipients exceed held-out ones in `of` per recipient, to a tenth; null if there is nothing to compare. */
export function liftOf(messaged: Group, heldOut: Group, of: 'orders' | 'revenue'): number | null {
  if (messaged.recipients === 0 || heldOut.recipients === 0 || heldOut[of] === 0) return null;
  const ratio = messaged[of] / messaged.recipients / (heldOut[of] / heldOut.recipients);
  return Math.round((ratio - 1) * 1_000) / 10;
}
