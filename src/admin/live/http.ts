import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { LiveService } from './service.ts';

export function liveRoutes({ live }: { live: LiveService }): Route[] {
  return [route(contract.readLive, async ({ caller, visitor }) => live.open(caller.companyId, visitor))];
}
