import type { App } from '../../app.ts';
import { paged, type Route, route } from '../../http/endpoint.ts';
import type { Shop } from '../shop.ts';
import * as contract from './contract.ts';
import * as subscriptions from './service.ts';

function shopOf(app: App, call: { caller: { companyId: number } }): Promise<Shop> {
  return app.shops.get(call.caller.companyId);
}

export const subscriptionRoutes: Route[] = [
  route(
    contract.listFrequencies,
    (_app, call) => subscriptions.listFrequencies(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(
    contract.listSubscriptions,
    async (app, call) => subscriptions.listSubscriptions(call.lists, await shopOf(app, call), call.query),
    paged,
  ),
  route(contract.getSubscription, async (app, call) =>
    subscriptions.getSubscription(call.db, await shopOf(app, call), call.params.id),
  ),
  route(contract.getUpcoming, async (app, call) =>
    subscriptions.getUpcoming(call.db, await shopOf(app, call), call.caller, call.params.id),
  ),
  route(
    contract.listSubscriptionOrders,
    async (app, call) => subscriptions.listOrders(call.lists, await shopOf(app, call), call.params.id, call.query),
    paged,
  ),
  route(
    contract.listSubscriptionHistory,
    (_app, call) => subscriptions.listHistory(call.lists, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.createSubscription, async (app, call) => {
    const made = await subscriptions.createSubscription(call.db, await shopOf(app, call), call.caller, call.body);
    app.wake('renewals');
    return made;
  }),
  route(contract.updateSubscription, async (app, call) =>
    subscriptions.updateSubscription(call.db, await shopOf(app, call), call.caller, call.params.id, call.body),
  ),
  route(contract.cancelSubscription, async (app, call) =>
    subscriptions.cancelSubscription(
      call.db,
      await shopOf(app, call),
      call.caller,
      call.params.id,
      call.body.reason ?? null,
    ),
  ),
  route(contract.pauseSubscription, async (app, call) =>
    subscriptions.pauseSubscription(
      call.db,
      await shopOf(app, call),
      call.caller,
      call.params.id,
      call.body.resume_on ?? null,
    ),
  ),
  route(contract.resumeSubscription, async (app, call) =>
    subscriptions.resumeSubscription(call.db, await shopOf(app, call), call.caller, call.params.id),
  ),
  route(contract.skipSubscription, async (app, call) =>
    subscriptions.skipNext(call.db, await shopOf(app, call), call.caller, call.params.id),
  ),
];
