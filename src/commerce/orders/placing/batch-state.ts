import type { OrderRequest } from './order-request.ts';
import type { PlacementSnapshot } from './placement-snapshot.ts';
import type { PricedOrder } from './pricing.ts';

/** The snapshot less what earlier requests of the batch took: stock, points, promo code uses, external ids. */
export class BatchState {
  readonly snapshot: PlacementSnapshot;
  private readonly stock = new Map<number, number>();
  private readonly balances = new Map<number, number>();
  private readonly promoUses = new Map<number, number>();
  private readonly orderers: Set<number>;
  private readonly customerUses = new Map<string, number>();
  private readonly externalIds = new Set<string>();

  constructor(snapshot: PlacementSnapshot) {
    this.snapshot = snapshot;
    this.orderers = new Set(snapshot.orderers);
    for (const use of snapshot.uses) this.customerUses.set(`${use.customer_id}:${use.promo_code_id}`, use.uses);
  }

  stockOf(productId: number): number {
    return this.stock.get(productId) ?? this.snapshot.products.get(productId)?.stock_qty ?? 0;
  }

  balanceOf(customerId: number): number {
    return this.balances.get(customerId) ?? this.snapshot.balances.get(customerId) ?? 0;
  }

  isTaken(externalId: string): boolean {
    return this.externalIds.has(externalId) || this.snapshot.takenExternalIds.has(externalId);
  }

  /** Returns the promo with its current number of uses, and the customer's uses. */
  promoOf(code: string, customerId: number) {
    const promo = this.snapshot.promos.get(code.toUpperCase());
    if (promo === undefined) return null;
    return {
      promo: { ...promo, used_count: promo.used_count + (this.promoUses.get(promo.id) ?? 0) },
      hasOrdered: this.orderers.has(customerId),
      customerUses: this.customerUses.get(`${customerId}:${promo.id}`) ?? 0,
    };
  }

  take(request: OrderRequest, quote: { promo: { id: number } | null; priced: PricedOrder }): void {
    for (const line of quote.priced.lines) this.stock.set(line.product_id, this.stockOf(line.product_id) - line.qty);
    this.balances.set(request.customerId, this.balanceOf(request.customerId) - quote.priced.points_redeemed);
    this.orderers.add(request.customerId);
    if (quote.promo !== null) {
      add(this.promoUses, quote.promo.id, 1);
      add(this.customerUses, `${request.customerId}:${quote.promo.id}`, 1);
    }
    if (request.externalId !== null) this.externalIds.add(request.externalId);
  }
}

export function add<K>(map: Map<K, number>, key: K, n: number): void {
  map.set(key, (map.get(key) ?? 0) + n);
}
