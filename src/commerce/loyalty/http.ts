import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as loyalty from './service.ts';

export const loyaltyRoutes: Route[] = [
  route(contract.getBalance, async (app, call) =>
    loyalty.getBalance(call.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(
    contract.listLedger,
    (_app, call) => loyalty.listLedger(call.lists, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.adjustBalance, async (app, call) =>
    loyalty.adjustBalance(call.db, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
  route(contract.getProgram, async (app, call) => loyalty.getProgram(await app.shops.get(call.caller.companyId))),
  route(contract.updateProgram, (app, call) => loyalty.updateProgram(app, call.caller, call.body)),
];
