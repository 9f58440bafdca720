import type { LockedCart } from '../../carts/row.ts';
import type { Definitions } from '../../custom-fields/values.ts';
import { hasLevels, type LevelRow, Levels } from '../../inventory/levels.ts';
import type { StockChange } from '../../inventory/low-stock.ts';
import type { AllocatedLine } from '../../inventory/stock.ts';
import type { OptionValue } from '../../products/contract.ts';
import type { Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import type { OrderRequest } from './request.ts';
import type { VariantChoice } from './variant-required.ts';

export interface StockedProduct {
  id: number;
  name: string;
  sku: string | null;
  price: number;
  tax_class: string | null;
  requires_shipping: boolean;
  categories: string[];
  archived: boolean;
  subscription_enabled: boolean;
  track_stock: boolean;
  low_stock_at: number | null;
  stock_qty: number;
  /** Of a variant. */
  variant_of: number | null;
  title: string | null;
  options: OptionValue[];
  /** Of a parent: the first of its active variants, with prices in minor units. Other products have null. */
  variants: VariantChoice[] | null;
}

export interface OrderingCustomer {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  erased: boolean;
}

export interface CustomerUse {
  customer_id: number;
  promo_code_id: number;
  uses: number;
}

/** Everything that the requests of one batch refer to, as read (and locked) before the first of them is placed. */
export interface PlacementSnapshot {
  /** Of custom fields, if a request has values; otherwise those of the shop are enough. */
  definitions: Definitions | null;
  products: ReadonlyMap<number, StockedProduct>;
  customers: ReadonlyMap<number, OrderingCustomer>;
  /** By upper-case code. */
  promos: ReadonlyMap<string, Promo & { id: number; code: string }>;
  /** Customers with an order that was not cancelled; read where a request has a promo code. */
  orderers: ReadonlySet<number>;
  /** Uses of codes that are limited per customer. */
  uses: readonly CustomerUse[];
  /** Of the products at other locations than the main one, where the shop has several. */
  levels: LevelRow[];
  balances: ReadonlyMap<number, number>;
  takenExternalIds: ReadonlySet<string>;
  /** Of the requests. */
  carts: ReadonlyMap<number, LockedCart>;
  /** One per request. */
  orderIds: readonly number[];
  /** At least one per line. */
  lineIds: readonly number[];
}

/** The cart of a request, or the customer of its guest, has changed since the request was made of it. */
export class CartChanged extends Error {
  constructor(id: number) {
    super(`Cart ${id} has changed`);
    this.name = 'CartChanged';
  }
}

/** An order as far as it takes stock. */
interface TakenOrder {
  id: number;
  items: readonly { id: number; product_id: number; qty: number; tracked: boolean }[];
  /** Filled where the shop has several locations. */
  allocations: AllocatedLine[];
}

/** The snapshot less what earlier requests of the batch took: stock, points, promo code uses, external ids. */
export class BatchState {
  readonly snapshot: PlacementSnapshot;
  readonly levels: Levels;
  private readonly hasLevels: boolean;
  private readonly balances = new Map<number, number>();
  private readonly promoUses = new Map<number, number>();
  private readonly orderers: Set<number>;
  private readonly customerUses = new Map<string, number>();
  private readonly externalIds = new Set<string>();
  private readonly placedCarts = new Set<number>();

  constructor(snapshot: PlacementSnapshot, locations: Shop['locations']) {
    this.snapshot = snapshot;
    this.levels = new Levels(locations, (id) => snapshot.products.get(id)?.stock_qty ?? 0, snapshot.levels);
    this.hasLevels = hasLevels(locations);
    this.orderers = new Set(snapshot.orderers);
    for (const use of snapshot.uses) this.customerUses.set(`${use.customer_id}:${use.promo_code_id}`, use.uses);
  }

  /** The stock of tracked products before and after the batch. */
  stockChanges(): StockChange[] {
    return this.levels.changes().map(({ productId, before, after }) => {
      return { product: this.snapshot.products.get(productId)!, before, after };
    });
  }

  balanceOf(customerId: number): number {
    return this.balances.get(customerId) ?? this.snapshot.balances.get(customerId) ?? 0;
  }

  isTaken(externalId: string): boolean {
    return this.externalIds.has(externalId) || this.snapshot.takenExternalIds.has(externalId);
  }

  /** Throws CartChanged unless the cart is open and as it was when the request was made. */
  checkCart({ id, revision }: { id: number; revision: number }): void {
    const cart = this.snapshot.carts.get(id);
    const isSame = cart !== undefined && cart.status === 'open' && cart.revision === revision;
    if (!isSame || this.placedCarts.has(id)) throw new CartChanged(id);
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

  /** Sets the order's allocations. */
  take(
    request: OrderRequest,
    quote: { promo: { id: number } | null; priced: { points_redeemed: number } },
    order: TakenOrder,
  ): void {
    const tracked = order.items.filter((item) => item.tracked);
    if (this.hasLevels) {
      const asked = tracked.map(({ product_id, qty }) => ({ productId: product_id, qty }));
      for (const { line, productId, locationId, qty } of this.levels.allocate(asked, request.locationId)) {
        const { actor, now: at } = request;
        order.allocations.push({ orderId: order.id, lineId: tracked[line]!.id, productId, locationId, qty, actor, at });
        this.levels.change(productId, locationId, -qty);
      }
    } else {
      for (const { product_id, qty } of tracked) this.levels.changeStock(product_id, -qty);
    }
    this.balances.set(request.customerId, this.balanceOf(request.customerId) - quote.priced.points_redeemed);
    this.orderers.add(request.customerId);
    if (quote.promo !== null) {
      add(this.promoUses, quote.promo.id, 1);
      add(this.customerUses, `${request.customerId}:${quote.promo.id}`, 1);
    }
    if (request.externalId !== null) this.externalIds.add(request.externalId);
    if (request.cart !== null) this.placedCarts.add(request.cart.id);
  }
}

/** Adds `n` to the count of `key`. */
export function add<K>(map: Map<K, number>, key: K, n: number): void {
  map.set(key, (map.get(key) ?? 0) + n);
}
