import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { type Page, paged } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import * as contract from './contract.ts';
import type { ProductHistoryService } from './history.ts';
import * as history from './history-contract.ts';
import { listRelated } from './related/contract.ts';
import type { ProductsService } from './service.ts';
import * as variantContract from './variants/contract.ts';
import type { VariantsService } from './variants/variants.ts';

interface ProductRoutesDeps {
  products: ProductsService;
  productHistory: ProductHistoryService;
  variants: VariantsService;
  customFields: CustomFieldsService;
}

/** Presents a page of the list with its facets. */
function listed({ facets, ...page }: Page & { facets?: contract.Facet[] }): ApiResponse<RawJson[]> {
  return { ...paged(page), ...(facets === undefined ? {} : { meta: { facets } }) };
}

export function productRoutes({ products, productHistory, variants, customFields }: ProductRoutesDeps): Route[] {
  return [
    route(contract.listProducts, (call) => products.listProducts(call.caller.companyId, call.query), listed, {
      inOrder: ({ caller, query }) => products.productsInOrder(caller.companyId, query),
      columns: ({ caller, query }) =>
        customFields.customColumns(
          caller.companyId,
          query.include === 'variants' ? ['product', 'variant'] : ['product'],
        ),
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
    route(
      variantContract.listVariants,
      (call) => variants.listVariants(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(variantContract.createVariants, (call) => variants.createVariants(call.caller, call.params.id, call.body)),
    route(
      variantContract.generateVariants,
      (call) => variants.generateVariants(call.caller, call.params.id, call.body),
      ({ products: data, created }) => ({ data, status: created ? 201 : 200 }),
    ),
    route(variantContract.setOptions, (call) => variants.setOptions(call.caller, call.params.id, call.body)),
    route(variantContract.groupProducts, (call) => variants.group(call.caller, call.body)),
    route(variantContract.ungroupProduct, (call) => variants.ungroup(call.caller, call.params.id)),
    route(variantContract.updateProducts, (call) => variants.updateProducts(call.caller, call.body)),
    route(contract.updateProduct, (call) =>
      products.updateProduct(call.caller, call.params.id, call.body, call.ifMatch),
    ),
  ];
}
