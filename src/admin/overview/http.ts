import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import { readMarketingOverview } from './marketing/contract.ts';
import type { MarketingOverviewService } from './marketing/service.ts';
import type { OverviewService } from './service.ts';

interface Services {
  overview: OverviewService;
  marketingOverview: MarketingOverviewService;
}

export function overviewRoutes({ overview, marketingOverview }: Services): Route[] {
  return [
    route(contract.readSalesOverview, ({ caller, query }) => overview.readSales(caller.companyId, query, caller.now)),
    route(contract.readProductsOverview, ({ caller, query }) =>
      overview.readProducts(caller.companyId, query, caller.now),
    ),
    route(contract.readCartsOverview, ({ caller, query }) => overview.readCarts(caller.companyId, query, caller.now)),
    route(readMarketingOverview, ({ caller, query }) =>
      marketingOverview.readMarketing(caller.companyId, query, caller.now),
    ),
    route(contract.listAttention, ({ caller, visitor }) => overview.listAttention(caller, visitor.session)),
  ];
}
