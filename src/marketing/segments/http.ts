import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { SegmentsService } from './service.ts';

export function segmentRoutes({ segments }: { segments: SegmentsService }): Route[] {
  return [
    route(contract.listSegments, (call) => segments.listSegments(call.caller.companyId, call.query), paged),
    route(contract.createSegment, (call) => segments.createSegment(call.caller, call.body)),
    route(contract.previewSegment, (call) => segments.previewSegment(call.caller, call.body.conditions)),
    route(contract.getSegment, (call) => segments.getSegment(call.caller.companyId, call.params.id, call.caller.now)),
    route(contract.updateSegment, (call) => segments.updateSegment(call.caller, call.params.id, call.body)),
    route(contract.deleteSegment, (call) => segments.deleteSegment(call.caller, call.params.id)),
  ];
}
