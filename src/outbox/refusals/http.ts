import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as refusals from './service.ts';

export const outboxRefusalRoutes: Route[] = [
  route(contract.listRefusals, (app, call) => refusals.listRefusals(app.db, call.caller.companyId, call.query), paged),
  route(contract.replayRefusal, async (app, call) => {
    const replayed = await refusals.replayRefusal(app.db, call.caller, call.params.id);
    app.wake('outbox');
    return replayed;
  }),
  route(contract.replayRefusals, async (app, call) => {
    const replayed = await refusals.replayRefusals(app.db, call.caller);
    app.wake('outbox');
    return replayed;
  }),
  route(contract.discardRefusal, (app, call) => refusals.discardRefusal(app.db, call.caller, call.params.id)),
];
