import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { AuditService } from './service.ts';

export function auditRoutes({ audit }: { audit: AuditService }): Route[] {
  return [
    route(contract.listAuditEntries, (call) => audit.listEntries(call.caller.companyId, call.query), paged, {
      behind: (call, place, limit) => audit.walkEntries(call.caller.companyId, call.query, place, limit),
    }),
    route(contract.listAuditActors, async ({ caller }) => ({ actors: await audit.listActors(caller.companyId) })),
  ];
}
