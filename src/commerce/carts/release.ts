import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Slice } from '../../lib/slice.ts';
import { findHeldClaims, findHeldItems, overdueSince, postponeEnd, release } from '../inventory/reservations.ts';
import type { Stamp } from '../inventory/stock.ts';
import { reservePoints } from '../loyalty/ledger.ts';
import { cancellation } from '../payments/operations/operation.ts';
import { insertOperations } from '../payments/operations/queries.ts';
import { cancelPayments, findPaymentsOfCarts } from '../payments/queries.ts';
import { countPromoUses } from '../promotions/uses.ts';
import { noteEndedPayments } from '../subscriptions/queries.ts';
import * as queries from './queries.ts';
import { cancelRenewalCarts, renewalsOfCarts } from './renewals.ts';

/**
 * Ends the reservations of carts without an order: stock, promo code uses and points are free again, payments by manual methods cancelled and
 * the carts open. The caller has locked the carts, all of which are reserved.
 */
export async function releaseCarts(tx: Tx, companyId: number, cartIds: readonly number[], stamp: Stamp): Promise<void> {
  await endReservations(tx, companyId, cartIds, stamp, 'open');
}

/** `status`: what becomes of the carts. An expired one keeps its order, for money that arrives late. */
async function endReservations(
  tx: Tx,
  companyId: number,
  cartIds: readonly number[],
  { actor, now }: Stamp,
  status: 'open' | 'expired',
): Promise<void> {
  if (cartIds.length === 0) return;
  const [claims, items, renewals] = await Promise.all([
    findHeldClaims(tx, companyId, cartIds),
    findHeldItems(tx, companyId, cartIds),
    renewalsOfCarts(tx, companyId, cartIds),
  ]);
  const [uses, points] = [new Map<number, number>(), new Map<number, number>()];
  for (const claim of claims) {
    if (claim.promo_code_id !== null) uses.set(claim.promo_code_id, (uses.get(claim.promo_code_id) ?? 0) - 1);
    if (claim.points > 0) points.set(claim.customer_id!, (points.get(claim.customer_id!) ?? 0) - claim.points);
  }
  // In the order of the locks: payments, subscriptions, promo codes, stock, accounts.
  const [, stopped] = await Promise.all([
    cancelPayments(tx, companyId, cartIds, now),
    renewals.length > 0 ? noteEndedPayments(tx, companyId, renewals, now) : ([] as number[]),
    status === 'open'
      ? queries.reopenCarts(tx, companyId, cartIds, now)
      : queries.expireCarts(tx, companyId, cartIds, now),
    countPromoUses(tx, companyId, uses),
    release(tx, companyId, { cartIds, items }, { actor, now }),
  ]);
  await reservePoints(tx, companyId, points);
  // What was paused or cancelled while it was paid is not paid by a link either.
  if (stopped.length > 0 && status === 'open') {
    const dropped = renewals.filter(({ subscription_id }) => stopped.includes(subscription_id));
    await cancelRenewalCarts(
      tx,
      companyId,
      dropped.map(({ id }) => id),
      now,
    );
  }
}

const MINUTE_MS = 60_000;
/** When a cart is looked at again whose payment a service is asked to cancel. */
const CANCELLING_MS = 5 * MINUTE_MS;
/** How long a service may take to cancel the payment of an overdue cart, until the goods are sold to others. */
const MOST_CANCELLING_MS = 60 * MINUTE_MS;

/**
 * Ends the reservations that are overdue. The payment of a service must be cancelled first: until then it could still succeed. If the service
 * does not say so for long, the cart expires, and money that arrives later gets its order or is given back.
 */
async function endOverdue(tx: Tx, companyId: number, cartIds: readonly number[], stamp: Stamp): Promise<void> {
  const { now } = stamp;
  const payments = await findPaymentsOfCarts(tx, companyId, cartIds);
  const byService = [...payments.values()].filter(({ provider }) => provider !== 'manual');
  const waiting = new Set(byService.map(({ cart_id }) => cart_id));
  const since = await overdueSince(tx, companyId, cartIds);
  const isLost = (cartId: number): boolean => now.getTime() - since.get(cartId)!.getTime() >= MOST_CANCELLING_MS;
  const lost = cartIds.filter((id) => waiting.has(id) && isLost(id));
  const awaited = byService.filter(({ cart_id }) => !isLost(cart_id!));
  if (byService.length > 0) await insertOperations(tx, companyId, byService.map(cancellation), now);
  await postponeEnd(
    tx,
    companyId,
    awaited.map(({ cart_id }) => cart_id!),
    new Date(now.getTime() + CANCELLING_MS),
  );
  await endReservations(tx, companyId, lost, stamp, 'expired');
  await releaseCarts(
    tx,
    companyId,
    cartIds.filter((id) => !waiting.has(id)),
    stamp,
  );
}

const COMPANIES_AT_ONCE = 200;
const CARTS_AT_ONCE = 100;

/** Opens carts whose reservation has ended without a payment, some of each company at a time. */
export function releaseOverdueCarts({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Slice<true> {
  return async () => {
    const now = clock.now();
    const companies = await queries.companiesWithOverdue(db, now, COMPANIES_AT_ONCE);
    let done = 0;
    for (const companyId of companies) {
      done += await db
        .tenantTx(companyId, async (tx) => {
          const ids = await queries.lockOverdueCarts(tx, companyId, now, CARTS_AT_ONCE);
          await endOverdue(tx, companyId, ids, { actor: 'worker:carts', now });
          return ids.length;
        })
        .catch((error: unknown) => {
          if (isUnavailable(error)) throw error;
          // The other companies continue.
          log.error({ err: error, company_id: companyId }, 'carts could not be released');
          return 0;
        });
    }
    return { done, next: done > 0 ? true : null };
  };
}
