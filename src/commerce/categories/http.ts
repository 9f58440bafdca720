import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { CategoriesService } from './service.ts';

export function categoryRoutes({ categories }: { categories: CategoriesService }): Route[] {
  return [
    route(contract.listCategories, (call) => categories.listCategories(call.caller.companyId, call.query), paged),
    route(contract.getCategory, (call) => categories.getCategory(call.caller.companyId, call.params.slug)),
    route(contract.createCategory, (call) => categories.createCategory(call.caller, call.body)),
    route(contract.updateCategory, (call) =>
      categories.updateCategory(call.caller, call.params.slug, call.body, call.ifMatch),
    ),
    route(contract.deleteCategory, (call) => categories.deleteCategory(call.caller, call.params.slug)),
  ];
}
