import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import * as forms from './service.ts';

export function formRoutes(deps: forms.FormDeps): Route[] {
  return [
    route(contract.listForms, (call) => forms.listForms(deps, call.caller.companyId, call.query), paged),
    route(contract.createForm, (call) => forms.createForm(deps, call.caller, call.body)),
    route(contract.getForm, (call) => forms.getForm(deps, call.caller.companyId, call.params.id)),
    route(contract.updateForm, (call) => forms.updateForm(deps, call.caller, call.params.id, call.body)),
    route(contract.deleteForm, (call) => forms.deleteForm(deps, call.caller, call.params.id)),
  ];
}
