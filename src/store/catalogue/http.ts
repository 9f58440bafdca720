import type { Facet } from '../../commerce/products/contract.ts';
import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { type Page, paged } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import * as contract from './contract.ts';
import type { CatalogueService } from './service.ts';

/** Presents a page of the list with its facets. */
function listed({
  facets,
  ...page
}: Page<contract.StoreProduct> & { facets?: Facet[] }): ApiResponse<contract.StoreProduct[] | RawJson[]> {
  return { ...paged(page), ...(facets === undefined ? {} : { meta: { facets } }) };
}

export function catalogueRoutes({ catalogue }: { catalogue: CatalogueService }): Route[] {
  return [
    route(contract.getShop, ({ caller }) => catalogue.getShop(caller.companyId)),
    route(contract.listProducts, ({ caller, query }) => catalogue.listProducts(caller.companyId, query), listed),
    route(contract.getProduct, ({ caller, params }) => catalogue.getProduct(caller.companyId, params.id)),
    route(
      contract.listRelated,
      ({ caller, params, query }) => catalogue.listRelated(caller.companyId, params.id, query),
      paged,
    ),
    route(contract.listCollections, ({ caller, query }) => catalogue.listCollections(caller.companyId, query), paged),
    route(contract.getCollection, ({ caller, params }) => catalogue.getCollection(caller.companyId, params.slug)),
    route(contract.listCategories, ({ caller, query }) => catalogue.listCategories(caller.companyId, query), paged),
    route(contract.suggest, ({ caller, query }) => catalogue.suggest(caller.companyId, query.q)),
  ];
}
