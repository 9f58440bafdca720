import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { SearchService } from './service.ts';

export function searchRoutes({ search }: { search: SearchService }): Route[] {
  return [
    route(contract.searchEverything, ({ caller, query, visitor }) =>
      search.searchEverything(caller, visitor.session, query.q),
    ),
  ];
}
