import type { Queryable } from '../../db/pool.ts';
import type { Shop } from '../shop.ts';
import { BatchState } from './placing/batch-state.ts';
import type { OrderRequest } from './placing/order-request.ts';
import { readSnapshot } from './placing/placement-snapshot.ts';
import { type Quote, quoteOrder } from './placing/quote-order.ts';

/** The customer id in a quote for somebody whom the shop does not know yet. */
export const NOBODY = 0;
const STRANGER = { id: NOBODY, email: null, first_name: '', last_name: '', phone: null, erased: false };

/** Prices an order as placing it would; locks and writes nothing. Throws what placing would throw. */
export async function quote(db: Queryable, shop: Shop, request: OrderRequest): Promise<Quote> {
  const snapshot = await readSnapshot(db, shop.companyId, [request], false);
  const customers = request.customerId === NOBODY ? new Map([[NOBODY, STRANGER]]) : snapshot.customers;
  return quoteOrder(shop, new BatchState({ ...snapshot, customers }), request);
}

/** The same as if there were enough stock, and whether there is; used for previews of renewals. */
export async function quoteWithoutStock(
  db: Queryable,
  shop: Shop,
  request: OrderRequest,
): Promise<{ quote: Quote; inStock: boolean }> {
  const snapshot = await readSnapshot(db, shop.companyId, [request], false);
  const asked = new Map(request.items.map((item) => [item.product_id, item.qty]));
  const inStock = [...snapshot.products.values()].every((product) => product.stock_qty >= asked.get(product.id)!);
  const stocked = [...snapshot.products.values()].map(
    (product) => [product.id, { ...product, stock_qty: 9_999 }] as const,
  );
  return { quote: quoteOrder(shop, new BatchState({ ...snapshot, products: new Map(stocked) }), request), inStock };
}
