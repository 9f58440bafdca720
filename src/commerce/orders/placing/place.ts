import { versionIn } from '../../../access/company-versions.ts';
import type { Caller } from '../../../caller.ts';
import { type Batcher, createBatcher, type Settled } from '../../../db/batching/batcher.ts';
import { type BatchWork, runBatch } from '../../../db/batching/idempotent-batch.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../../outbox/service.ts';
import { closeCarts, lockCarts } from '../../carts/queries.ts';
import { lockDefinitionsShared } from '../../custom-fields/context.ts';
import { changeCustomer, findIdentities, insertGuests, removeGuests } from '../../customers/service.ts';
import { hasLevels, readLevels } from '../../inventory/levels.ts';
import { lowStockEvents } from '../../inventory/low-stock.ts';
import { convert, type HeldItem, insertReservations } from '../../inventory/reservations.ts';
import { type SoldLine, takeAllocated, takeStock } from '../../inventory/stock.ts';
import { postLedger, reservePoints } from '../../loyalty/ledger.ts';
import { insertNotes } from '../../notes/queries.ts';
import { type Ending, endOperation, insertOperations } from '../../payments/operations/queries.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { saveBooks, savePayments } from '../../payments/queries.ts';
import { insertSavedMethods } from '../../payments/saved/queries.ts';
import { countPromoUses } from '../../promotions/uses.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { type PlacedRenewal, recordRenewals } from '../../subscriptions/renewal/placed.ts';
import type { Order, OrderInput } from '../contract.ts';
import { paidEvent, pendingEvent, placedEvent } from '../events.ts';
import { orderRecord } from '../record.ts';
import { createContendedOrders, isLockTimeout, limitLockWait, lockAvailable, RowsLocked } from './contention.ts';
import { type Accepted, type NewOrder, placeBatch } from './decide.ts';
import * as queries from './queries.ts';
import { hasValues, type OrderedCart, type OrderRequest, orderRequestOf } from './request.ts';
import type { PlacementSnapshot } from './snapshot.ts';

const MAX_BATCH = 64;
const MAX_IN_FLIGHT = 4;
/** Half of the batches, so that a company whose orders wait for a lock does not delay the others. */
const MAX_PER_COMPANY = 2;

interface OrderPlacing {
  /** Places an order in one transaction with others that arrived at the same time. */
  place(caller: Caller, input: OrderInput): Promise<Order>;
  /** Places or reserves a cart in the same way; returns what `present` makes of it, in the transaction. Throws CartChanged. */
  placeCart<T>(caller: Caller, request: OrderRequest & { cart: OrderedCart }, present: Present<T>): Promise<T>;
  drained(): Promise<void>;
}

/** What became of a cart: its order, or the payment that must come first; and the payment that began. */
export interface PlacedCart {
  order: Order | null;
  payment: PaymentRow | null;
  reservedUntil: Date | null;
}

/** Returns the result of the endpoint's handler: a person's audit log and an Idempotency-Key keep it. */
type Present<T> = (placed: PlacedCart, shop: Shop) => T;

interface Member {
  caller: Caller;
  request: OrderRequest;
  /** The keys that the last attempt found locked by others. */
  lockedKeys: readonly string[];
  /** The customer's new marketing consent if the order changes it, otherwise null. */
  acceptsMarketing: boolean | null;
  present: Present<unknown>;
}

export interface PlacingDeps {
  db: Db;
  shops: ShopCache;
  suppressions: Suppressions;
  /** Called after each commit, to wake the outbox worker. */
  onPlaced: () => void;
}

