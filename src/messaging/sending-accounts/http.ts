import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SendingAccountsService } from './service.ts';

export function sendingAccountRoutes({
  sendingAccounts: accounts,
}: {
  sendingAccounts: SendingAccountsService;
}): Route[] {
  return [
    route(contract.listAccounts, (call) => accounts.listAccounts(call.caller.companyId, call.query), paged),
    route(contract.createAccount, (call) => accounts.createAccount(call.caller, call.body)),
    route(contract.getAccount, (call) => accounts.getAccount(call.caller.companyId, call.params.id)),
    route(contract.updateAccount, (call) => accounts.updateAccount(call.caller, call.params.id, call.body)),
    route(contract.deleteAccount, (call) => accounts.deleteAccount(call.caller, call.params.id)),
    route(contract.testAccount, (call) => accounts.testAccount(call.caller, call.params.id, call.body)),
  ];
}
