import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as taxes from './service.ts';

export const taxRoutes: Route[] = [
  route(contract.listTaxRules, (app, call) => taxes.listTaxRules(app.db, call.caller.companyId, call.query), paged),
  route(contract.getTaxRule, (app, call) => taxes.getTaxRule(app.db, call.caller.companyId, call.params.id)),
  route(contract.createTaxRule, (app, call) => taxes.createTaxRule(app, call.caller, call.body)),
  route(contract.updateTaxRule, (app, call) => taxes.updateTaxRule(app, call.caller, call.params.id, call.body)),
  route(contract.deleteTaxRule, (app, call) => taxes.deleteTaxRule(app, call.caller, call.params.id)),
];
