import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StoreCartsService } from './service.ts';

export function storeCartRoutes({ storeCarts: carts }: { storeCarts: StoreCartsService }): Route[] {
  return [
    route(contract.createCart, ({ caller, body }) => carts.createCart(caller, body)),
    route(contract.getCart, ({ caller, tokens }) => carts.getCart(caller, tokens.cart)),
    route(contract.updateCart, ({ caller, tokens, body, ifMatch }) =>
      carts.updateCart(caller, tokens.cart, body, ifMatch),
    ),
    route(contract.addCartLines, ({ caller, tokens, body }) => carts.addLines(caller, tokens.cart, body)),
    route(contract.updateCartLine, ({ caller, tokens, params, body }) =>
      carts.updateLine(caller, tokens.cart, params.id, body),
    ),
    route(contract.removeCartLine, ({ caller, tokens, params }) => carts.removeLine(caller, tokens.cart, params.id)),
    route(contract.payCart, ({ caller, tokens, body }) => carts.payCart(caller, tokens.cart, body)),
    route(contract.confirmCart, ({ caller, tokens }) => carts.confirmCart(caller, tokens.cart)),
    route(contract.reopenCart, ({ caller, tokens }) => carts.reopenCart(caller, tokens.cart)),
  ];
}
