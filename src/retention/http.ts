import { type Route, route } from '../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { RetentionService } from './service.ts';

export function retentionRoutes({ retention }: { retention: RetentionService }): Route[] {
  return [
    route(contract.getRetentionSettings, (call) => retention.getRetentionSettings(call.caller.companyId)),
    route(contract.updateRetentionSettings, (call) => retention.updateRetentionSettings(call.caller, call.body)),
  ];
}
