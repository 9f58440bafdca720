import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import { requireCharge, requirePayments } from '../payments/received.ts';
import type { CheckoutService } from './checkout.ts';
import * as contract from './contract.ts';
import type { PayLinksService } from './pay-link.ts';
import type { CartsService } from './service.ts';

interface CartRoutesDeps {
  carts: CartsService;
  checkout: CheckoutService;
  payLinks: PayLinksService;
  customFields: CustomFieldsService;
}

export function cartRoutes({ carts, checkout, payLinks, customFields }: CartRoutesDeps): Route[] {
  return [
    route(contract.listCarts, (call) => carts.listCarts(call.caller, call.query), paged, {
      columns: ({ caller }) => customFields.customColumns(caller.companyId, ['order']),
    }),
    route(contract.createCart, (call) => carts.createCart(call.caller, call.body)),
    route(contract.getCart, (call) => carts.getCart(call.caller, call.params.id)),
    route(contract.updateCart, (call) => carts.updateCart(call.caller, call.params.id, call.body, call.ifMatch)),
    route(contract.cancelCart, (call) => carts.cancelCart(call.caller, call.params.id)),
    route(contract.addCartLines, (call) => carts.addLines(call.caller, call.params.id, call.body)),
    route(contract.updateCartLine, (call) => carts.updateLine(call.caller, call.params, call.body, call.ifMatch)),
    route(contract.removeCartLine, (call) => carts.removeLine(call.caller, call.params)),
    route(contract.payCart, ({ caller, params, body, may }) => {
      requireCharge(body.saved_method_id, may);
      return checkout.payCart(caller, params.id, body, { isStaff: true });
    }),
    route(contract.confirmCart, (call) => checkout.confirmCart(call.caller, call.params.id)),
    route(contract.reopenCart, (call) => checkout.reopenCart(call.caller, call.params.id)),
    route(contract.placeCart, ({ caller, params, body, may }) => {
      const { payments = [] } = body;
      return checkout.placeCart(caller, params.id, requirePayments(payments, may));
    }),
    route(contract.createCartPayLink, (call) => payLinks.linkCart(call.caller, call.params.id, call.body)),
  ];
}
