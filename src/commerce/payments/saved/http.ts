import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SavedMethodsService } from './service.ts';

export function savedMethodRoutes({ savedMethods }: { savedMethods: SavedMethodsService }): Route[] {
  return [
    route(
      contract.listSavedMethods,
      ({ caller, params, query }) => savedMethods.pageOfSavedMethods(caller.companyId, params.id, query),
      paged,
    ),
    route(contract.removeSavedMethod, ({ caller, params }) =>
      savedMethods.removeSavedMethod(caller, params.id, params.method_id),
    ),
  ];
}
