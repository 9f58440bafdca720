import { type Route, route } from '../../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { PaymentAccountsService } from './service.ts';

export function paymentAccountRoutes({
  paymentAccounts: accounts,
}: {
  paymentAccounts: PaymentAccountsService;
}): Route[] {
  return [
    route(contract.listPaymentAccounts, ({ caller }) => accounts.listAccounts(caller.companyId)),
    route(contract.getPaymentAccount, ({ caller, params }) => accounts.getAccount(caller.companyId, params.id)),
    route(contract.createPaymentAccount, ({ caller, body }) => accounts.createAccount(caller, body)),
    route(contract.updatePaymentAccount, ({ caller, params, body }) => accounts.updateAccount(caller, params.id, body)),
    route(contract.deletePaymentAccount, ({ caller, params }) => accounts.deleteAccount(caller, params.id)),
    route(contract.checkPaymentAccount, ({ caller, params }) => accounts.checkAccount(caller, params.id)),
  ];
}
