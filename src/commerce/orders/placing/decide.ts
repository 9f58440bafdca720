import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { FrozenOrder } from '../../carts/row.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import type { Allocation } from '../../inventory/allocate.ts';
import { hasLevels } from '../../inventory/levels.ts';
import type { StockChange } from '../../inventory/low-stock.ts';
import type { NewReservation, ReservedItem } from '../../inventory/reservations.ts';
import type { AllocatedLine } from '../../inventory/stock.ts';
import type { LedgerEntry } from '../../loyalty/ledger.ts';
import { earnedPoints } from '../../loyalty/points.ts';
import { fromMinor, type Minor } from '../../money.ts';
import { OrderBooks, type ReceivedMoney } from '../../payments/books.ts';
import { checkTotal, methodFor } from '../../payments/methods/choose.ts';
import { type PaymentMethod, reserves } from '../../payments/methods/method.ts';
import type { NewOperation } from '../../payments/operations/operation.ts';
import { schedule } from '../../payments/operations/operation.ts';
import { isOpen, newPayment, type PaymentRow } from '../../payments/payment.ts';
import { readMoney } from '../../payments/received.ts';
import { NO_OPERATIONS } from '../../payments/settling/facts.ts';
import { isOvertaken, type PaidCart } from '../../payments/settling/paid-cart.ts';
import type { Shop } from '../../shop.ts';
import type { ItemRow, OrderRow } from '../record.ts';
import { INITIAL_STATUS } from '../status.ts';
import { checkGuest, type Quote, quoteOrder } from './check.ts';
import type { CartPayment, OrderedCart, OrderNote, OrderRequest } from './request.ts';
import { add, BatchState, CartChanged, type PlacementSnapshot } from './snapshot.ts';

interface NewItem extends ItemRow {
  categories: readonly string[];
  /** Whether the order takes stock for this line. */
  tracked: boolean;
}

export interface NewOrder extends OrderRow {
  actor: string;
  /** For its event; not stored with the order. */
  correlation: Correlation | null;
  items: NewItem[];
  /** Where its stock is taken, in a shop with several locations. */
  allocations: AllocatedLine[];
  /** Whether its stock, promo code use and points were set aside before. */
  wasReserved: boolean;
  /** The order as its cart keeps it; null without a cart. */
  frozen: FrozenOrder | null;
  note: OrderNote | null;
  /** Null without a payment. */
  books: OrderBooks | null;
  /** The buyer's choice in the cart; null: not asked. For its event. */
  acceptsMarketing: boolean | null;
}

/** A cart that is set aside until its payment has ended. */
export interface CartReservation extends NewReservation {
  frozen: FrozenOrder;
  items: ReservedItem[];
}

/** What became of a request: an order, or a reservation; and the payment that began. */
export interface Accepted {
  order: NewOrder | null;
  reservation: CartReservation | null;
  payment: PaymentRow | null;
}

/** What a batch writes, in one transaction. */
interface Placement {
  orders: NewOrder[];
  reservations: CartReservation[];
  /** Of the reservations, and what starts those by payment services. */
  payments: PaymentRow[];
  operations: NewOperation[];
  promoUses: Map<number, number>;
  ledger: LedgerEntry[];
  /** By customer: points that reservations set aside, less those of reservations that end. */
  reservedPoints: Map<number, number>;
  ordersByCustomer: Map<number, number>;
  stockChanges: StockChange[];
}

/**
 * Places or reserves the requests of one batch in the order of their arrival; each sees what those before it took. A request that fails
 * takes nothing and leaves the others alone. Pure: the caller reads the snapshot and writes the placement.
 */
export function placeBatch(
  shop: Shop,
  snapshot: PlacementSnapshot,
  requests: readonly OrderRequest[],
): {
  outcomes: Settled<Accepted>[];
  placement: Placement;
} {
  const state = new BatchState(snapshot, shop.locations);
  const placement: Placement = {
    orders: [],
    reservations: [],
    payments: [],
    operations: [],
    promoUses: new Map(),
    ledger: [],
    reservedPoints: new Map(),
    ordersByCustomer: new Map(),
    stockChanges: [],
  };
  let usedLineIds = 0;
  let usedPaymentIds = 0;
  const outcomes = requests.map((request, i): Settled<Accepted> => {
    try {
      const ids = {
        order: snapshot.orderIds[i]!,
        lines: snapshot.lineIds.slice(usedLineIds),
        payments: snapshot.paymentIds.slice(usedPaymentIds),
      };
      const accepted = accept(shop, state, request, ids);
      usedLineIds += accepted.order?.items.length ?? 0;
      usedPaymentIds += request.payments.length + (accepted.payment === null ? 0 : 1);
      record(placement, shop, request, accepted);
      return { ok: true, value: accepted };
    } catch (error) {
      if (error instanceof AppError || error instanceof CartChanged) return { ok: false, error };
      throw error;
    }
  });
  placement.stockChanges = state.stockChanges();
  return { outcomes, placement };
}

