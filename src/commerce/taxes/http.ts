import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as taxes from './service.ts';

export const taxRoutes: Route[] = [
  route(
    contract.listTaxRules,
    (_app, call) => taxes.listTaxRules(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.getTaxRule, (_app, call) => taxes.getTaxRule(call.db, call.caller.companyId, call.params.id)),
  route(contract.createTaxRule, (app, call) => taxes.createTaxRule(app, call.caller, call.body)),
  route(contract.updateTaxRule, (app, call) => taxes.updateTaxRule(app, call.caller, call.params.id, call.body)),
  route(contract.deleteTaxRule, (app, call) => taxes.deleteTaxRule(app, call.caller, call.params.id)),
];
