import { type Route, route } from '../http/api/endpoint.ts';
import { paged } from '../lib/paging.ts';
import * as contract from './contract.ts';
import type { ImportsService } from './service.ts';

export function importRoutes({ imports }: { imports: ImportsService }): Route[] {
  return [
    route(contract.listImportFormats, async () => imports.listFormats()),
    route(contract.listImports, ({ caller, query }) => imports.listImports(caller.companyId, query), paged),
    route(contract.createImport, ({ caller, body }) => imports.createImport(caller, body)),
    route(contract.getImport, ({ caller, params }) => imports.getImport(caller.companyId, params.id)),
    route(contract.uploadChunk, ({ caller, params, body }) => imports.uploadChunk(caller, params.id, body)),
    route(contract.previewImport, ({ caller, params, query }) =>
      imports.previewImport(caller.companyId, params.id, query.encoding),
    ),
    route(contract.checkImport, ({ caller, params, body }) => imports.checkImport(caller, params.id, body)),
    route(contract.runImport, ({ caller, params }) => imports.runImport(caller, params.id)),
    route(contract.cancelImport, ({ caller, params }) => imports.cancelImport(caller, params.id)),
    route(contract.undoImport, ({ caller, params }) => imports.undoImport(caller, params.id)),
    route(contract.listImportFindings, ({ caller, params, query }) =>
      imports.listFindings(caller.companyId, params.id, query),
    ),
  ];
}
