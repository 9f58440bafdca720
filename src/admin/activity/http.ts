import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ActivityService } from './service.ts';

export function activityRoutes({ activity }: { activity: ActivityService }): Route[] {
  return [
    route(contract.getCustomerContact, ({ caller, params }) => activity.getContact(caller.companyId, params.id)),
    route(contract.getContactCustomer, ({ caller, params }) => activity.getCustomer(caller.companyId, params.id)),
    route(contract.getCustomerNames, ({ caller, query }) => activity.getCustomerNames(caller.companyId, query.ids)),
    route(
      contract.listCustomerMessages,
      ({ caller, params, query }) => activity.listMessages(caller.companyId, params.id, query),
      paged,
    ),
    route(contract.getOrderTimeline, ({ caller, params, visitor }) =>
      activity.getOrderTimeline(caller.companyId, params.id, visitor.session),
    ),
  ];
}
