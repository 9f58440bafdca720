import type { CustomerAccountsService } from '../../commerce/customers/accounts/service.ts';
import type { Subscription } from '../../commerce/subscriptions/contract.ts';
import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { shownOrder } from '../orders/shown.ts';
import * as contract from './contract.ts';
import { type OwnDataService, shownCustomer, shownSession, shownSubscription } from './service.ts';

const customer = (json: RawJson): ApiResponse<contract.StoreCustomer> => ({ data: shownCustomer(json) });
const subscription = (own: Subscription): ApiResponse<contract.StoreSubscription> => ({ data: shownSubscription(own) });

export function accountRoutes({
  customerAccounts: accounts,
  ownData: own,
}: {
  customerAccounts: CustomerAccountsService;
  ownData: OwnDataService;
}): Route[] {
  return [
    route(contract.register, (call) => accounts.register(call.caller, call.body, call.from.address)),
    route(contract.sendCode, (call) => accounts.sendCode(call.caller, call.body.email, call.from.address)),
    route(
      contract.verify,
      (call) => accounts.verify(call.caller, call.body, call.tokens.cart),
      (session) => ({ data: shownSession(session) }),
    ),
    route(
      contract.login,
      (call) => accounts.login(call.caller, call.body, call.tokens.cart),
      (session) => ({ data: shownSession(session) }),
    ),
    route(contract.logout, (call) => own.logout(call)),
    route(contract.getMe, (call) => own.getMe(call), customer),
    route(contract.updateMe, (call) => own.updateMe(call, call.body), customer),
    route(contract.deleteMe, (call) => own.deleteMe(call, call.body.code)),
    route(contract.sendOwnCode, (call) => own.sendCode(call, call.body)),
    route(contract.changePassword, (call) => own.changePassword(call, call.body), customer),
    route(contract.listSessions, (call) => own.listSessions(call)),
    route(contract.endSession, (call) => own.endSession(call, call.params.id)),
    route(contract.listAddresses, (call) => own.listAddresses(call)),
    route(contract.addAddress, (call) => own.addAddress(call, call.body)),
    route(contract.updateAddress, (call) => own.updateAddress(call, call.params.id, call.body)),
    route(contract.removeAddress, (call) => own.removeAddress(call, call.params.id)),
    route(contract.getConsent, (call) => own.getMe(call), customer),
    route(contract.updateConsent, (call) => own.setConsent(call, call.body.accepts_marketing), customer),
    route(contract.exportMe, (call) => own.exportMe(call)),
    route(
      contract.listOrders,
      (call) => own.listOrders(call, call.query),
      (page) => paged({ ...page, rows: page.rows.map(shownOrder) }),
    ),
    route(
      contract.getOrder,
      (call) => own.getOrder(call, call.params.id),
      (order) => ({ data: shownOrder(order) }),
    ),
    route(contract.getLoyalty, (call) => own.getLoyalty(call)),
    route(contract.listSavedMethods, (call) => own.listSavedMethods(call)),
    route(contract.removeSavedMethod, (call) => own.removeSavedMethod(call, call.params.id)),
    route(
      contract.listSubscriptions,
      (call) => own.listSubscriptions(call, call.query),
      (page) => paged({ ...page, rows: page.rows.map(shownSubscription) }),
    ),
    route(contract.getSubscription, (call) => own.getSubscription(call, call.params.id), subscription),
    route(contract.updateSubscription, (call) => own.updateSubscription(call, call.params.id, call.body), subscription),
    route(
      contract.pauseSubscription,
      (call) => own.pauseSubscription(call, call.params.id, call.body.resume_on ?? null),
      subscription,
    ),
    route(contract.resumeSubscription, (call) => own.resumeSubscription(call, call.params.id), subscription),
    route(contract.skipSubscription, (call) => own.skipSubscription(call, call.params.id), subscription),
    route(
      contract.cancelSubscription,
      (call) => own.cancelSubscription(call, call.params.id, call.body.reason ?? null),
      subscription,
    ),
  ];
}
