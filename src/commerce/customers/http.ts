import { eraseCustomer } from '../../erasure/service.ts';
import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import { exportCustomer } from './export/export.ts';
import * as customers from './service.ts';

export const customerRoutes: Route[] = [
  route(
    contract.listCustomers,
    (_app, call) => customers.listCustomers(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.getCustomer, (_app, call) => customers.getCustomer(call.db, call.caller.companyId, call.params.id)),
  route(contract.createCustomer, async (app, call) =>
    customers.createCustomer(app, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
  route(contract.updateCustomer, async (app, call) =>
    customers.updateCustomer(app, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
  route(contract.deleteCustomer, (app, call) => eraseCustomer({ ...app, db: call.db }, call.caller, call.params.id)),
  route(contract.exportCustomer, async (app, call) =>
    exportCustomer(call.lists, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(contract.setPassword, async (app, call) =>
    customers.setPassword(
      app,
      await app.shops.get(call.caller.companyId),
      call.caller,
      call.params.id,
      call.body.password,
    ),
  ),
  route(contract.verifyPassword, (app, call) =>
    customers.verifyPassword(app, call.caller, call.params.id, call.body.password),
  ),
];
