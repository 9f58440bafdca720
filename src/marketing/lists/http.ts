import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as lists from './service.ts';

export const listRoutes: Route[] = [
  route(contract.listLists, (app, call) => lists.listLists(app.db, call.caller.companyId, call.query), paged),
  route(contract.createList, (app, call) => lists.createList(app.db, call.caller, call.body)),
  route(contract.getList, (app, call) => lists.getList(app.db, call.caller.companyId, call.params.id)),
  route(contract.updateList, (app, call) => lists.updateList(app.db, call.caller, call.params.id, call.body)),
  route(contract.deleteList, (app, call) => lists.deleteList(app.db, call.caller, call.params.id)),
  route(contract.addMembers, (app, call) => lists.addMembers(app.db, call.caller, call.params.id, call.body)),
  route(contract.removeMembers, (app, call) => lists.removeMembers(app.db, call.caller, call.params.id, call.body)),
];
