import type { Scope } from '../access/scopes.ts';
import { AppError } from '../errors.ts';
import { type Route, route } from '../http/api/endpoint.ts';
import { paged } from '../lib/paging.ts';
import * as contract from './contract.ts';
import type { Kind } from './formats/format.ts';
import { formatNamed } from './formats/registry.ts';
import type { ImportsService } from './service.ts';

/** What the reader of a kind's rows, and whoever writes its records, needs beside the scope of the endpoint. */
const SCOPES: Record<Kind, Record<'read' | 'write', Scope>> = {
  contacts: { read: 'marketing:read', write: 'marketing:write' },
  customers: { read: 'customers:read', write: 'customers:write' },
  products: { read: 'products:read', write: 'products:write' },
  orders: { read: 'orders:read', write: 'orders:write' },
};

interface Asking {
  caller: { companyId: number };
  may(scope: Scope): boolean;
}

/** Throws missing_scope. */
function requireKind({ may }: Asking, kind: Kind, access: 'read' | 'write'): void {
  const required = SCOPES[kind][access];
  if (may(required)) return;
  throw new AppError('missing_scope', `An import of ${kind} needs the scope ${required} as well`, { required });
}

export function importRoutes({ imports }: { imports: ImportsService }): Route[] {
  /** Throws missing_scope, not_found. */
  async function requireFor(call: Asking & { params: { id: number } }, access: 'read' | 'write'): Promise<number> {
    const { kind } = await imports.getImport(call.caller.companyId, call.params.id);
    requireKind(call, kind, access);
    return call.params.id;
  }

  return [
    route(contract.listImportFormats, async () => imports.listFormats()),
    route(contract.listImports, ({ caller, query }) => imports.listImports(caller.companyId, query), paged),
    route(contract.createImport, async (call) => {
      requireKind(call, formatNamed(call.body.format)!.kind, 'write');
      return imports.createImport(call.caller, call.body);
    }),
    route(contract.getImport, ({ caller, params }) => imports.getImport(caller.companyId, params.id)),
    route(contract.uploadChunk, async (call) =>
      imports.uploadChunk(call.caller, await requireFor(call, 'write'), call.body),
    ),
    route(contract.previewImport, async (call) =>
      imports.previewImport(call.caller.companyId, await requireFor(call, 'read'), call.query.encoding),
    ),
    route(contract.checkImport, async (call) =>
      imports.checkImport(call.caller, await requireFor(call, 'write'), call.body),
    ),
    route(contract.runImport, async (call) => imports.runImport(call.caller, await requireFor(call, 'write'))),
    route(contract.cancelImport, async (call) => imports.cancelImport(call.caller, await requireFor(call, 'write'))),
    route(contract.undoImport, async (call) => imports.undoImport(call.caller, await requireFor(call, 'write'))),
    route(contract.listImportFindings, async (call) =>
      imports.listFindings(call.caller.companyId, await requireFor(call, 'read'), call.query),
    ),
  ];
}
