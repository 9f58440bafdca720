import type { Caller } from '../../../caller.ts';
import { createBatcher } from '../../../db/batching/batch.ts';
import type { Batcher, Settled } from '../../../db/batching/batcher.ts';
import { type BatchWork, runBatch } from '../../../db/batching/idempotent-batch.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { changeCustomer, findIdentities } from '../../customers/service.ts';
import type { ShopCache } from '../../shop.ts';
import { orderRecord } from '../record.ts';
import type { Order, OrderInput } from '../schemas.ts';
import { createContendedOrders } from './contended-orders.ts';
import { limitLockWait, lockAvailable, orSkipLocked, RowsLocked } from './lock-contention.ts';
import { type OrderRequest, orderRequestOf } from './order-request.ts';
import { placeOrders } from './place-orders.ts';

const MAX_BATCH = 64;
const MAX_IN_FLIGHT = 4;
/** Half of the batches, so that a company whose orders wait for a lock does not delay the others. */
const MAX_PER_COMPANY = 2;

export interface OrderPlacing {
  /** Places an order in one transaction with others that arrived at the same time. */
  place(caller: Caller, input: OrderInput): Promise<Order>;
  drained(): Promise<void>;
}

interface Member {
  caller: Caller;
  request: OrderRequest;
  /** The keys that the last attempt found locked by others. */
  lockedKeys: readonly string[];
  /** The customer's new marketing consent if the order changes it, otherwise null. */
  acceptsMarketing: boolean | null;
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

  /**
   * Places one order in a transaction of its own: one that changes its customer, or repeats an Idempotency-Key whose first request is still
   * running. Throws `RowsLocked`.
   */
  async function placeAlone(member: Member): Promise<Order> {
    if (member.lockedKeys.length > 0) throw new RowsLocked(member.lockedKeys);
    const { caller, request, acceptsMarketing } = member;
    const { companyId } = caller;
    return write(db, caller, async (tx) => {
      // Done before the stock is locked, so that no other order waits for it. Placing refuses an unknown customer.
      if (acceptsMarketing !== null) {
        const patch = { accepts_marketing: acceptsMarketing };
        await changeCustomer(tx, suppressions, await shops.get(companyId), caller, {
          id: request.customerId,
          patch,
        });
      }
      const [locked] = await lockAvailable(tx, companyId, [member.request]);
      if (locked!.length > 0) throw new RowsLocked(locked!);
      const { outcomes, pending } = await place(tx, companyId, [member]);
      await Promise.all(pending);
      const outcome = outcomes[0]!;
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    });
  }

  async function placeWaiting(tx: Tx, companyId: number, members: Member[]): Promise<BatchWork<Order>> {
    const [, work] = await Promise.all([limitLockWait(tx), place(tx, companyId, members)]);
    return work;
  }

  /** Places the orders whose rows no other transaction locks; sets `lockedKeys` of the others. */
  function placeUnlocked(companyId: number, members: Member[]) {
    const work = async (tx: Tx, fresh: Member[]): Promise<BatchWork<Order, null>> => {
      const locked = await lockAvailable(
        tx,
        companyId,
        fresh.map((member) => member.request),
      );
      for (const [i, member] of fresh.entries()) member.lockedKeys = locked[i]!;
      const unlocked = fresh.filter((member) => member.lockedKeys.length === 0);
      if (unlocked.length === 0) return { outcomes: fresh.map(() => null), pending: [] };
      const { outcomes, pending } = await place(tx, companyId, unlocked);
      const outcomeOf = new Map(unlocked.map((member, i) => [member, outcomes[i]!]));
      return { outcomes: fresh.map((member) => outcomeOf.get(member) ?? null), pending };
    };
    for (const member of members) member.lockedKeys = [];
    return runBatch(db, companyId, members, work, placeAlone);
  }

  /** Orders whose rows became known as locked while they waited for this batch are left out of it. */
  async function placeBatched(companyId: number, members: Member[]) {
    for (const member of members) member.lockedKeys = contendedOrders.lockedKeysOf(companyId, member.request);
    const unlocked = members.filter((member) => member.lockedKeys.length === 0);
    if (unlocked.length === 0) return members.map(leftOut);
    const settled = await orSkipLocked(
      () => runBatch(db, companyId, unlocked, (tx, fresh) => placeWaiting(tx, companyId, fresh), placeAlone),
      () => placeUnlocked(companyId, unlocked),
    );
    const outcomeOf = new Map(unlocked.map((member, i) => [member, settled[i]!]));
    return members.map((member) => outcomeOf.get(member) ?? leftOut(member));
  }

  /** Returns the customer's new consent; null if the order has none or the same. */
  async function changedChoice(companyId: number, input: OrderInput): Promise<boolean | null> {
    const { accepts_marketing: accepts, customer_id: id } = input;
    if (accepts === undefined) return null;
    const customer = (await findIdentities(db.points(companyId), companyId, [id])).get(id);
    return customer?.accepts_marketing === accepts ? null : accepts;
  }

  const batcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders',
    key: (member) => member.caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: placeBatched,
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    maxInFlightPerKey: MAX_PER_COMPANY,
  });

  const waitingBatcher: Batcher<Member, Order> = createBatcher<Member, Order>({
    name: 'orders-in-line',
    key: (member) => member.caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: placeUnlocked,
    maxSize: MAX_BATCH,
    maxInFlight: 2,
    maxInFlightPerKey: 1,
  });

  return {
    async place(caller, input) {
      const acceptsMarketing = await changedChoice(caller.companyId, input);
      const member: Member = { caller, request: orderRequestOf(caller, input), lockedKeys: [], acceptsMarketing };
      // A batch must not wait for the locks of a customer and a contact.
      const isAlone = acceptsMarketing !== null;
      const order = await contendedOrders.place(caller.companyId, member.request, {
        batched: () => (isAlone ? placeAlone(member) : batcher.submit(member)),
        waiting: () => (isAlone ? placeAlone(member) : waitingBatcher.submit(member)),
      });
      onPlaced();
      return order;
    },
    async drained() {
      await Promise.all([batcher.drained(), waitingBatcher.drained()]);
    },
  };
}

function leftOut({ lockedKeys }: Member): Settled<never> {
  return { ok: false, error: new RowsLocked(lockedKeys) };
}
