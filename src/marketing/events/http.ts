import { type Answer, RawJson, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as events from './service.ts';

function presentOutcome(outcome: events.EventOutcome): Answer {
  return { data: { ...outcome, status: 'accepted' }, status: outcome.duplicate ? 200 : 201 };
}

function presentBatch(batch: events.BatchOutcome): Answer {
  return { data: { ...batch, events: batch.events.map((outcome) => ({ ...outcome, status: 'accepted' })) } };
}

export const eventRoutes: Route[] = [
  route(contract.trackEvent, (app, call) => app.events.track(call.caller, call.body), presentOutcome),
  route(
    contract.trackEvents,
    (app, call) => app.events.trackMany(call.caller, call.body.events, 'api', (batch) => batch),
    presentBatch,
  ),
  route(
    contract.listEvents,
    (_app, call) => events.listEvents(call.lists, call.caller.companyId, call.query),
    ({ events: rows, perPage, nextCursor }) => ({
      data: new RawJson(
        `{"events":[${rows.join(',')}],"pagination":${JSON.stringify({ per_page: perPage, next_cursor: nextCursor })}}`,
      ),
    }),
  ),
  route(contract.listEventTypes, (_app, call) => events.listTypes(call.lists, call.caller.companyId)),
  route(
    contract.registerEventType,
    (app, call) => app.events.registerType(call.caller, call.body),
    (record) => ({ data: record, status: record.created ? 201 : 200 }),
  ),
  route(contract.removeEventType, (app, call) => app.events.removeType(call.caller, call.params.event_type)),
];
