import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StoreOrdersService } from './service.ts';

export function storeOrderRoutes({ storeOrders: orders }: { storeOrders: StoreOrdersService }): Route[] {
  return [
    route(contract.getOrder, ({ caller, tokens }) => orders.getOrder(caller.companyId, tokens.order)),
    route(contract.payOrder, ({ caller, tokens, body }) => orders.payOrder(caller, tokens, body)),
    route(contract.lookUpOrder, ({ caller, body }) => orders.lookUpOrder(caller, body)),
  ];
}
