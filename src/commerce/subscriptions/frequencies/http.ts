import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { FrequenciesService } from './service.ts';

export function frequencyRoutes({ frequencies }: { frequencies: FrequenciesService }): Route[] {
  return [
    route(contract.listFrequencies, (call) => frequencies.listFrequencies(call.caller.companyId, call.query), paged),
    route(contract.getFrequency, (call) => frequencies.getFrequency(call.caller.companyId, call.params.id)),
    route(contract.createFrequency, (call) => frequencies.createFrequency(call.caller, call.body)),
    route(contract.updateFrequency, (call) => frequencies.updateFrequency(call.caller, call.params.id, call.body)),
    route(contract.deleteFrequency, (call) => frequencies.deleteFrequency(call.caller, call.params.id)),
  ];
}
