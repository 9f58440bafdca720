import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import * as typesContract from './event-types/contract.ts';
import type * as service from './service.ts';

function presentOutcome(outcome: service.EventOutcome) {
  return { data: { ...outcome, status: 'accepted' as const }, status: outcome.duplicate ? 200 : 201 };
}

function presentBatch(batch: service.BatchOutcome) {
  return { data: { ...batch, events: batch.events.map((outcome) => ({ ...outcome, status: 'accepted' as const })) } };
}

export function eventRoutes({ events }: { events: service.EventsService }): Route[] {
  return [
    route(contract.trackEvent, (call) => events.track(call.caller, call.body), presentOutcome),
    route(
      contract.trackEvents,
      (call) => events.trackMany(call.caller, call.body.events, 'api', (batch) => batch),
      presentBatch,
    ),
    route(
      contract.listEvents,
      (call) => events.listEvents(call.caller.companyId, call.query),
      ({ events: rows, perPage, nextCursor }) => ({
        data: { events: rows, pagination: { per_page: perPage, next_cursor: nextCursor } },
      }),
    ),
    route(typesContract.listEventTypes, (call) => events.listTypes(call.caller.companyId)),
    route(
      typesContract.registerEventType,
      (call) => events.registerType(call.caller, call.body),
      (record) => ({ data: record, status: record.created ? 201 : 200 }),
    ),
    route(typesContract.removeEventType, (call) => events.removeType(call.caller, call.params.event_type)),
  ];
}
