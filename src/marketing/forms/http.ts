import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as forms from './service.ts';

export const formRoutes: Route[] = [
  route(
    contract.listForms,
    (app, call) => forms.listForms({ ...app, db: call.lists }, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createForm, (app, call) => forms.createForm({ ...app, db: call.db }, call.caller, call.body)),
  route(contract.getForm, (app, call) => forms.getForm({ ...app, db: call.db }, call.caller.companyId, call.params.id)),
  route(contract.updateForm, (app, call) =>
    forms.updateForm({ ...app, db: call.db }, call.caller, call.params.id, call.body),
  ),
  route(contract.deleteForm, (app, call) => forms.deleteForm({ ...app, db: call.db }, call.caller, call.params.id)),
];
