import type { LockedCart } from '../../carts/row.ts';
import type { Definitions } from '../../custom-fields/values.ts';
import type { Allocation, AskedLine } from '../../inventory/allocate.ts';
import { hasLevels, type LevelRow, Levels } from '../../inventory/levels.ts';
import type { StockChange } from '../../inventory/low-stock.ts';
import type { HeldItem } from '../../inventory/reservations.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { OptionValue } from '../../products/contract.ts';
import type { Promo } from '../../promotions/discount.ts';
import type { Shop } from '../../shop.ts';
import type { RenewedSubscription } from '../../subscriptions/renewal/placed.ts';
import type { OrderedCart, OrderRequest } from './request.ts';
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

/** `buyer`: see `buyerOf`. */
export interface BuyerUse {
  buyer: string;
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
  /** Buyers with an order that was not cancelled, or with a reservation; read where a request has a promo code. */
  orderers: ReadonlySet<string>;
  /** Uses of codes that are limited per customer, reservations included. */
  uses: readonly BuyerUse[];
  /** Of the products at other locations than the main one, where the shop has several. */
  levels: LevelRow[];
  /** Points without those that are reserved. */
  balances: ReadonlyMap<number, number>;
  takenExternalIds: ReadonlySet<string>;
  /** Of the requests. */
  carts: ReadonlyMap<number, LockedCart>;
  /** What is set aside for carts that are placed from their reservation. */
  heldItems: readonly HeldItem[];
  /** The payments of carts that are placed from their reservation, or because they were paid, by cart. */
  awaited: ReadonlyMap<number, PaymentRow>;
  /** Those of these payments that services are asked to cancel. */
  cancelling: ReadonlySet<number>;
  /** Whose orders are placed from carts. */
  renewed: ReadonlyMap<number, RenewedSubscription>;
  /** One per request. */
  orderIds: readonly number[];
  /** At least one per line. */
  lineIds: readonly number[];
  /** At least one per payment that a request begins or records. */
  paymentIds: readonly number[];
}

/** The cart of a request, or the customer of its guest, has changed since the request was made of it. */
export class CartChanged extends Error {
  constructor(id: number) {
    super(`Cart ${id} has changed`);
    this.name = 'CartChanged';
  }
}

/** The snapshot less what earlier requests of the batch took: stock, points, promo code uses, external ids. */
export class BatchState {
  readonly snapshot: PlacementSnapshot;
  readonly levels: Levels;
  private readonly hasLevels: boolean;
  private readonly mainId: number;
  private readonly balances = new Map<number, number>();
  private readonly promoUses = new Map<number, number>();
  private readonly orderers: Set<string>;
  private readonly customerUses = new Map<string, number>();
  private readonly externalIds = new Set<string>();
  private readonly closedCarts = new Set<number>();

  constructor(snapshot: PlacementSnapshot, locations: Shop['locations']) {
    this.snapshot = snapshot;
    this.levels = new Levels(locations, (id) => snapshot.products.get(id)?.stock_qty ?? 0, snapshot.levels);
    this.hasLevels = hasLevels(locations);
    this.mainId = locations.find(({ main }) => main)?.id ?? 0;
    this.orderers = new Set(snapshot.orderers);
    for (const { buyer, promo_code_id, uses } of snapshot.uses) {
      add(this.customerUses, `${promo_code_id} ${buyer}`, uses);
    }
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

  /** Throws CartChanged unless the cart is open, reserved, or expired and paid after all, and as it was when the request was made. */
  checkCart({ id, revision, reserved, paid }: Pick<OrderedCart, 'id' | 'revision' | 'reserved' | 'paid'>): void {
    const cart = this.snapshot.carts.get(id);
    const status = reserved !== null ? 'paying' : paid !== null ? 'expired' : 'open';
    const isSame = cart !== undefined && cart.status === status && cart.revision === revision;
    if (!isSame || this.closedCarts.has(id)) throw new CartChanged(id);
  }

  /** The cart of an earlier request is changed by it. */
  closeCart(id: number): void {
    this.closedCarts.add(id);
  }

  /** Returns the promo with its current number of uses, and the buyer's uses. */
  promoOf(code: string, buyer: string) {
    const promo = this.snapshot.promos.get(code.toUpperCase());
    if (promo === undefined) return null;
    return {
      promo: { ...promo, used_count: promo.used_count + (this.promoUses.get(promo.id) ?? 0) },
      hasOrdered: this.orderers.has(buyer),
      customerUses: this.customerUses.get(`${promo.id} ${buyer}`) ?? 0,
    };
  }

  /** Takes what an order or a reservation needs. Returns where the stock of its tracked lines is taken. */
  take(
    request: OrderRequest,
    tracked: readonly AskedLine[],
    { promo, points }: { promo: { id: number } | null; points: number },
  ): Allocation[] {
    const buyer = buyerOf(request);
    this.balances.set(request.customerId, this.balanceOf(request.customerId) - points);
    this.orderers.add(buyer);
    if (promo !== null) {
      add(this.promoUses, promo.id, 1);
      add(this.customerUses, `${promo.id} ${buyer}`, 1);
    }
    if (request.externalId !== null) this.externalIds.add(request.externalId);
    if (request.cart !== null) this.closeCart(request.cart.id);
    if (!this.hasLevels) {
      for (const { productId, qty } of tracked) this.levels.changeStock(productId, -qty);
      return tracked.map(({ productId, qty }, line) => ({ line, productId, locationId: this.mainId, qty }));
    }
    const allocations = this.levels.allocate(tracked, request.locationId);
    for (const { productId, locationId, qty } of allocations) this.levels.change(productId, locationId, -qty);
    return allocations;
  }
}

/** Whose uses of promo codes and first order count: a customer, or a guest's address while there is no customer with it. */
export function buyerOf({ customerId, cart }: OrderRequest): string {
  return customerId === 0 ? (cart?.guest?.email ?? '') : String(customerId);
}

/** Adds `n` to the count of `key`. */
export function add<K>(map: Map<K, number>, key: K, n: number): void {
  map.set(key, (map.get(key) ?? 0) + n);
}
