import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { LoyaltyService } from './service.ts';

export function loyaltyRoutes({ loyalty }: { loyalty: LoyaltyService }): Route[] {
  return [
    route(contract.getBalance, (call) => loyalty.getBalance(call.caller.companyId, call.params.id)),
    route(contract.listLedger, (call) => loyalty.listLedger(call.caller.companyId, call.params.id, call.query), paged),
    route(contract.adjustBalance, (call) => loyalty.adjustBalance(call.caller, call.params.id, call.body)),
    route(contract.getProgram, (call) => loyalty.getProgram(call.caller.companyId)),
    route(contract.updateProgram, (call) => loyalty.updateProgram(call.caller, call.body)),
  ];
}
