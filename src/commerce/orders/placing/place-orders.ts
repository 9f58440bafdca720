import { versionIn } from '../../../access/company-versions.ts';
import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import { enqueue } from '../../../outbox/service.ts';
import { postLedger } from '../../loyalty/ledger.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { placedEvent } from '../events.ts';
import type { OrderRequest } from './order-request.ts';
import { placeBatch } from './place-batch.ts';
import * as queries from './placement-queries.ts';
import { readSnapshot } from './placement-snapshot.ts';

/**
 * Places orders inside the caller's transaction: one round trip reads and locks what they need, and a second, whose statements
 * are `pending`, writes those that can be placed. Every order is placed here, renewals too.
 */
export async function placeOrders(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  requests: readonly OrderRequest[],
): Promise<{ outcomes: Settled<queries.NewOrder>[]; shop: Shop; pending: Promise<unknown>[] }> {
  // Read after the locks: an order that waited is priced by the settings of that moment.
  const [snapshot, version] = await Promise.all([
    readSnapshot(tx, companyId, requests, true),
    versionIn(tx, companyId),
  ]);
  const shop = await shops.at(tx, companyId, version);
  const { outcomes, placement } = placeBatch(shop, snapshot, requests);
  if (placement.orders.length === 0) return { outcomes, shop, pending: [] };
  const { customers } = snapshot;
  const events = placement.orders.map((order) => placedEvent(order, customers.get(order.customer_id)!, shop));
  const pending: Promise<unknown>[] = [
    // First: it locks the customers' accounts, so that of two first orders the second finds the other (sales/returning.test.ts).
    postLedger(tx, companyId, placement.ledger, requests[0]!.now, placement.ordersByCustomer),
    ...queries.insertOrders(tx, companyId, placement.orders),
    queries.takeStock(tx, companyId, placement.stockTaken),
    enqueue(
      tx,
      companyId,
      events,
      placement.orders.map((order) => order.correlation),
    ),
  ];
  if (placement.promoUses.size > 0) pending.push(queries.usePromos(tx, companyId, placement.promoUses));
  // A caller whose other statements fail first does not await these: they must not become unhandled rejections.
  for (const one of pending) one.catch(() => {});
  return { outcomes, shop, pending };
}
