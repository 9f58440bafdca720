import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as segments from './service.ts';

export const segmentRoutes: Route[] = [
  route(
    contract.listSegments,
    (_app, call) => segments.listSegments(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createSegment, (app, call) =>
    segments.createSegment(call.db, call.caller, call.body, app.events.knowsType),
  ),
  route(contract.previewSegment, (app, call) =>
    segments.previewSegment(call.lists, call.caller, call.body.conditions, app.events.knowsType),
  ),
  route(contract.getSegment, (_app, call) =>
    segments.getSegment(call.lists, call.caller.companyId, call.params.id, call.caller.now),
  ),
  route(contract.updateSegment, (app, call) =>
    segments.updateSegment(call.db, call.caller, call.params.id, call.body, app.events.knowsType),
  ),
  route(contract.deleteSegment, (_app, call) => segments.deleteSegment(call.db, call.caller, call.params.id)),
];
