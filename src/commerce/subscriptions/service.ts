import type { Caller } from '../../caller.ts';
import type { Db } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { type Page, type PageQuery, pageOf, partOf } from '../../lib/paging.ts';
import { sortOf } from '../../lib/sorting.ts';
import type { Order } from '../orders/contract.ts';
import { listOrdersOfSubscription } from '../orders/service.ts';
import type { Shop, ShopCache } from '../shop.ts';
import { getCalendar, listRenewing } from './calendar/service.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription, skipNext, updateSubscription } from './changes.ts';
import type {
  Calendar,
  CalendarQuery,
  HistoryEntry,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
  SubscriptionQuery,
  Upcoming,
} from './contract.ts';
import { listSubscriptions, walkSubscriptions } from './list-queries.ts';
import * as queries from './queries.ts';
import { subscriptionRecord } from './record.ts';
import { createSubscription } from './sign-up.ts';
import { getUpcoming } from './upcoming.ts';

/** With the rows as objects, so that the store shows fewer fields of them. */
export type SubscriptionPage = Page<Subscription> & { rows: Subscription[] };

export { cancelOfErased } from './changes.ts';
export { subscriptionsOfCustomer } from './export.ts';
export { lockSubscriptionsOf, moveSubscriptions } from './queries.ts';
export const rescheduleSubscriptions = queries.rescheduleSubscriptions;

export type SubscriptionsService = ReturnType<typeof createSubscriptionsService>;

/** Subscriptions: sign-up, changes, lists and the next order. The worker in renewal/ places their orders. */
export function createSubscriptionsService({ db, shops }: { db: Db; shops: ShopCache }) {
  const filtersOf = async (shop: Shop, now: Date, { customer_id, status, renews_on, sort }: SubscriptionQuery) => ({
    customerId: customer_id ?? null,
    status: status ?? null,
    ids: renews_on === undefined ? null : await listRenewing(db, shop, now, renews_on),
    sort: sortOf(sort),
  });
  return {
    /** Ordered by `sort`. Throws bad_request. */
    async listSubscriptions(
      { companyId, now }: Pick<Caller, 'companyId' | 'now'>,
      query: SubscriptionQuery,
    ): Promise<SubscriptionPage> {
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const filters = await filtersOf(shop, now, query);
      const { rows, total } = await listSubscriptions(db.lists(companyId), companyId, filters, page);
      return { rows: rows.map((row) => subscriptionRecord(row, shop)), total, ...page };
    },

    /** Yields the whole list, in pages. */
    async *subscriptionsInOrder(
      { companyId, now }: Pick<Caller, 'companyId' | 'now'>,
      query: SubscriptionQuery,
    ): AsyncGenerator<Page<Subscription>> {
      const shop = await shops.get(companyId);
      const filters = await filtersOf(shop, now, query);
      for await (const rows of walkSubscriptions(db.lists(companyId), companyId, filters))
        yield partOf(rows.map((row) => subscriptionRecord(row, shop)));
    },

    /** Returns what will be ordered on each day. Throws bad_request. */
    async getCalendar({ companyId, now }: Caller, query: CalendarQuery): Promise<Calendar> {
      return getCalendar(db, await shops.get(companyId), now, query);
    },

    /** Throws not_found. */
    async getSubscription(companyId: number, id: number): Promise<Subscription> {
      const shop = await shops.get(companyId);
      return subscriptionRecord(
        found(await queries.findSubscription(db.points(companyId), companyId, id), 'subscription'),
        shop,
      );
    },

    /** Returns the next order as it would be placed now. Throws not_found, no_upcoming_order. */
    async getUpcoming(caller: Caller, id: number): Promise<Upcoming> {
      return getUpcoming(db.points(caller.companyId), await shops.get(caller.companyId), caller, id);
    },

    /** The orders of the subscription's renewals. Throws not_found. */
    async listOrders(companyId: number, id: number, query: PageQuery): Promise<Page<Order>> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      found(await queries.findSubscription(lane, companyId, id), 'subscription');
      return listOrdersOfSubscription(lane, shop, id, query);
    },

    /** Returns the subscription's history, oldest first. Throws not_found. */
    async listHistory(companyId: number, id: number, query: PageQuery): Promise<Page<HistoryEntry>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countHistory(lane, companyId, id),
        queries.listHistory(lane, companyId, id, page),
      ]);
      if (total === 0) found(await queries.findSubscription(lane, companyId, id), 'subscription');
      return { rows: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), total, ...page };
    },

    createSubscription: async (caller: Caller, input: SubscriptionInput) =>
      createSubscription(db, await shops.get(caller.companyId), caller, input),
    updateSubscription: async (caller: Caller, id: number, patch: SubscriptionPatch) =>
      updateSubscription(db, await shops.get(caller.companyId), caller, id, patch),
    cancelSubscription: async (caller: Caller, id: number, reason: string | null) =>
      cancelSubscription(db, await shops.get(caller.companyId), caller, id, reason),
    pauseSubscription: async (caller: Caller, id: number, resumeOn: string | null) =>
      pauseSubscription(db, await shops.get(caller.companyId), caller, id, resumeOn),
    resumeSubscription: async (caller: Caller, id: number) =>
      resumeSubscription(db, await shops.get(caller.companyId), caller, id),
    skipNext: async (caller: Caller, id: number) => skipNext(db, await shops.get(caller.companyId), caller, id),
  };
}
