import type { KeyObject } from 'node:crypto';
import type { OrdersService } from '../../commerce/orders/service.ts';
import type { Payment } from '../../commerce/payments/contract.ts';
import { findPaymentsOfOrder } from '../../commerce/payments/queries.ts';
import { paymentRecord } from '../../commerce/payments/record.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import type { Db } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { readToken } from '../../messaging/consent/tokens.ts';
import type { StoreOrder } from './contract.ts';
import { shownOrder } from './shown.ts';

interface StoreOrdersDeps {
  db: Db;
  shops: ShopCache;
  orders: OrdersService;
  tokenKey: KeyObject;
}

export type StoreOrdersService = ReturnType<typeof createStoreOrdersService>;

/** Orders as their buyers see them. */
export function createStoreOrdersService({ db: { visitors: db }, shops, orders, tokenKey }: StoreOrdersDeps) {
  return {
    /** Throws not_found. */
    async getOrder(companyId: number, token: string | null): Promise<StoreOrder & { payments: Payment[] }> {
      const content = token === null ? null : readToken(tokenKey, 'order', token);
      if (content === null || content.companyId !== companyId) throw notFound('order');
      const [order, payments, shop] = await Promise.all([
        orders.getOrder(companyId, content.subject),
        findPaymentsOfOrder(db.points(companyId), companyId, content.subject),
        shops.get(companyId),
      ]);
      return { ...shownOrder(order), payments: payments.map((row) => paymentRecord(row, shop)) };
    },
  };
}
