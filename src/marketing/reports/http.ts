import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import { createReportsService, type ReportsDeps } from './service.ts';

export function reportRoutes(deps: ReportsDeps): Route[] {
  const reports = createReportsService(deps);
  return [
    route(contract.readListGrowth, ({ caller, query }) => reports.readListGrowth(caller.companyId, query, caller.now)),
    route(contract.readRevenue, ({ caller, query }) => reports.readRevenue(caller.companyId, query, caller.now)),
    route(contract.readProviders, ({ caller, query }) => reports.readProviders(caller.companyId, query, caller.now)),
  ];
}
