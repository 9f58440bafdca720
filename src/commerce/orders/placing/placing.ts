import { versionIn } from '../../../access/company-versions.ts';
import type { Caller } from '../../../caller.ts';
import { type Batcher, createBatcher, type Settled } from '../../../db/batching/batch.ts';
import { type BatchWork, runBatch } from '../../../db/batching/idempotent-batch.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../../outbox/service.ts';
import { changeCustomer, findIdentities } from '../../customers/service.ts';
import { postLedger } from '../../loyalty/ledger.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import type { Order, OrderInput } from '../contract.ts';
import { placedEvent } from '../events.ts';
import { orderRecord } from '../record.ts';
import { createHeldOrders, Held, lockWhatIsFree, soonOrFree, waitShortly } from './held-orders.ts';
import { decide, type OrderRequest } from './placement.ts';
import * as reading from './placement-queries.ts';
import { readWorld } from './placement-snapshot.ts';

const MAX_BATCH = 64;
const MAX_IN_FLIGHT = 4;
/** Half of them: a company whose orders wait for a lock leaves the others their way. */
const MAX_PER_COMPANY = 2;

export interface OrderPlacing {
  /** Places an order in a shared transaction with others that came at the same time. */
  place(caller: Caller, input: OrderInput): Promise<Order>;
  drained(): Promise<void>;
}

interface Member {
  caller: Caller;
  request: OrderRequest;
  /** What the last try found to be held by others. */
  held: readonly string[];
  /** The customer's new choice, where the order changes it. */
  acceptsMarketing: boolean | null;
}

export interface PlacingDeps {
  db: Db;
  shops: ShopCache;
  suppressions: Suppressions;
  /** Called after a commit, to have the outbox emptied soon. */
  onPlaced: () => void;
}

export function createOrderPlacing(deps: PlacingDeps): OrderPlacing {
  const { db, shops, suppressions, onPlaced } = deps;
  const heldOrders = createHeldOrders();

  async function place(tx: Tx, companyId: number, members: Member[]): Promise<BatchWork<Order>> {
    const requests = members.map((member) => member.request);
    const { outcomes, shop, pending } = await placeOrders(tx, shops, companyId, requests);
    return {
      outcomes: outcomes.map(
        (outcome): Settled<Order> =>
          outcome.ok ? { ok: true, value: orderRecord(outcome.value, outcome.value.items, shop) } : outcome,
      ),
      pending,
    };
  }

  /** Waits for its twin with the same Idempotency-Key and for the customer whom it changes. Throws `Held`. */
  async function alone(member: Member): Promise<Order> {
    if (member.held.length > 0) throw new Held(member.held);
    const { caller, request, acceptsMarketing } = member;
    const { companyId } = caller;
    return write(db, caller, async (tx) => {
      // Before the stock, which nobody shall wait for meanwhile. An unknown customer is what placing refuses.
      if (acceptsMarketing !== null) {
        const patch = { accepts_marketing: acceptsMarketing };
        await changeCustomer(tx, suppressions, await shops.get(companyId), caller, request.customerId, patch);
      }
      const [held] = await lockWhatIsFree(tx, companyId, [member.request]);
      if (held!.length > 0) throw new Held(held!);
      const { outcomes, pending } = await place(tx, companyId, [member]);
      await Promise.all(pending);
      const outcome = outcomes[0]!;
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    });
  }

  async function placeSoon(tx: Tx, companyId: number, members: Member[]): Promise<BatchWork<Order>> {
    const [, work] = await Promise.all([waitShortly(tx), place(tx, companyId, members)]);
    return work;
  }

  /** Places those that need nothing which others hold. */
  function placeFree(companyId: number, members: Member[]) {
    const work = async (tx: Tx, fresh: Member[]): Promise<BatchWork<Order, null>> => {
      const held = await lockWhatIsFree(
        tx,
        companyId,
        fresh.map((member) => member.request),
      );
      for (const [i, member] of fresh.entries()) member.held = held[i]!;
      const free = fresh.filter((member) => member.held.length === 0);
      if (free.length === 0) return { outcomes: fresh.map(() => null), pending: [] };
      const { outcomes, pending } = await place(tx, companyId, free);
      const ofFree = new Map(free.map((member, i) => [member, outcomes[i]!]));
      return { outcomes: fresh.map((member) => ofFree.get(member) ?? null), pending };
    };
    for (const member of members) member.held = [];
    return runBatch(db, companyId, members, work, alone);
  }

  /** Those whose need became known as held while they waited for this batch go in line at once. */
  async function placeTogether(companyId: number, members: Member[]) {
    for (const member of members) member.held = heldOrders.heldOf(companyId, member.request);
    const free = members.filter((member) => member.held.length === 0);
    if (free.length === 0) return members.map(heldBack);
    const settled = await soonOrFree(
      () => runBatch(db, companyId, free, (tx, fresh) => placeSoon(tx, companyId, fresh), alone),
      () => placeFree(companyId, free),
    );
    const ofFree = new Map(free.map((member, i) => [member, settled[i]!]));
    return members.map((member) => ofFree.get(member) ?? heldBack(member));
  }

  /** Null where the order says nothing new. */
  async function changedChoice(companyId: number, input: OrderInput): Promise<boolean | null> {
    const { accepts_marketing: accepts, customer_id: id } = input;
    if (accepts === undefined) return null;
    const customer = (await findIdentities(db.points(companyId), companyId, [id])).get(id);
    return customer?.accepts_marketing === accepts ? null : accepts;
  }

  const batcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders',
    key: (member) => member.caller.companyId,
    run: placeTogether,
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    maxInFlightPerKey: MAX_PER_COMPANY,
  });

  const lineBatcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders-in-line',
    key: (member) => member.caller.companyId,
    run: placeFree,
    maxSize: MAX_BATCH,
    maxInFlight: 2,
    maxInFlightPerKey: 1,
  });

  return {
    async place(caller, input) {
      const acceptsMarketing = await changedChoice(caller.companyId, input);
      const member: Member = { caller, request: requestOf(caller, input), held: [], acceptsMarketing };
      // What locks a customer and a contact would hold up a batch.
      const isAlone = acceptsMarketing !== null;
      const order = await heldOrders.place(caller.companyId, member.request, {
        together: () => (isAlone ? alone(member) : batcher.submit(member)),
        inLine: () => (isAlone ? alone(member) : lineBatcher.submit(member)),
      });
      onPlaced();
      return order;
    },
    async drained() {
      await Promise.all([batcher.drained(), lineBatcher.drained()]);
    },
  };
}

