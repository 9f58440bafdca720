import type { OutboxEvent } from '../../outbox/service.ts';

/** A change of a tracked product's stock. */
export interface StockChange {
  product: { id: number; name: string; sku: string | null; track_stock: boolean; low_stock_at: number | null };
  before: number;
  after: number;
}

/** Returns an event for each product whose stock falls from above its `low_stock_at` to it or below. */
export function lowStockEvents(changes: readonly StockChange[], occurredAt: Date): OutboxEvent[] {
  return changes.flatMap(({ product, before, after }): OutboxEvent[] => {
    const { id, name, sku, low_stock_at } = product;
    if (!product.track_stock || low_stock_at === null || before <= low_stock_at || after > low_stock_at) return [];
    return [
      {
        topic: 'stock_low',
        payload: { product_id: String(id), name, sku, stock_qty: after, low_stock_at },
        occurredAt,
      },
    ];
  });
}
