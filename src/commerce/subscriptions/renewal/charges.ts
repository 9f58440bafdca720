import { workerCaller } from '../../../caller.ts';
import type { Tx } from '../../../db/pool.ts';
import {
  cancelRenewalCarts,
  findRenewalCarts,
  insertRenewalCarts,
  lockRenewalCarts,
  type RenewalCart,
} from '../../carts/renewals.ts';
import { requestOf } from '../../carts/request.ts';
import type { CartRow } from '../../carts/row.ts';
import type { OrderRequest } from '../../orders/placing/request.ts';
import { isOpen, type PaymentRow } from '../../payments/payment.ts';
import { findPayments, findPaymentsOfCarts } from '../../payments/queries.ts';
import { refundableOf } from '../../payments/refunds/shares.ts';
import { findMethodIds } from '../../payments/saved/queries.ts';
import type { SubscriptionRow } from '../queries.ts';

const MINUTE_MS = 60_000;
/** Within this time the end of a charge is noticed, even if nobody says so. */
export const CHARGE_MS = 60 * MINUTE_MS;

/**
 * What is to be done for a due subscription with a saved method. `charge`: its cart is reserved and charged; `failed`: its last charge has
 * failed; `wait`: its cart is being paid, money of it is held, or somebody works on it.
 */
export type Charge =
  | { kind: 'charge'; cart: CartRow; methodId: number }
  | { kind: 'failed'; cart: CartRow; payment: PaymentRow }
  | { kind: 'wait'; dueAt: Date };

/**
 * Decides what is to be done for due subscriptions with saved methods, which the caller has locked, and begins the carts that they need. Carts
 * are locked before subscriptions elsewhere, so those that are locked are left for later. By subscription.
 */
export async function prepareCharges(
  tx: Tx,
  companyId: number,
  rows: readonly SubscriptionRow[],
  now: Date,
): Promise<Map<number, Charge>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const chargeIds = rows.flatMap(({ charge_id }) => charge_id ?? []);
  const [locked, carts, payments, methods] = await Promise.all([
    lockRenewalCarts(tx, companyId, ids, 'skip'),
    findRenewalCarts(tx, companyId, ids),
    findPayments(tx, companyId, chargeIds),
    findMethodIds(tx, companyId, [...new Set(rows.map(({ saved_method_id }) => saved_method_id!))]),
  ]);
  const expired = carts.filter(({ status }) => status === 'expired').map(({ id }) => id);
  const late = await findPaymentsOfCarts(tx, companyId, expired);
  const cartOf = new Map(locked.map((cart) => [cart.id, cart]));
  const charges = new Map<number, Charge>();
  const begun: { row: SubscriptionRow; failed: PaymentRow | null }[] = [];
  const outdated: number[] = [];
  for (const row of rows) {
    const own = carts.filter(({ subscription_id }) => subscription_id === row.id);
    const payment = row.charge_id === null ? undefined : payments.get(row.charge_id);
    const busy = own.some(({ id, status }) => status !== 'expired' && cartOf.get(id)?.status !== 'open');
    // By a link too, money may still arrive after the reservation has ended.
    const isUnknown = own.some(({ id, cycle_date }) => cycle_date === row.next_billing_date && late.has(id));
    if (busy || isUnknown || (payment !== undefined && (isOpen(payment) || isHeld(payment)))) {
      const isLong = payment !== undefined || isUnknown;
      charges.set(row.id, { kind: 'wait', dueAt: new Date(now.getTime() + (isLong ? CHARGE_MS : MINUTE_MS)) });
      continue;
    }
    const open = own.filter(({ id }) => cartOf.has(id)).map(({ id }) => cartOf.get(id)!);
    const cart = open.find(({ cycle_date }) => cycle_date === row.next_billing_date);
    outdated.push(...open.filter((one) => one !== cart).map(({ id }) => id));
    const charged = own.find(({ id }) => id === payment?.cart_id);
    const failed = payment !== undefined && charged?.cycle_date === row.next_billing_date ? payment : null;
    if (cart === undefined) begun.push({ row, failed });
    else charges.set(row.id, chargeOf(row, cart, failed));
  }
  if (outdated.length > 0) await cancelRenewalCarts(tx, companyId, outdated, now);
  const fresh = await insertRenewalCarts(
    tx,
    companyId,
    begun.map(({ row }) => renewalOf(row)),
    now,
  );
  for (const [i, { row, failed }] of begun.entries()) charges.set(row.id, chargeOf(row, fresh[i]!, failed));
  return charges;

  function chargeOf(row: SubscriptionRow, cart: CartRow, payment: PaymentRow | null): Charge {
    if (payment !== null) return { kind: 'failed', cart, payment };
    return { kind: 'charge', cart, methodId: methods.get(row.saved_method_id!)! };
  }
}

/** Whether money was taken that is not what the date costs, and neither belongs to an order nor goes back: staff decide first. */
function isHeld(payment: PaymentRow): boolean {
  return payment.order_id === null && refundableOf(payment) > 0;
}

function renewalOf(row: SubscriptionRow): RenewalCart {
  const { shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country } = row;
  return {
    subscriptionId: row.id,
    cycleDate: row.next_billing_date!,
    customerId: row.customer_id,
    item: { product_id: row.product_id, qty: row.quantity, price: row.price },
    address: { shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country },
  };
}

/** Returns the request that reserves a renewal's cart and charges the saved method, or places it if nothing is to be paid. */
export function chargeRequest(
  { saved_method_id: savedId }: SubscriptionRow,
  { cart, methodId }: Extract<Charge, { kind: 'charge' }>,
  companyId: number,
  now: Date,
): OrderRequest {
  const saved = { id: savedId!, by: 'renewal' } as const;
  const pays = { methodId, saved, expectedTotal: null, isStaff: true, returnUrl: '', saves: false };
  return {
    ...requestOf(cart, workerCaller(companyId, 'renewals', now)),
    cart: {
      id: cart.id,
      revision: cart.revision,
      guest: null,
      billing: cart.billing,
      note: null,
      pays,
      paid: null,
      reserved: null,
      acceptsMarketing: null,
      cycleDate: cart.cycle_date,
      expectsOrder: false,
    },
  };
}
