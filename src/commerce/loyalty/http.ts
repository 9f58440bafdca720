import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as loyalty from './service.ts';

export const loyaltyRoutes: Route[] = [
  route(contract.getBalance, async (app, call) =>
    loyalty.getBalance(app.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(
    contract.listLedger,
    (app, call) => loyalty.listLedger(app.db, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.adjustBalance, async (app, call) =>
    loyalty.adjustBalance(app.db, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
  route(contract.getProgram, async (app, call) => loyalty.getProgram(await app.shops.get(call.caller.companyId))),
  route(contract.updateProgram, (app, call) => loyalty.updateProgram(app, call.caller, call.body)),
];
