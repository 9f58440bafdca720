import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SendingDomainsService } from './service.ts';

export function sendingDomainRoutes({ sendingDomains: domains }: { sendingDomains: SendingDomainsService }): Route[] {
  return [
    route(contract.listDomains, (call) => domains.listDomains(call.caller.companyId, call.query), paged),
    route(contract.createDomain, (call) => domains.createDomain(call.caller, call.body)),
    route(contract.getDomain, (call) => domains.getDomain(call.caller.companyId, call.params.id)),
    route(contract.updateDomain, (call) => domains.updateDomain(call.caller, call.params.id, call.body)),
    route(contract.previewWarmUp, (call) => domains.previewWarmUp(call.body)),
    route(contract.checkDomain, (call) => domains.checkDomain(call.caller, call.params.id)),
    route(contract.deleteDomain, (call) => domains.deleteDomain(call.caller, call.params.id)),
  ];
}