export function createOrderPlacing(deps: PlacingDeps): OrderPlacing {
  const { db, shops, suppressions, onPlaced } = deps;
  const contendedOrders = createContendedOrders();

  const batcher: Batcher<Member, unknown> = createBatcher<Member, unknown>({
    name: 'orders',
    key: (member) => member.caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: placeBatched,
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    maxInFlightPerKey: MAX_PER_COMPANY,
  });

  /** Orders that wait for rows which other transactions lock. */
  const waitingBatcher: Batcher<Member, unknown> = createBatcher<Member, unknown>({
    name: 'orders-in-line',
    key: (member) => member.caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: placeUnlocked,
    maxSize: MAX_BATCH,
    maxInFlight: 2,
    maxInFlightPerKey: 1,
  });

  async function place(caller: Caller, input: OrderInput): Promise<Order> {
    const { customer_id: customerId, accepts_marketing: accepts = null } = input;
    const acceptsMarketing = await changedChoice(caller.companyId, customerId, accepts);
    const request = { ...orderRequestOf(caller, input), custom: input.custom ?? {} };
    const present: Present<Order> = ({ order }) => order!;
    return (await placeMember({ caller, request, lockedKeys: [], acceptsMarketing, present })) as Order;
  }

  async function placeMember(member: Member): Promise<unknown> {
    const { caller, acceptsMarketing } = member;
    // A batch must not wait for the locks of a customer and a contact.
    const isAlone = acceptsMarketing !== null;
    const placed = await contendedOrders.place(caller.companyId, member.request, {
      batched: () => (isAlone ? placeAlone(member) : batcher.submit(member)),
      waiting: () => (isAlone ? placeAlone(member) : waitingBatcher.submit(member)),
    });
    onPlaced();
    return placed;
  }

  async function placeCart<T>(
    caller: Caller,
    request: OrderRequest & { cart: OrderedCart },
    present: Present<T>,
  ): Promise<T> {
    const { guest, acceptsMarketing: accepts, expectsOrder } = request.cart;
    const isAsked = guest === null && expectsOrder;
    const acceptsMarketing = isAsked ? await changedChoice(caller.companyId, request.customerId, accepts) : null;
    return (await placeMember({ caller, request, lockedKeys: [], acceptsMarketing, present })) as T;
  }

  /** Returns the customer's new consent; null if the order has none or the same. */
  async function changedChoice(companyId: number, id: number, accepts: boolean | null): Promise<boolean | null> {
    if (accepts === null) return null;
    const customer = (await findIdentities(db.points(companyId), companyId, [id])).get(id);
    return customer?.accepts_marketing === accepts ? null : accepts;
  }

  /**
   * Places a batch in one transaction, which waits shortly for locks; if it waits too long, places those whose rows no other transaction
   * locks. Orders whose rows became known as locked while they waited for this batch are left out of it.
   */
  async function placeBatched(companyId: number, members: Member[]) {
    for (const member of members) member.lockedKeys = contendedOrders.lockedKeysOf(companyId, member.request);
    const unlocked = members.filter((member) => member.lockedKeys.length === 0);
    if (unlocked.length === 0) return members.map(leftOut);
    const settled = await runBatch(db, companyId, unlocked, placeWithinLockWait, placeAlone).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      return placeUnlocked(companyId, unlocked);
    });
    const outcomeOf = new Map(unlocked.map((member, i) => [member, settled[i]!]));
    return members.map((member) => outcomeOf.get(member) ?? leftOut(member));
  }

  async function placeWithinLockWait(tx: Tx, members: Member[]): Promise<BatchWork<unknown>> {
    const requests = members.map((member) => member.request);
    const limited = limitLockWait(tx);
    if (!requests.some(isByUnknown)) {
      const [, work] = await Promise.all([limited, placeIn(tx, members, { requests, created: [] })]);
      return work;
    }
    const [, buyers] = await Promise.all([limited, withCustomers(tx, members[0]!.caller.companyId, requests)]);
    return placeIn(tx, members, buyers);
  }

  /** Places the orders whose rows no other transaction locks; sets `lockedKeys` of the others, which run alone. */
  function placeUnlocked(companyId: number, members: Member[]) {
    for (const member of members) member.lockedKeys = [];
    return runBatch(db, companyId, members, placeAvailable, placeAlone);
  }

  async function placeAvailable(tx: Tx, members: Member[]): Promise<BatchWork<unknown, null>> {
    // Creating the customer of a guest may wait for another transaction: that guest's order runs alone.
    const known = members.filter(({ request }) => !isByUnknown(request));
    if (known.length === 0) return { outcomes: members.map(() => null), pending: [] };
    const requests = known.map((member) => member.request);
    const locked = await lockAvailable(tx, members[0]!.caller.companyId, requests);
    for (const [i, member] of known.entries()) member.lockedKeys = locked[i]!;
    const unlocked = known.filter((member) => member.lockedKeys.length === 0);
    if (unlocked.length === 0) return { outcomes: members.map(() => null), pending: [] };
    const { outcomes, pending } = await placeIn(tx, unlocked, {
      requests: unlocked.map((member) => member.request),
      created: [],
    });
    const outcomeOf = new Map(unlocked.map((member, i) => [member, outcomes[i]!]));
    return { outcomes: members.map((member) => outcomeOf.get(member) ?? null), pending };
  }

  /**
   * Places one order in a transaction of its own: one that changes its customer, or repeats an Idempotency-Key whose first request is still
   * running. Throws `RowsLocked`.
   */
  async function placeAlone(member: Member): Promise<unknown> {
    if (member.lockedKeys.length > 0) throw new RowsLocked(member.lockedKeys);
    const { caller, request, acceptsMarketing } = member;
    const { companyId } = caller;
    return write(db, caller, async (tx) => {
      // Done before the stock is locked, so that no other order waits for it. Placing refuses an unknown customer.
      if (acceptsMarketing !== null) {
        const change = { id: request.customerId, patch: { accepts_marketing: acceptsMarketing } };
        await changeCustomer(tx, suppressions, await shops.get(companyId), caller, change);
      }
      const buyers = await buyerOf(tx, companyId, request);
      const [locked] = await lockAvailable(tx, companyId, buyers.requests);
      if (locked!.length > 0) throw new RowsLocked(locked!);
      const { outcomes, pending } = await placeIn(tx, [member], buyers);
      await Promise.all(pending);
      const outcome = outcomes[0]!;
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    });
  }

  /** Places orders of one company in the transaction. */
  async function placeIn(tx: Tx, members: Member[], { requests, created }: Buyers): Promise<BatchWork<unknown>> {
    const { companyId } = members[0]!.caller;
    const { outcomes, shop, pending } = await placeOrders(tx, shops, companyId, requests, created);
    const settled = outcomes.map((outcome, i): Settled<unknown> => {
      if (!outcome.ok) return outcome;
      const { order, reservation, payment } = outcome.value;
      const placed = order && orderRecord(order, order.items, shop);
      const reservedUntil = reservation?.reservedUntil ?? null;
      return { ok: true, value: members[i]!.present({ order: placed, payment, reservedUntil }, shop) };
    });
    return { outcomes: settled, pending };
  }

  return {
    place,
    placeCart,
    async drained() {
      await Promise.all([batcher.drained(), waitingBatcher.drained()]);
    },
  };
}

