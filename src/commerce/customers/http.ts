import type { ErasureService } from '../../erasure/service.ts';
import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import type { CustomerAccountsService } from './accounts/service.ts';
import * as contract from './contract.ts';
import type { CustomerExports } from './export/service.ts';
import type { CustomerMerges } from './merge/service.ts';
import type { CustomersService } from './service.ts';

export interface CustomerRoutesDeps {
  customers: CustomersService;
  customerExports: CustomerExports;
  customerMerges: CustomerMerges;
  customerAccounts: CustomerAccountsService;
  erasures: ErasureService;
  customFields: CustomFieldsService;
}

export function customerRoutes({
  customers,
  customerExports: exports,
  customerMerges: merges,
  customerAccounts: accounts,
  erasures,
  customFields,
}: CustomerRoutesDeps): Route[] {
  return [
    route(contract.listCustomers, (call) => customers.listCustomers(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => customers.customersInOrder(caller.companyId, query),
      columns: ({ caller }) => customFields.customColumns(caller.companyId, ['customer']),
    }),
    route(contract.getCustomer, (call) => customers.getCustomer(call.caller.companyId, call.params.id)),
    route(contract.getCustomerFigures, (call) => customers.getFigures(call.caller.companyId, call.params.id)),
    route(contract.createCustomer, (call) => customers.createCustomer(call.caller, call.body)),
    route(contract.updateCustomer, (call) =>
      customers.updateCustomer(call.caller, call.params.id, call.body, call.ifMatch),
    ),
    route(contract.deleteCustomer, (call) => erasures.eraseCustomer(call.caller, call.params.id)),
    route(contract.mergeCustomer, (call) => merges.mergeCustomers(call.caller, call.params.id, call.body)),
    route(contract.exportCustomer, (call) => exports.exportCustomer(call.caller.companyId, call.params.id, call.may)),
    route(contract.setPassword, (call) => customers.setPassword(call.caller, call.params.id, call.body.password)),
    route(contract.verifyPassword, (call) => customers.verifyPassword(call.caller, call.params.id, call.body.password)),
    route(contract.getCustomerAccount, (call) => accounts.getAccount(call.caller, call.params.id)),
    route(contract.inviteCustomer, (call) => accounts.inviteCustomer(call.caller, call.params.id)),
    route(contract.closeAccount, (call) => accounts.closeAccount(call.caller, call.params.id)),
    route(contract.endCustomerSessions, (call) => accounts.endCustomerSessions(call.caller, call.params.id)),
  ];
}
