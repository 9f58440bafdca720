import { type EntryFollower, followEntries, recordAuditEntry } from '../../../access/audit.ts';
import type { AuditTrail } from '../../../caller.ts';
import { AppError, Overloaded } from '../../../errors.ts';
import { RawJson } from '../../../lib/raw-json.ts';
import type { Call, Endpoint, Route } from '../endpoint.ts';
import { machineryFailure } from '../public-error.ts';
import { queryReaderOf } from '../read-call.ts';
import { entryOf } from './entry.ts';
import { operationOf, recordPathOf } from './operation.ts';
import { shownOf, type Values } from './values.ts';

/** Starts the entry of a request before anything is written, and reads the previous state of the record. */
export type TrailOf = (call: Call<Endpoint>) => Promise<AuditTrail>;

/** Whether a person's request to the endpoint is recorded in the audit log. */
export function isAudited({ method, unaudited }: Endpoint): boolean {
  return method !== 'GET' && unaudited === undefined;
}

/**
 * Returns how requests to the route are recorded. The record is read through the GET route of its resource among `routes`; a concurrent
 * request may change it between this read and the write.
 */
export function trailOf(route: Route, routes: readonly Route[]): TrailOf {
  const { endpoint } = route;
  const operation = operationOf(endpoint);
  const { method } = endpoint;
  // In an entry written by the service itself: no data about people, which an erasure would not find there.
  const showsBefore = method !== 'POST' && operation.about === 'nobody';
  const read = readerOf(endpoint, routes);
  return async (call) => {
    const { before, unread } = await read(call);
    const { companyId, actor, now } = call.caller;
    return {
      recorded: false,
      async around(tx, work) {
        const follower: EntryFollower = {
          written: false,
          before: showsBefore && before !== null ? shownOf(before, operation) : null,
        };
        followEntries(tx, follower);
        const result = await work();
        if (follower.written) return result;
        follower.before = null;
        const entry = entryOf({ method, operation, call, before, result: valuesOf(route, result) });
        const details = unread === null ? entry.details : { ...entry.details, before_unread: unread };
        await recordAuditEntry(tx, companyId, { ...entry, details, at: now, actor });
        return result;
      },
    };
  };
}

interface Earlier {
  before: Values | null;
  /** Code of the error that prevented the read; it must not prevent the write. */
  unread: string | null;
}

const NOTHING: Earlier = { before: null, unread: null };

function readerOf({ path, params }: Endpoint, routes: readonly Route[]): (call: Call<Endpoint>) => Promise<Earlier> {
  const wanted = recordPathOf(path);
  const reader = routes.find(({ endpoint }) => endpoint.method === 'GET' && endpoint.path === wanted);
  if (
    reader === undefined ||
    isList(reader.endpoint) ||
    reader.endpoint.streams ||
    (params === undefined && wanted !== path)
  )
    return () => Promise.resolve(NOTHING);
  const query = queryReaderOf(reader.endpoint)({});
  return async (call) => {
    try {
      const asked = { ...call, body: {}, query, ifMatch: null } as Call<Endpoint>;
      return { before: valuesOf(reader, await reader.handle(asked)), unread: null };
    } catch (error) {
      // The service itself will report that it does not exist.
      if (error instanceof AppError && error.code === 'not_found') return NOTHING;
      return { before: null, unread: reasonOf(error) };
    }
  };
}

/** Whether the path returns a list: then it is not a record that the request changes. */
function isList({ data, listAs, inOrderOf }: Endpoint): boolean {
  return listAs !== undefined || inOrderOf !== undefined || (data as { type?: unknown }).type === 'array';
}

/** Returns why a record could not be read in time. Rethrows a bug in the program. */
function reasonOf(error: unknown): string {
  if (error instanceof Overloaded) return 'overloaded';
  if (error instanceof AppError) return error.code;
  const failure = machineryFailure(error);
  if (failure === null) throw error;
  return failure.code;
}

/** Returns the record in a response. */
function valuesOf(route: Route, result: unknown): Values {
  const { data } = route.present(result);
  const record: unknown = data instanceof RawJson ? JSON.parse(data.text) : JSON.parse(JSON.stringify(data ?? {}));
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? (record as Values) : {};
}
