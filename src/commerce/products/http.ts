import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as products from './service.ts';

export const productRoutes: Route[] = [
  route(
    contract.listProducts,
    async (app, call) => products.listProducts(call.lists, await app.shops.get(call.caller.companyId), call.query),
    paged,
  ),
  route(contract.getProduct, async (app, call) =>
    app.products.get(await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(contract.getInventory, (_app, call) => products.getInventory(call.db, call.caller.companyId, call.params.id)),
  route(contract.createProduct, async (app, call) =>
    products.createProduct(call.db, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
  route(contract.updateProduct, async (app, call) =>
    products.updateProduct(call.db, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
];
