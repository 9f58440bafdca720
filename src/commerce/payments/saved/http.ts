import { type Route, route } from '../../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { SavedMethodsService } from './service.ts';

export function savedMethodRoutes({ savedMethods }: { savedMethods: SavedMethodsService }): Route[] {
  return [
    route(contract.listSavedMethods, (call) => savedMethods.listSavedMethods(call.caller.companyId, call.params.id)),
    route(contract.removeSavedMethod, ({ caller, params }) =>
      savedMethods.removeSavedMethod(caller, params.id, params.method_id),
    ),
  ];
}
