import type { Session } from '../../access/sessions.ts';
import { type Route, route, type Visitor } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { ViewsService } from './service.ts';

/** These endpoints are only for people, who always have a session. */
function sessionOf({ session }: Visitor): Session {
  return session!;
}

export function viewRoutes({ views }: { views: ViewsService }): Route[] {
  return [
    route(contract.listViews, ({ caller, query, visitor }) => views.listViews(caller, sessionOf(visitor), query.list)),
    route(contract.saveView, ({ caller, body, visitor }) => views.saveView(caller, sessionOf(visitor), body)),
    route(contract.deleteView, ({ caller, params, visitor }) =>
      views.deleteView(caller, sessionOf(visitor), params.id),
    ),
  ];
}
