import type { Caller } from '../../caller.ts';
import { createBatcher } from '../../db/batching/batcher.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { hasLevels } from '../inventory/levels.ts';
import { findReservedUntil } from '../inventory/reservations.ts';
import { readSnapshot } from '../orders/placing/queries.ts';
import { BatchState } from '../orders/placing/snapshot.ts';
import { findPaymentsOfCarts } from '../payments/queries.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { CartRecord } from './contract.ts';
import * as queries from './queries.ts';
import { cartRecord } from './record.ts';
import { requestOf } from './request.ts';
import type { CartRow } from './row.ts';

import { totalsOf } from './totals.ts';

/** The most and largest batches, as for products. */
const BATCHES = { maxSize: 64, maxInFlight: 4, maxInFlightPerKey: 2 };

/** Reads rows of carts. Those that are asked for while a query runs share the next one. Throws not_found. */
export function createRowReader(db: Db): (companyId: number, id: number) => Promise<CartRow> {
  const batcher = createBatcher<{ companyId: number; id: number }, CartRow | undefined>({
    name: 'cart-rows',
    key: ({ companyId }) => companyId,
    run: async (companyId, reads) => {
      const ids = [...new Set(reads.map(({ id }) => id))];
      const rows = await queries.findCarts(db.points(companyId), companyId, ids);
      const rowOf = new Map(rows.map((row) => [row.id, row]));
      return reads.map(({ id }) => ({ ok: true, value: rowOf.get(id) }));
    },
    ...BATCHES,
  });
  return async (companyId, id) => found(await batcher.submit({ companyId, id }), 'cart');
}

/** A cart as it was read, and who asks: its price is that of the moment of the request. */
export interface ReadCart {
  row: CartRow;
  caller: Caller;
}

/** Prices carts. Those of a company that are asked for while a batch is read share the next one. */
export function createCartReader({ db, shops }: { db: Db; shops: ShopCache }): (read: ReadCart) => Promise<CartRecord> {
  const batcher = createBatcher<ReadCart, CartRecord>({
    name: 'cart-reads',
    key: ({ caller }) => caller.companyId,
    run: async (companyId, reads) => {
      const carts = await showCarts(db.points(companyId), await shops.get(companyId), reads);
      return carts.map((value) => ({ ok: true, value }));
    },
    ...BATCHES,
  });
  return (read) => batcher.submit(read);
}

/** Reads what the carts refer to, in one round trip. */
export async function showCarts(db: Queryable, shop: Shop, reads: readonly ReadCart[]): Promise<CartRecord[]> {
  const { companyId } = shop;
  const rows = reads.map(({ row }) => row);
  const idsOf = (status: CartRow['status']) => rows.filter((row) => row.status === status).map(({ id }) => id);
  const requests = reads.map(({ row, caller }) => (row.frozen === null ? requestOf(row, caller) : null));
  const productIds = [...new Set(rows.flatMap(({ lines }) => lines.map(({ product_id }) => product_id)))];
  const live = requests.filter((request) => request !== null);
  const [snapshot, images, orderIds, payments, reservedUntil] = await Promise.all([
    readSnapshot(db, companyId, live, { lock: false, levels: hasLevels(shop.locations) }),
    queries.findImages(db, companyId, productIds),
    queries.findOrderIds(db, companyId, idsOf('placed')),
    findPaymentsOfCarts(db, companyId, idsOf('paying')),
    findReservedUntil(db, companyId, idsOf('paying')),
  ]);
  const batch = new BatchState(snapshot, shop.locations);
  return rows.map((row, i) => {
    const request = requests[i]!;
    const shown = {
      row,
      totals: request === null ? null : totalsOf(shop, batch, row, request),
      products: snapshot.products,
      images,
      orderId: orderIds.get(row.id) ?? null,
      payment: payments.get(row.id) ?? null,
      reservedUntil: reservedUntil.get(row.id) ?? null,
    };
    return cartRecord(shown, shop);
  });
}
