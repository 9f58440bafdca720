import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as lists from './service.ts';

export const listRoutes: Route[] = [
  route(contract.listLists, (_app, call) => lists.listLists(call.lists, call.caller.companyId, call.query), paged),
  route(contract.createList, (_app, call) => lists.createList(call.db, call.caller, call.body)),
  route(contract.getList, (_app, call) => lists.getList(call.db, call.caller.companyId, call.params.id)),
  route(contract.updateList, (_app, call) => lists.updateList(call.db, call.caller, call.params.id, call.body)),
  route(contract.deleteList, (_app, call) => lists.deleteList(call.db, call.caller, call.params.id)),
  route(contract.addMembers, (_app, call) => lists.addMembers(call.db, call.caller, call.params.id, call.body)),
  route(contract.removeMembers, (_app, call) => lists.removeMembers(call.db, call.caller, call.params.id, call.body)),
];
