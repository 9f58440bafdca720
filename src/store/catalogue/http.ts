import type { Caller } from '../../caller.ts';
import type { Facet } from '../../commerce/products/contract.ts';
import { type ApiResponse, type Route, route } from '../../http/api/endpoint.ts';
import { type Page, paged } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import * as contract from './contract.ts';
import type { CatalogueService, Visited } from './service.ts';

/** Presents a page of the list with its facets. */
function listed({
  facets,
  ...page
}: Page<contract.StoreProduct> & { facets?: Facet[] }): ApiResponse<contract.StoreProduct[] | RawJson[]> {
  return { ...paged(page), ...(facets === undefined ? {} : { meta: { facets } }) };
}

function visitedIn({ caller, locationId }: { caller: Caller; locationId: number | null }): Visited {
  return { companyId: caller.companyId, locationId };
}

export function catalogueRoutes({ catalogue }: { catalogue: CatalogueService }): Route[] {
  return [
    route(contract.getShop, ({ caller }) => catalogue.getShop(caller.companyId)),
    route(contract.listProducts, (call) => catalogue.listProducts(visitedIn(call), call.query), listed),
    route(contract.getProduct, (call) => catalogue.getProduct(visitedIn(call), call.params.id)),
    route(contract.listRelated, (call) => catalogue.listRelated(visitedIn(call), call.params.id, call.query), paged),
    route(contract.listCollections, ({ caller, query }) => catalogue.listCollections(caller.companyId, query), paged),
    route(contract.getCollection, ({ caller, params }) => catalogue.getCollection(caller.companyId, params.slug)),
    route(contract.listCategories, ({ caller, query }) => catalogue.listCategories(caller.companyId, query), paged),
    route(contract.suggest, (call) => catalogue.suggest(visitedIn(call), call.query.q)),
  ];
}