function leftOut({ lockedKeys }: Member): Settled<never> {
  return { ok: false, error: new RowsLocked(lockedKeys) };
}

/**
 * Places orders and reserves carts inside the caller's transaction: one round trip reads and locks what they need, and a second, whose
 * statements are `pending`, writes those that can be placed. Every order is placed here, renewals too.
 */
export async function placeOrders(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  requests: readonly OrderRequest[],
  createdCustomers: readonly number[] = [],
): Promise<{ outcomes: Settled<Accepted>[]; shop: Shop; pending: Promise<unknown>[] }> {
  // A guess: a shop that this process does not know yet, or that just got a second location, takes another round trip below.
  const readsLevels = hasLevels(shops.peek(companyId)?.locations ?? []);
  // Read after the locks: an order that waited is priced by the settings of that moment.
  const [snapshot, version] = await Promise.all([
    queries.readSnapshot(tx, companyId, requests, { lock: true, levels: readsLevels }),
    versionIn(tx, companyId),
  ]);
  const shop = await shops.at(tx, companyId, version);
  if (!readsLevels && hasLevels(shop.locations)) {
    snapshot.levels = await readLevels(tx, companyId, [...snapshot.products.keys()]);
  }
  const { outcomes, placement } = placeBatch(shop, snapshot, requests);
  const { orders, reservations, payments, operations } = placement;
  const unused = createdCustomers.filter((id) => !placement.ordersByCustomer.has(id));
  const pending: Promise<unknown>[] = unused.length > 0 ? [removeGuests(tx, companyId, unused)] : [];
  if (orders.length > 0 || reservations.length > 0) {
    const { now } = requests[0]!;
    const { customers } = snapshot;
    const placed = orders.map((order) => placedEvent(order, customers.get(order.customer_id)!, shop));
    const paid = orders
      .filter(({ money }) => money?.payment_status === 'paid')
      .map((order) => paidEvent(order, customers.get(order.customer_id)!, shop, now));
    const awaited = outcomes.flatMap((outcome, i) => {
      if (!outcome.ok || outcome.value.reservation === null || outcome.value.payment!.provider !== 'manual') return [];
      return [pendingEvent(outcome.value.payment!, requests[i]!, customers.get(requests[i]!.customerId), shop)];
    });
    const low = lowStockEvents(placement.stockChanges, now);
    pending.push(
      // Before what follows: it locks the customers' accounts, so that of two first orders the second finds the other (sales/returning.test.ts).
      postLedger(tx, companyId, placement.ledger, now, placement.ordersByCustomer),
      reservePoints(tx, companyId, placement.reservedPoints),
      ...writeOrders(tx, shop, { orders, heldItems: snapshot.heldItems, now }),
      ...(reservations.length > 0 ? [insertReservations(tx, companyId, reservations)] : []),
      enqueue(
        tx,
        companyId,
        [...placed, ...paid, ...awaited, ...low],
        [...orders.map((order) => order.correlation), ...[...paid, ...awaited, ...low].map(() => null)],
      ),
    );
    const carts = [
      ...orders.flatMap((order) =>
        order.frozen === null ? [] : [{ id: order.cart_id!, status: 'placed' as const, frozen: order.frozen }],
      ),
      ...reservations.map(({ cartId: id, frozen }) => ({ id, status: 'paying' as const, frozen })),
    ];
    if (carts.length > 0) pending.push(closeCarts(tx, companyId, carts, now));
    if (payments.length > 0) pending.push(savePayments(tx, companyId, payments));
    if (operations.length > 0) pending.push(insertOperations(tx, companyId, operations, now));
    for (const ending of endingsOf(requests, outcomes)) pending.push(endOperation(tx, companyId, ending, now));
    pending.push(
      ...saveBooks(
        tx,
        companyId,
        orders.flatMap(({ books }) => books ?? []),
      ),
    );
    pending.push(...recordRenewals(tx, shop, renewalsOf(requests, outcomes, snapshot), now));
    const saved = savedOf(requests, outcomes);
    if (saved.length > 0) pending.push(insertSavedMethods(tx, companyId, saved, now));
    if (placement.promoUses.size > 0) pending.push(countPromoUses(tx, companyId, placement.promoUses));
  }
  // A caller whose other statements fail first does not await these: they must not become unhandled rejections.
  for (const one of pending) one.catch(() => {});
  return { outcomes, shop, pending };
}

