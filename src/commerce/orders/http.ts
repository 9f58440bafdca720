import type { Caller } from '../../caller.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import { requirePayments } from '../payments/received.ts';
import * as contract from './contract.ts';
import { calculateOrder } from './contract.ts';
import type { OrdersService } from './service.ts';

interface OrderRoutesDeps {
  orders: OrdersService;
  customFields: CustomFieldsService;
}

export function orderRoutes({ orders, customFields }: OrderRoutesDeps): Route[] {
  const columns = ({ caller }: { caller: Caller }) => customFields.customColumns(caller.companyId, ['order']);
  return [
    route(contract.createOrder, ({ caller, body, may }) => {
      requirePayments(body.payments, may);
      return orders.place(caller, body);
    }),
    route(calculateOrder, (call) => orders.calculate(call.caller, call.body)),
    route(contract.listOrders, (call) => orders.listOrders(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => orders.ordersInOrder(caller.companyId, query),
      columns,
    }),
    route(
      contract.listCustomerOrders,
      (call) => orders.listCustomerOrders(call.caller.companyId, call.params.id, call.query),
      paged,
      { columns },
    ),
    route(contract.getOrder, (call) => orders.getOrder(call.caller.companyId, call.params.id)),
    route(
      contract.getOrderHistory,
      (call) => orders.listHistory(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(contract.updateOrderStatus, (call) => orders.updateStatus(call.caller, call.params.id, call.body)),
    route(contract.validatePromo, (call) => orders.validatePromo(call.caller, call.body)),
  ];
}
