import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StoreEventsService } from './service.ts';

export function storeEventRoutes({ storeEvents: events }: { storeEvents: StoreEventsService }): Route[] {
  return [route(contract.createEvent, (call) => events.createEvent(call, call.body))];
}