/** The operations whose outcomes pay the orders that were placed. */
function endingsOf(requests: readonly OrderRequest[], outcomes: readonly Settled<Accepted>[]): Ending[] {
  return requests.flatMap(({ cart }, i) => (outcomes[i]!.ok ? (cart?.paid?.ending ?? []) : []));
}

/** The orders that were placed from carts of renewals. */
function renewalsOf(
  requests: readonly OrderRequest[],
  outcomes: readonly Settled<Accepted>[],
  { renewed, customers }: PlacementSnapshot,
): PlacedRenewal[] {
  return requests.flatMap(({ cart, subscriptionId, customerId, actor }, i) => {
    const outcome = outcomes[i]!;
    if (!outcome.ok || outcome.value.order === null || subscriptionId === null || cart?.cycleDate == null) return [];
    const { id: orderId } = outcome.value.order;
    const subscription = renewed.get(subscriptionId)!;
    return [{ subscription, cycleDate: cart.cycleDate, orderId, actor, customer: customers.get(customerId)! }];
  });
}

/** What buyers who are signed in let services keep, with the orders that were placed. */
function savedOf(requests: readonly OrderRequest[], outcomes: readonly Settled<Accepted>[]) {
  return requests.flatMap(({ cart, customerId: customer_id }, i) => {
    const isOwn = outcomes[i]!.ok && cart !== null && cart.guest === null;
    const saved = isOwn ? cart.paid?.saved : null;
    return saved == null ? [] : [{ ...saved, customer_id }];
  });
}

