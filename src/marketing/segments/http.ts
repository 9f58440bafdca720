import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as segments from './service.ts';

export const segmentRoutes: Route[] = [
  route(contract.listSegments, (app, call) => segments.listSegments(app.db, call.caller.companyId, call.query), paged),
  route(contract.createSegment, (app, call) =>
    segments.createSegment(app.db, call.caller, call.body, app.events.knowsType),
  ),
  route(contract.previewSegment, (app, call) =>
    segments.previewSegment(app.db, call.caller, call.body.conditions, app.events.knowsType),
  ),
  route(contract.getSegment, (app, call) =>
    segments.getSegment(app.db, call.caller.companyId, call.params.id, call.caller.now),
  ),
  route(contract.updateSegment, (app, call) =>
    segments.updateSegment(app.db, call.caller, call.params.id, call.body, app.events.knowsType),
  ),
  route(contract.deleteSegment, (app, call) => segments.deleteSegment(app.db, call.caller, call.params.id)),
];
