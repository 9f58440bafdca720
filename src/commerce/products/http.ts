import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ProductsService } from './service.ts';

export function productRoutes({ products }: { products: ProductsService }): Route[] {
  return [
    route(contract.listProducts, (call) => products.listProducts(call.caller.companyId, call.query), paged),
    route(contract.getProduct, (call) => products.getProduct(call.caller.companyId, call.params.id)),
    route(contract.getInventory, (call) => products.getInventory(call.caller.companyId, call.params.id)),
    route(contract.createProduct, (call) => products.createProduct(call.caller, call.body)),
    route(contract.updateProduct, (call) => products.updateProduct(call.caller, call.params.id, call.body)),
  ];
}