/** Writes orders with their lines and notes, and what they take of the stock; those that were reserved end their reservations. */
function writeOrders(
  tx: Tx,
  { companyId, locations }: Shop,
  { orders, heldItems, now }: { orders: readonly NewOrder[]; heldItems: readonly HeldItem[]; now: Date },
): Promise<unknown>[] {
  if (orders.length === 0) return [];
  const fresh = orders.filter(({ wasReserved }) => !wasReserved);
  const pending: Promise<unknown>[] = [
    ...queries.insertOrders(tx, companyId, orders),
    ...(hasLevels(locations)
      ? takeAllocated(
          tx,
          companyId,
          fresh.flatMap((order) => order.allocations),
        )
      : [takeStock(tx, companyId, fresh.flatMap(soldLines))]),
  ];
  const notes = orders.flatMap(({ id: orderId, customer_id: customerId, note, actor }) => {
    return note === null ? [] : [{ customerId, orderId, actor, ...note }];
  });
  if (notes.length > 0) pending.push(insertNotes(tx, companyId, notes, now));
  const reserved = orders.filter(({ wasReserved }) => wasReserved);
  if (reserved.length === 0) return pending;
  const ended = reserved.map(({ id: orderId, cart_id, items: lines, actor }) => {
    return { orderId, cartId: cart_id!, lines, actor, now };
  });
  return [
    ...pending,
    ...convert(tx, companyId, { orders: ended, items: heldItems }, { keepsAllocations: hasLevels(locations) }),
  ];
}

/** Requests whose guests have customers, and the customers that were created for them. */
interface Buyers {
  requests: readonly OrderRequest[];
  created: readonly number[];
}

function isByUnknown({ customerId, cart }: OrderRequest): boolean {
  return customerId === 0 && cart !== null && cart.guest !== null && cart.expectsOrder;
}

/**
 * Sets the customers of guests without one: those with their e-mail addresses, created where there are none. A reservation creates none,
 * but its guest is the buyer of an order in the same batch, whose use of a code counts. Creating one may wait for another transaction that
 * does the same, so it comes before the stock is locked, after the definitions of custom fields and the carts.
 */
async function withCustomers(tx: Tx, companyId: number, requests: readonly OrderRequest[]): Promise<Buyers> {
  const guests = requests.filter(isByUnknown);
  const [, , customers] = await Promise.all([
    requests.some(hasValues) ? lockDefinitionsShared(tx, companyId) : undefined,
    lockCarts(
      tx,
      companyId,
      requests.flatMap(({ cart }) => cart?.id ?? []),
    ),
    insertGuests(
      tx,
      companyId,
      guests.map(({ cart, address }) => ({ ...cart!.guest!, address })),
      guests[0]!.now,
    ),
  ]);
  const idOf = new Map(customers.map(({ email, id }) => [email, id]));
  return {
    requests: requests.map((one) => {
      const email = one.customerId === 0 ? one.cart?.guest?.email : undefined;
      return email === undefined ? one : { ...one, customerId: idOf.get(email) ?? 0 };
    }),
    created: customers.filter(({ created }) => created).map(({ id }) => id),
  };
}

/** The same for an order that is placed alone. Throws RowsLocked if its cart, or a customer with its e-mail address, stays locked. */
async function buyerOf(tx: Tx, companyId: number, request: OrderRequest): Promise<Buyers> {
  if (!isByUnknown(request)) return { requests: [request], created: [] };
  const [, buyers] = await Promise.all([limitLockWait(tx), withCustomers(tx, companyId, [request])]).catch(
    (error: unknown) => {
      throw isLockTimeout(error) ? new RowsLocked([`cart ${request.cart!.id}`]) : error;
    },
  );
  return buyers;
}

function soldLines({ items, actor, created_at }: NewOrder): SoldLine[] {
  return items
    .filter(({ tracked }) => tracked)
    .map(({ id, product_id, qty }) => ({ lineId: id, productId: product_id, qty, actor, at: created_at }));
}
