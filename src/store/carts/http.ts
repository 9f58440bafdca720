import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StoreCartsService } from './service.ts';

export function storeCartRoutes({ storeCarts: carts }: { storeCarts: StoreCartsService }): Route[] {
  return [
    route(contract.createCart, (call) => carts.createCart(call, call.body)),
    route(contract.getCart, (call) => carts.getCart(call)),
    route(contract.updateCart, (call) => carts.updateCart(call, call.body, call.ifMatch)),
    route(contract.addCartLines, (call) => carts.addLines(call, call.body)),
    route(contract.updateCartLine, (call) => carts.updateLine(call, call.params.id, call.body)),
    route(contract.removeCartLine, (call) => carts.removeLine(call, call.params.id)),
    route(contract.payCart, (call) => carts.payCart(call, call.body)),
    route(contract.confirmCart, (call) => carts.confirmCart(call)),
    route(contract.reopenCart, (call) => carts.reopenCart(call)),
    route(contract.recoverCart, (call) => carts.recoverCart(call, call.body.token)),
  ];
}
