import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SegmentsService } from './service.ts';

export function segmentRoutes({ segments }: { segments: SegmentsService }): Route[] {
  return [
    route(contract.listSegments, (call) => segments.listSegments(call.caller.companyId, call.query), paged),
    route(contract.createSegment, (call) => segments.createSegment(call.caller, call.body)),
    route(contract.previewSegment, (call) =>
      segments.previewSegment(call.caller, call.body.conditions, call.body.sample),
    ),
    route(contract.getSegment, (call) => segments.getSegment(call.caller.companyId, call.params.id, call.caller.now)),
    route(contract.updateSegment, (call) => segments.updateSegment(call.caller, call.params.id, call.body)),
    route(contract.deleteSegment, (call) => segments.deleteSegment(call.caller, call.params.id)),
    route(contract.explainSegment, ({ caller, params, query }) =>
      segments.explainSegment(caller.companyId, params.id, query.contact_id, caller.now),
    ),
    route(contract.segmentGrowth, ({ caller, params, query }) =>
      segments.growth(caller.companyId, params.id, query.days ?? 90, caller.now),
    ),
    route(contract.segmentOverlap, ({ caller, params, query }) =>
      segments.overlap(caller.companyId, params.id, query.segment_id, caller.now),
    ),
  ];
}
