import { type Route, route } from '../http/api/endpoint.ts';
import { paged } from '../lib/paging.ts';
import * as contract from './contract.ts';
import type { RequestLogService } from './service.ts';

export function requestLogRoutes({ requestLog }: { requestLog: RequestLogService }): Route[] {
  return [
    route(contract.listRequests, (call) => requestLog.listRequests(call.caller.companyId, call.query), paged, {
      behind: (call, place, limit) => requestLog.walkRequests(call.caller.companyId, call.query, place, limit),
    }),
  ];
}
