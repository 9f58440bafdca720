import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as orders from './service.ts';

export const orderRoutes: Route[] = [
  route(contract.createOrder, (app, call) => app.orders.place(call.caller, call.body)),
  route(
    contract.listOrders,
    async (app, call) => orders.listOrders(app.db, await app.shops.get(call.caller.companyId), call.query),
    paged,
  ),
  route(
    contract.listCustomerOrders,
    async (app, call) =>
      orders.listCustomerOrders(app.db, await app.shops.get(call.caller.companyId), call.params.id, call.query),
    paged,
  ),
  route(contract.getOrder, async (app, call) =>
    orders.getOrder(app.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(
    contract.getOrderHistory,
    (app, call) => orders.listHistory(app.db, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.updateOrderStatus, (app, call) =>
    orders.updateStatus(app.db, app.shops, call.caller, call.params.id, call.body),
  ),
  route(contract.validatePromo, async (app, call) =>
    orders.validatePromo(app.db, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
];
