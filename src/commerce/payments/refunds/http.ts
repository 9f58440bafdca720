import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { RefundsService } from './service.ts';

export function refundRoutes({ refunds }: { refunds: RefundsService }): Route[] {
  return [
    route(
      contract.listRefunds,
      ({ caller, params, query }) => refunds.listRefunds(caller.companyId, params.id, query),
      paged,
    ),
    route(contract.createRefund, ({ caller, params, body }) => refunds.createRefund(caller, params.id, body)),
  ];
}
