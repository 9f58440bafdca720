import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SuppressionsService } from './service.ts';

export function suppressionRoutes({ suppressionList }: { suppressionList: SuppressionsService }): Route[] {
  return [
    route(
      contract.listSuppressions,
      (call) => suppressionList.listSuppressions(call.caller.companyId, call.query),
      paged,
      {
        behind: (call, place, limit) =>
          suppressionList.walkSuppressions(call.caller.companyId, call.query, place, limit),
      },
    ),
    route(contract.addSuppressions, (call) => suppressionList.addSuppressions(call.caller, call.body)),
    route(contract.liftSuppressions, (call) => suppressionList.liftSuppressions(call.caller, call.body)),
  ];
}
