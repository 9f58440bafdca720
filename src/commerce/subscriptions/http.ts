import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import * as contract from './contract.ts';
import type { SubscriptionsService } from './service.ts';

export function subscriptionRoutes({
  subscriptions,
  customFields,
  wake,
}: {
  subscriptions: SubscriptionsService;
  customFields: CustomFieldsService;
  wake: Wake;
}): Route[] {
  return [
    route(contract.listSubscriptions, (call) => subscriptions.listSubscriptions(call.caller, call.query), paged, {
      inOrder: ({ caller, query }) => subscriptions.subscriptionsInOrder(caller, query),
    }),
    route(contract.getCalendar, (call) => subscriptions.getCalendar(call.caller, call.query)),
    route(contract.getSubscription, (call) => subscriptions.getSubscription(call.caller.companyId, call.params.id)),
    route(contract.getUpcoming, (call) => subscriptions.getUpcoming(call.caller, call.params.id)),
    route(
      contract.listSubscriptionOrders,
      (call) => subscriptions.listOrders(call.caller.companyId, call.params.id, call.query),
      paged,
      { columns: ({ caller }) => customFields.customColumns(caller.companyId, ['order']) },
    ),
    route(
      contract.listSubscriptionHistory,
      (call) => subscriptions.listHistory(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(contract.createSubscription, async (call) => {
      const made = await subscriptions.createSubscription(call.caller, call.body);
      wake('renewals');
      return made;
    }),
    route(contract.updateSubscription, (call) =>
      subscriptions.updateSubscription(call.caller, call.params.id, call.body),
    ),
    route(contract.cancelSubscription, (call) =>
      subscriptions.cancelSubscription(call.caller, call.params.id, call.body.reason ?? null),
    ),
    route(contract.pauseSubscription, (call) =>
      subscriptions.pauseSubscription(call.caller, call.params.id, call.body.resume_on ?? null),
    ),
    route(contract.resumeSubscription, (call) => subscriptions.resumeSubscription(call.caller, call.params.id)),
    route(contract.skipSubscription, (call) => subscriptions.skipNext(call.caller, call.params.id)),
  ];
}
