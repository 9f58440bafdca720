import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError } from '../../../errors.ts';
import type { LedgerEntry } from '../../loyalty/ledger.ts';
import { earnedPoints } from '../../loyalty/points.ts';
import type { Shop } from '../../shop.ts';
import { INITIAL_STATUS } from '../status.ts';
import { add, BatchState } from './batch-state.ts';
import type { OrderRequest } from './order-request.ts';
import type { NewOrder } from './placement-queries.ts';
import type { PlacementSnapshot } from './placement-snapshot.ts';
import { type Quote, quoteOrder } from './quote-order.ts';

/** What a batch writes, in one transaction. */
export interface Placement {
  orders: NewOrder[];
  stockTaken: Map<number, number>;
  promoUses: Map<number, number>;
  ledger: LedgerEntry[];
  ordersByCustomer: Map<number, number>;
}

/**
 * Places the requests of one batch in the order of their arrival; each sees what those before it took. A request that fails
 * takes nothing and leaves the others alone. Pure: the caller reads the snapshot and writes the placement.
 */
export function placeBatch(
  shop: Shop,
  snapshot: PlacementSnapshot,
  requests: readonly OrderRequest[],
): {
  outcomes: Settled<NewOrder>[];
  placement: Placement;
} {
  const state = new BatchState(snapshot);
  const placement: Placement = {
    orders: [],
    stockTaken: new Map(),
    promoUses: new Map(),
    ledger: [],
    ordersByCustomer: new Map(),
  };
  const outcomes = requests.map((request, i): Settled<NewOrder> => {
    try {
      const quote = quoteOrder(shop, state, request);
      const order = newOrder(request, quote, snapshot.orderIds[i]!);
      state.take(request, quote);
      record(placement, shop, request, quote, order);
      return { ok: true, value: order };
    } catch (error) {
      if (error instanceof AppError) return { ok: false, error };
      throw error;
    }
  });
  return { outcomes, placement };
}

function newOrder(request: OrderRequest, quote: Quote, id: number): NewOrder {
  const { priced } = quote;
  return {
    id,
    customer_id: request.customerId,
    status: INITIAL_STATUS,
    subtotal: priced.subtotal,
    discount: priced.discount,
    tax: priced.tax,
    shipping: priced.shipping,
    total: priced.total,
    promo_code_id: quote.promo?.id ?? null,
    promo_code: quote.promo?.code ?? null,
    points_redeemed: priced.points_redeemed,
    shipping_address: request.address.address,
    shipping_city: request.address.city,
    shipping_state: quote.state,
    shipping_zip: request.address.zip,
    shipping_country: quote.country,
    shipping_method: priced.shipping_method.name,
    tax_lines: priced.tax_lines,
    tracking_number: null,
    external_id: request.externalId,
    metadata: request.metadata,
    subscription_id: request.subscription?.id ?? null,
    created_at: request.now,
    updated_at: request.now,
    actor: request.actor,
    correlation: request.correlation,
    items: priced.lines.map((line) => ({
      product_id: line.product_id,
      product_name: line.product_name,
      qty: line.qty,
      price: line.price,
      subtotal: line.subtotal,
      discount: line.discount,
      tax: line.tax,
      categories: line.category_slugs,
    })),
  };
}

function record(placement: Placement, shop: Shop, request: OrderRequest, quote: Quote, order: NewOrder): void {
  const { customerId, actor } = request;
  placement.orders.push(order);
  add(placement.ordersByCustomer, customerId, 1);
  for (const item of order.items) add(placement.stockTaken, item.product_id, item.qty);
  if (quote.promo !== null) add(placement.promoUses, quote.promo.id, 1);
  if (order.points_redeemed > 0) {
    placement.ledger.push({ customerId, type: 'redeem', points: -order.points_redeemed, orderId: order.id, actor });
  }
  const { loyalty } = shop;
  if (!loyalty.enabled || loyalty.earn_on !== 'placed') return;
  const points = earnedPoints(order.subtotal, order.discount, loyalty.points_per_dollar, shop.exponent);
  if (points > 0) placement.ledger.push({ customerId, type: 'earn', points, orderId: order.id, actor });
}
