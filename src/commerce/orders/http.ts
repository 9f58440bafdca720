import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as orders from './service.ts';

export const orderRoutes: Route[] = [
  route(contract.createOrder, (app, call) => app.orders.place(call.caller, call.body)),
  route(
    contract.listOrders,
    async (app, call) => orders.listOrders(call.lists, await app.shops.get(call.caller.companyId), call.query),
    paged,
  ),
  route(
    contract.listCustomerOrders,
    async (app, call) =>
      orders.listCustomerOrders(call.lists, await app.shops.get(call.caller.companyId), call.params.id, call.query),
    paged,
  ),
  route(contract.getOrder, async (app, call) =>
    orders.getOrder(call.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(
    contract.getOrderHistory,
    (_app, call) => orders.listHistory(call.lists, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.updateOrderStatus, (app, call) =>
    orders.updateStatus(call.db, app.shops, call.caller, call.params.id, call.body),
  ),
  route(contract.validatePromo, async (app, call) =>
    orders.validatePromo(call.db, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
];