function heldBack({ held }: Member): Settled<never> {
  return { ok: false, error: new Held(held) };
}

/** What placing is asked for, defaults filled in. */
export function requestOf(
  caller: Caller,
  input: Omit<OrderInput, 'external_id' | 'metadata'> & Partial<OrderInput>,
): OrderRequest {
  return {
    customerId: input.customer_id,
    items: input.items,
    address: {
      address: input.shipping_address,
      city: input.shipping_city,
      state: input.shipping_state ?? '',
      zip: input.shipping_zip,
      country: input.shipping_country ?? null,
    },
    promoCode: input.promo_code || null,
    redeemPoints: input.redeem_points ?? 0,
    shippingMethodId: input.shipping_method_id ?? null,
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
    subscription: null,
    actor: caller.actor,
    now: caller.now,
  };
}

/**
 * Places a set of orders inside the caller's transaction: reads and locks what they need in one turn, decides, and sends
 * everything that passed in a second, whose statements are `pending`. Every order comes through here, renewals too.
 */
export async function placeOrders(
  tx: Tx,
  shops: ShopCache,
  companyId: number,
  requests: readonly OrderRequest[],
): Promise<{ outcomes: Settled<reading.NewOrder>[]; shop: Shop; pending: Promise<unknown>[] }> {
  // The version behind the locks: an order that waited is taxed, shipped and rewarded as it is then.
  const [world, version] = await Promise.all([readWorld(tx, companyId, requests, true), versionIn(tx, companyId)]);
  const shop = await shops.at(tx, companyId, version);
  const { outcomes, placement } = decide(shop, world, requests);
  if (placement.orders.length === 0) return { outcomes, shop, pending: [] };
  const { customers } = world;
  const events = placement.orders.map((order) => placedEvent(order, customers.get(order.customer_id)!, shop));
  const pending: Promise<unknown>[] = [
    ...reading.insertOrders(tx, companyId, placement.orders),
    reading.takeStock(tx, companyId, placement.stockTaken),
    postLedger(tx, companyId, placement.ledger, requests[0]!.now, placement.ordersByCustomer),
    enqueue(tx, companyId, events),
  ];
  if (placement.promoUses.size > 0) pending.push(reading.usePromos(tx, companyId, placement.promoUses));
  // A caller whose other statements fail first never waits for these: they must not end the process as unheard.
  for (const one of pending) one.catch(() => {});
  return { outcomes, shop, pending };
}