/** Whether what a service said still holds: it is not old, and its authorization is not being voided at this moment. */
function stands({ snapshot }: BatchState, payment: PaymentRow, paid: PaidCart): boolean {
  const isVoided = paid.facts.captured === 0 && snapshot.cancelling.has(payment.id);
  return !isVoided && !isOvertaken(payment, paid);
}

interface DrawnIds {
  order: number;
  lines: readonly number[];
  payments: readonly number[];
}

/** Checks a request, prices it and takes what it needs. Throws the contract's errors, and CartChanged. */
function accept(shop: Shop, state: BatchState, request: OrderRequest, ids: DrawnIds): Accepted {
  const { cart, now } = request;
  const awaited = cart === null ? undefined : state.snapshot.awaited.get(cart.id);
  // Before anything is taken.
  const received = request.payments.map((input, i) => {
    return readMoney(shop, input, { payments: awaited === undefined ? [] : [awaited], now, path: `payments.${i}.` });
  });
  if (cart !== null && cart.reserved !== null) {
    const { frozen, custom } = cart.reserved;
    state.checkCart(cart);
    // Another payment may be under way for it by now.
    if (cart.paid !== null && (!isOpen(awaited!) || !stands(state, awaited!, cart.paid)))
      throw new CartChanged(cart.id);
    checkGuest(state, request);
    state.closeCart(cart.id);
    const order = newOrder(request, frozen, custom, ids);
    openBooks(shop, request, order, { awaited, received, ids: ids.payments });
    return { order, reservation: null, payment: null };
  }
  if (cart?.paid != null) requireFreeDate(state, request);
  const pays = cart?.pays ?? null;
  const method = pays === null || pays.methodId === null ? null : methodOf(shop, pays.methodId, pays);
  const { custom, ...quote } = quoteOrder(shop, state, request);
  const frozen = frozenOrder(quote);
  if (pays !== null) checkPayment(shop, pays, method, frozen.total);
  const charged = frozen.total > 0 ? method : null;
  const isReserved = charged !== null && reserves(charged);
  if (cart !== null && cart.expectsOrder === isReserved && changesConsent(cart)) throw new CartChanged(cart.id);
  if (isReserved) return reserve(shop, state, request, { frozen, method: charged, ids });
  // Paid after its reservation had ended, and given back since; or what was taken is not what the order costs now.
  if (cart?.paid != null && awaited!.refund_pending + awaited!.refunded > 0) throw new CartChanged(cart.id);
  if (cart?.paid != null && !stands(state, awaited!, cart.paid)) throw new CartChanged(cart.id);
  if (cart?.paid != null && awaited!.amount !== frozen.total) throw totalChanged(shop, frozen.total);
  // A guest whose customer was not created, because a reservation needs none.
  if (request.customerId === 0) throw new CartChanged(cart!.id);
  const order = newOrder(request, frozen, custom, ids);
  const allocations = take(state, request, frozen);
  if (hasLevels(shop.locations)) order.allocations = allocatedLines(order, allocations);
  const payment = charged === null ? null : paymentOf(shop, request, charged, { frozen, ids, reservedUntil: null });
  const moneyIds = ids.payments.slice(payment === null ? 0 : 1);
  openBooks(shop, request, order, { awaited: payment ?? awaited, received, ids: moneyIds });
  return { order, reservation: null, payment };
}

/** Money that arrives late orders no date of a subscription a second time. Throws cart_not_open. */
function requireFreeDate({ snapshot }: BatchState, { subscriptionId, cart }: OrderRequest): void {
  if (subscriptionId === null || snapshot.renewed.get(subscriptionId)?.isTaken !== true) return;
  const status = snapshot.carts.get(cart!.id)?.status;
  // It was read before it changed.
  if (status !== 'expired') throw new CartChanged(cart!.id);
  throw new AppError('cart_not_open', 'The date was ordered, or is being paid, by another cart', { status });
}

