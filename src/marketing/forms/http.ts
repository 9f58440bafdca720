import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { FormsService } from './service.ts';

export function formRoutes({ forms }: { forms: FormsService }): Route[] {
  return [
    route(contract.listForms, (call) => forms.listForms(call.caller.companyId, call.query), paged),
    route(contract.createForm, (call) => forms.createForm(call.caller, call.body)),
    route(contract.getForm, (call) => forms.getForm(call.caller.companyId, call.params.id)),
    route(contract.updateForm, (call) => forms.updateForm(call.caller, call.params.id, call.body)),
    route(contract.formDays, (call) =>
      forms.days(call.caller.companyId, call.params.id, call.query.days ?? 30, call.caller.now),
    ),
    route(contract.deleteForm, (call) => forms.deleteForm(call.caller, call.params.id)),
  ];
}
