import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as refusals from './service.ts';

export const outboxRefusalRoutes: Route[] = [
  route(
    contract.listRefusals,
    (_app, call) => refusals.listRefusals(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.replayRefusal, async (app, call) => {
    const replayed = await refusals.replayRefusal(call.db, call.caller, call.params.id);
    app.wake('outbox');
    return replayed;
  }),
  route(contract.replayRefusals, async (app, call) => {
    const replayed = await refusals.replayRefusals(call.db, call.caller);
    app.wake('outbox');
    return replayed;
  }),
  route(contract.discardRefusal, (_app, call) => refusals.discardRefusal(call.db, call.caller, call.params.id)),
];
