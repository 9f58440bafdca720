import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ProductHistoryService } from './history.ts';
import * as history from './history-contract.ts';
import { listRelated } from './related/contract.ts';
import type { ProductsService } from './service.ts';

interface ProductRoutesDeps {
  products: ProductsService;
  productHistory: ProductHistoryService;
}

export function productRoutes({ products, productHistory }: ProductRoutesDeps): Route[] {
  return [
    route(contract.listProducts, (call) => products.listProducts(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => products.productsInOrder(caller.companyId, query),
    }),
    route(contract.getProduct, (call) => products.getProduct(call.caller.companyId, call.params.id)),
    route(listRelated, (call) => products.listRelated(call.caller.companyId, call.params.id, call.query), paged),
    route(contract.getInventory, (call) => products.getInventory(call.caller.companyId, call.params.id)),
    route(
      history.listPriceChanges,
      (call) => productHistory.listPriceChanges(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(
      history.listStockMovements,
      (call) => productHistory.listStockMovements(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(history.adjustStock, (call) => productHistory.adjustStock(call.caller, call.params.id, call.body)),
    route(contract.createProduct, (call) => products.createProduct(call.caller, call.body)),
    route(contract.updateProduct, (call) =>
      products.updateProduct(call.caller, call.params.id, call.body, call.ifMatch),
    ),
  ];
}
