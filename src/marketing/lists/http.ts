import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ListsService } from './service.ts';

export function listRoutes({ lists }: { lists: ListsService }): Route[] {
  return [
    route(contract.listLists, (call) => lists.listLists(call.caller.companyId, call.query), paged),
    route(contract.createList, (call) => lists.createList(call.caller, call.body)),
    route(contract.getList, (call) => lists.getList(call.caller.companyId, call.params.id)),
    route(contract.updateList, (call) => lists.updateList(call.caller, call.params.id, call.body)),
    route(contract.deleteList, (call) => lists.deleteList(call.caller, call.params.id)),
    route(contract.addMembers, (call) => lists.addMembers(call.caller, call.params.id, call.body)),
    route(contract.removeMembers, (call) => lists.removeMembers(call.caller, call.params.id, call.body)),
  ];
}
