import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import type { RefusalsService } from './service.ts';

export function outboxRefusalRoutes({ refusals, wake }: { refusals: RefusalsService; wake: Wake }): Route[] {
  return [
    route(contract.listRefusals, (call) => refusals.listRefusals(call.caller.companyId, call.query), paged),
    route(contract.replayRefusal, async (call) => {
      const replayed = await refusals.replayRefusal(call.caller, call.params.id);
      wake('outbox');
      return replayed;
    }),
    route(contract.replayRefusals, async (call) => {
      const replayed = await refusals.replayRefusals(call.caller);
      wake('outbox');
      return replayed;
    }),
    route(contract.discardRefusal, (call) => refusals.discardRefusal(call.caller, call.params.id)),
  ];
}
