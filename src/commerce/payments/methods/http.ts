import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { PaymentMethodsService } from './service.ts';

export function paymentMethodRoutes({ paymentMethods: methods }: { paymentMethods: PaymentMethodsService }): Route[] {
  return [
    route(contract.listPaymentMethods, (call) => methods.listMethods(call.caller.companyId, call.query), paged),
    route(contract.getPaymentMethod, (call) => methods.getMethod(call.caller.companyId, call.params.id)),
    route(contract.createPaymentMethod, (call) => methods.createMethod(call.caller, call.body)),
    route(contract.updatePaymentMethod, (call) => methods.updateMethod(call.caller, call.params.id, call.body)),
  ];
}
