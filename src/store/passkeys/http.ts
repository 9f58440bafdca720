import type { CustomerAccountsService } from '../../commerce/customers/accounts/service.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { type OwnDataService, shownSession } from '../accounts/service.ts';
import * as contract from './contract.ts';

export function storePasskeyRoutes({
  customerAccounts: accounts,
  ownData: own,
}: {
  customerAccounts: CustomerAccountsService;
  ownData: OwnDataService;
}): Route[] {
  return [
    route(contract.beginPasskeySignIn, (call) => accounts.beginPasskeySignIn(call.caller, call.from.origin)),
    route(
      contract.signInByPasskey,
      (call) => accounts.signInByPasskey(call.caller, call.body.credential, call.from.origin, call.tokens.cart),
      (session) => ({ data: shownSession(session) }),
    ),
    route(contract.listPasskeys, (call) => own.listPasskeys(call)),
    route(contract.beginPasskey, (call) => own.beginPasskey(call)),
    route(contract.addPasskey, (call) => own.addPasskey(call, call.body)),
    route(contract.removePasskey, (call) => own.removePasskey(call, call.params.id)),
  ];
}
