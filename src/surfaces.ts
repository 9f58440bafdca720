import type { FastifyInstance } from 'fastify';
import type { Route } from './http/api/endpoint.ts';
import type { HttpPort } from './http/api/port.ts';
import {
  accountSurface,
  adminCommerceSurface,
  adminMarketingSurface,
  adminSurface,
} from './http/api/surfaces/admin.ts';
import { commerceSurface } from './http/api/surfaces/commerce.ts';
import { marketingSurface } from './http/api/surfaces/marketing.ts';
import { storeSurface } from './http/api/surfaces/store.ts';
import { registerSurface } from './http/server.ts';

export interface Routes {
  commerce: Route[];
  marketing: Route[];
  store: Route[];
  /** About a person, whatever their company. */
  person: Route[];
  admin: Route[];
}

/** Registers the endpoints under the prefixes of their callers: a shop's keys, and people signed in to the admin app. */
export function registerSurfaces(server: FastifyInstance, port: HttpPort, routes: Routes): void {
  registerSurface(server, port, commerceSurface, routes.commerce);
  registerSurface(server, port, marketingSurface, routes.marketing);
  registerSurface(server, port, storeSurface, routes.store);
  registerSurface(server, port, accountSurface, routes.person);
  registerSurface(server, port, adminSurface, routes.admin);
  registerSurface(server, port, adminCommerceSurface, closed(routes.commerce));
  registerSurface(server, port, adminMarketingSurface, closed(routes.marketing));
}

/** Leaves out endpoints that authenticate by themselves: no person calls them. */
function closed(routes: Route[]): Route[] {
  return routes.filter(({ endpoint }) => endpoint.scope !== 'public');
}