/** Opens the books of an order for which money is awaited or was received. */
function openBooks(
  shop: Shop,
  { actor, now, cart }: OrderRequest,
  order: NewOrder,
  {
    awaited,
    received,
    ids,
  }: { awaited: PaymentRow | undefined; received: readonly ReceivedMoney[]; ids: readonly number[] },
): void {
  if (awaited === undefined && received.length === 0) return;
  const { timeZone, currency, paymentAccounts: accounts } = shop;
  const books = new OrderBooks(order, null, { timeZone, currency, accounts, actor, now });
  if (awaited !== undefined) books.expect(awaited);
  if (awaited !== undefined && cart?.paid != null) {
    const { facts } = cart.paid;
    const known = { entered: new Set<string>(), byHand: 0, refundOf: new Map<number, number>(), open: NO_OPERATIONS };
    books.settle(awaited, { facts, isFresh: true, ...known });
    schedule(awaited, now);
  }
  for (const [i, money] of received.entries()) books.receive(money, ids[i]!);
  order.books = books;
  order.money = books.balance;
}

/** Whether an order of the cart sets the consent of its customer. Guests confirm theirs later, by e-mail. */
function changesConsent({ guest, acceptsMarketing }: OrderedCart): boolean {
  return guest === null && acceptsMarketing !== null;
}

/** Renewals are charged even if buyers cannot choose the method any more. Throws payment_method_unavailable. */
function methodOf(shop: Shop, id: number, pays: CartPayment): PaymentMethod {
  const renewing = pays.saved?.by === 'renewal' ? shop.paymentMethods.find((one) => one.id === id) : undefined;
  return renewing ?? methodFor(shop, id, pays);
}

/** Throws payment_method_unavailable, total_changed, and validation_failed if a payment method is needed and not given. */
function checkPayment(
  shop: Shop,
  { expectedTotal, saved }: CartPayment,
  method: PaymentMethod | null,
  total: Minor,
): void {
  if (total > 0 && method === null) throw invalidField('method_id', 'method_id is required', 'required');
  if (total > 0 && saved?.by !== 'renewal') checkTotal(method!, total);
  if (expectedTotal === null || expectedTotal === total) return;
  throw totalChanged(shop, total);
}

function totalChanged({ exponent }: Shop, total: Minor): AppError {
  return new AppError('total_changed', 'The total has changed', { total: fromMinor(total, exponent) });
}

function reserve(
  shop: Shop,
  state: BatchState,
  request: OrderRequest,
  { frozen, method, ids }: { frozen: FrozenOrder; method: PaymentMethod; ids: DrawnIds },
): Accepted {
  const { id: cartId, guest } = request.cart!;
  const reservedUntil = new Date(request.now.getTime() + method.reserve_minutes * 60_000);
  const items = take(state, request, frozen).map(({ productId, locationId, qty }) => {
    return { cartId, productId, locationId, qty };
  });
  const reservation = {
    cartId,
    reservedUntil,
    promoId: frozen.promo?.id ?? null,
    points: frozen.points_redeemed,
    customerId: guest === null ? request.customerId : null,
    email: guest?.email ?? null,
    actor: request.actor,
    now: request.now,
    frozen,
    items,
  };
  return { order: null, reservation, payment: paymentOf(shop, request, method, { frozen, ids, reservedUntil }) };
}

function take(state: BatchState, request: OrderRequest, { lines, promo, points_redeemed: points }: FrozenOrder) {
  const tracked = lines.filter((line) => line.tracked);
  const asked = tracked.map(({ product_id: productId, qty }) => ({ productId, qty }));
  return state.take(request, asked, { promo, points });
}

/** `allocations` are those of the order's tracked lines. */
function allocatedLines({ id: orderId, items, actor, created_at: at }: NewOrder, allocations: readonly Allocation[]) {
  const tracked = items.filter((item) => item.tracked);
  return allocations.map(({ line, productId, locationId, qty }): AllocatedLine => {
    return { orderId, lineId: tracked[line]!.id, productId, locationId, qty, actor, at };
  });
}

function paymentOf(
  { timeZone, paymentAccounts: accounts }: Shop,
  { cart, now }: OrderRequest,
  method: PaymentMethod,
  { frozen, ids, reservedUntil }: { frozen: FrozenOrder; ids: DrawnIds; reservedUntil: Date | null },
): PaymentRow {
  const payable = { cartId: cart!.id, orderId: null, amount: frozen.total, reservedUntil };
  return newPayment(method, ids.payments[0]!, payable, { timeZone, accounts, now });
}

