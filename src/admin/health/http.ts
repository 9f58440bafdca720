import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { HealthService } from './service.ts';

export function healthRoutes({ health }: { health: HealthService }): Route[] {
  return [
    route(contract.readHealth, ({ visitor }) => health.read(visitor.session)),
    route(contract.examineHealth, ({ visitor }) => health.begin(visitor.session)),
  ];
}
