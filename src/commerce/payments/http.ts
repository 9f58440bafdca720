import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { OrderPayLinks } from './order-pay-link.ts';
import type { PaymentsService } from './service.ts';

interface PaymentRoutesDeps {
  payments: PaymentsService;
  orderPayLinks: OrderPayLinks;
}

export function paymentRoutes({ payments, orderPayLinks }: PaymentRoutesDeps): Route[] {
  return [
    route(contract.listPayments, ({ caller, query }) => payments.listPayments(caller.companyId, query), paged),
    route(contract.getPayment, ({ caller, params }) => payments.getPayment(caller.companyId, params.id)),
    route(contract.capturePayment, ({ caller, params, body }) => payments.capturePayment(caller, params.id, body)),
    route(contract.cancelPayment, ({ caller, params }) => payments.cancelPayment(caller, params.id)),
    route(
      contract.listOrderPayments,
      ({ caller, params, query }) => payments.listOrderPayments(caller.companyId, params.id, query),
      paged,
    ),
    route(contract.recordPayment, ({ caller, params, body }) => payments.recordMoney(caller, params.id, body)),
    route(contract.createOrderPayLink, ({ caller, params, body }) => orderPayLinks.linkOrder(caller, params.id, body)),
    route(contract.getLedger, ({ caller, params }) => payments.getLedger(caller.companyId, params.id)),
  ];
}
