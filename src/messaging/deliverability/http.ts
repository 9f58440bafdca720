import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { DeliverabilityService } from './service.ts';

export function deliverabilityRoutes({ deliverability }: { deliverability: DeliverabilityService }): Route[] {
  return [
    route(contract.getDeliverability, ({ caller }) => deliverability.read(caller.companyId, caller.now)),
    route(contract.resumeSending, ({ caller }) => deliverability.resume(caller)),
  ];
}