function newOrder(request: OrderRequest, frozen: FrozenOrder, custom: CustomValues, ids: DrawnIds): NewOrder {
  const { cart, address } = request;
  return {
    id: ids.order,
    customer_id: request.customerId,
    status: INITIAL_STATUS,
    subtotal: frozen.subtotal,
    discount: frozen.discount,
    tax: frozen.tax,
    shipping: frozen.shipping,
    total: frozen.total,
    promo_code_id: frozen.promo?.id ?? null,
    promo_code: frozen.promo?.code ?? null,
    points_redeemed: frozen.points_redeemed,
    shipping_address: address.address,
    shipping_city: address.city,
    shipping_state: frozen.state,
    shipping_zip: address.zip,
    shipping_country: frozen.country,
    shipping_method: frozen.shipping_method?.name ?? null,
    tax_lines: frozen.tax_lines,
    tracking_number: null,
    external_id: request.externalId,
    metadata: request.metadata,
    custom,
    subscription_id: request.subscriptionId,
    location_id: request.locationId,
    cart_id: cart?.id ?? null,
    origin: request.origin,
    guest: cart !== null && cart.guest !== null,
    billing: cart?.billing ?? null,
    created_at: request.now,
    updated_at: request.now,
    actor: request.actor,
    correlation: request.correlation,
    allocations: [],
    wasReserved: cart !== null && cart.reserved !== null,
    frozen: cart === null ? null : frozen,
    note: cart?.note ?? null,
    books: null,
    money: null,
    acceptsMarketing: cart?.acceptsMarketing ?? null,
    items: frozen.lines.map(({ name, options, ...line }, i) => ({
      ...line,
      id: ids.lines[i]!,
      product_name: name,
      options: line.parent_id === null ? null : options,
    })),
  };
}

function frozenOrder({ priced, products, promo, country, state }: Omit<Quote, 'custom'>): FrozenOrder {
  const { lines, ...amounts } = priced;
  return {
    ...amounts,
    promo: promo && { id: promo.id, code: promo.code },
    country,
    state,
    lines: lines.map(({ product_id, parent_id, product_name, qty, price, subtotal, discount, tax }, i) => {
      const { title, sku, options, tax_class, categories, track_stock } = products[i]!;
      const product = { product_id, parent_id, name: product_name, title, sku, options, tax_class, categories };
      return { ...product, tracked: track_stock, qty, price, subtotal, discount, tax };
    }),
  };
}

/** What starts a payment by a service. */
function startsOf({ paymentMethods }: Shop, { cart }: OrderRequest, payment: PaymentRow): NewOperation[] {
  if (payment.provider === 'manual') return [];
  const { returnUrl, saves, saved } = cart!.pays!;
  const of = { payment_id: payment.id, refund_id: null, amount: payment.amount };
  if (saved !== null && saved.by !== 'buyer') {
    const isByStaff = saved.by === 'staff';
    const input = { saved_method_id: saved.id, ...(isByStaff && { by: 'staff' as const }) };
    return [{ ...of, kind: 'charge', input, isAwaited: isByStaff }];
  }
  const { kind, capture } = paymentMethods.find(({ id }) => id === payment.method_id)!;
  const input = {
    kind,
    capture: capture === 'at_once' ? 'at_once' : 'later',
    return_url: returnUrl,
    save: saves,
    ...(saved === null ? null : { saved_method_id: saved.id }),
  } as const;
  return [{ ...of, kind: 'start', input }];
}

function record(placement: Placement, shop: Shop, request: OrderRequest, accepted: Accepted): void {
  const { order, reservation, payment } = accepted;
  const { customerId, actor } = request;
  if (reservation !== null) {
    placement.payments.push(payment!);
    placement.operations.push(...startsOf(shop, request, payment!));
    placement.reservations.push(reservation);
    if (reservation.promoId !== null) add(placement.promoUses, reservation.promoId, 1);
    if (reservation.points > 0) add(placement.reservedPoints, customerId, reservation.points);
  }
  if (order === null) return;
  placement.orders.push(order);
  add(placement.ordersByCustomer, customerId, 1);
  const { points_redeemed: redeemed } = order;
  if (order.promo_code_id !== null && !order.wasReserved) add(placement.promoUses, order.promo_code_id, 1);
  if (redeemed > 0) {
    placement.ledger.push({ customerId, type: 'redeem', points: -redeemed, orderId: order.id, actor });
    if (order.wasReserved) add(placement.reservedPoints, customerId, -redeemed);
  }
  const { loyalty } = shop;
  if (!loyalty.enabled || loyalty.earn_on !== 'placed') return;
  const points = earnedPoints(order.subtotal, order.discount, loyalty.points_per_dollar, shop.exponent);
  if (points > 0) placement.ledger.push({ customerId, type: 'earn', points, orderId: order.id, actor });
}
