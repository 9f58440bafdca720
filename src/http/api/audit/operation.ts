import type { AuditedRecord } from '../../../db/table.ts';
import { TABLES } from '../../../tables.ts';
import type { Endpoint } from '../endpoint.ts';

/** By path prefix. */
export const AUDITED: Readonly<Record<string, AuditedRecord>> = Object.assign({}, ...TABLES.map(({ audit }) => audit));

export interface Operation extends AuditedRecord {
  /** `product.update`, `order.status`, `flow.activate`. */
  action: string;
  /** The rest of the path after the kind; empty if the record itself is created, changed or deleted. */
  rest: string;
  /** The path's parameter, or null. */
  param: string | null;
}

const VERBS: Partial<Record<Endpoint['method'], string>> = {
  POST: 'create',
  PATCH: 'update',
  PUT: 'update',
  DELETE: 'delete',
};

/** Returns the name of a request to the endpoint in the audit log. Throws if its kind is not in the table. */
export function operationOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): Operation {
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  const param = /\{(\w+)\}/.exec(path)?.[1] ?? null;
  for (const length of [2, 1]) {
    const kind = AUDITED[words.slice(0, length).join('/')];
    if (kind === undefined) continue;
    const rest = words.slice(length).join('_').replaceAll('-', '_');
    return { ...kind, action: `${kind.noun}.${rest === '' ? VERBS[method] : rest}`, rest, param };
  }
  throw new Error(
    `The audit log has no name for what is at ${path}: add it to the declaration of a table in tables.ts`,
  );
}

/** Returns the path for reading the record that a request to `path` changes. */
export function recordPathOf(path: string): string {
  const words = path.split('/');
  const at = words.findIndex((word) => word.startsWith('{'));
  if (at === -1) return path;
  // `/flows/activate/{id}`, `/flows/runs/retry/{run_id}`: the verb precedes the id.
  const isVerb = at === words.length - 1 && AUDITED[words.slice(1, at).join('/')] === undefined;
  return [...words.slice(0, isVerb ? at - 1 : at), words[at]].join('/');
}
