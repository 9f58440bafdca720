import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { TaxesService } from './service.ts';

export function taxRoutes({ taxes }: { taxes: TaxesService }): Route[] {
  return [
    route(contract.listTaxRules, (call) => taxes.listTaxRules(call.caller.companyId, call.query), paged),
    route(contract.getTaxRule, (call) => taxes.getTaxRule(call.caller.companyId, call.params.id)),
    route(contract.createTaxRule, (call) => taxes.createTaxRule(call.caller, call.body)),
    route(contract.updateTaxRule, (call) => taxes.updateTaxRule(call.caller, call.params.id, call.body)),
    route(contract.deleteTaxRule, (call) => taxes.deleteTaxRule(call.caller, call.params.id)),
  ];
}
