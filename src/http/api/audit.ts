import { type AuditEntry, type EntryFollower, followEntries, recordAuditEntry } from '../../access/audit.ts';
import { HIDDEN, isAddress, withoutKeys } from '../../access/audit-addresses.ts';
import { withoutPeople } from '../../access/audit-people.ts';
import type { PersonalValues } from '../../access/audit-values.ts';
import type { AuditTrail } from '../../caller.ts';
import type { AuditedRecord } from '../../db/table.ts';
import { AppError, Overloaded } from '../../errors.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { TABLES } from '../../tables.ts';
import type { Call, Endpoint, Route } from './endpoint.ts';
import { machineryFailure } from './errors.ts';
import { queryReaderOf } from './read-call.ts';

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

/** An executed request: its input, and the record before it and in its response. */
export interface Carried {
  method: Endpoint['method'];
  operation: Operation;
  call: Pick<Call<Endpoint>, 'params' | 'body'>;
  before: Values | null;
  result: Values;
}

type Id = string | number;
type Change = { before: Values | null; after: Values };

/** Returns the audit entry of the request, without who made it and when. */
export function entryOf(carried: Carried): Pick<AuditEntry, 'action' | 'target' | 'details' | 'personal'> {
  const { operation, call, before } = carried;
  const { action, noun, about } = operation;
  const named = idOf(operation, before ?? {}) ?? paramOf(carried);
  const id = named ?? (about === 'several' ? null : idOf(operation, carried.result));
  const entry = { action, target: id === null ? noun : `${noun}:${id}` };
  const subject = about === 'nobody' ? null : subjectOf(carried);
  if (about !== 'nobody' && subject === null)
    return { ...entry, details: measuresOf(call.body, (name) => name === 'event_type') };
  const change = changeOf(carried);
  const after = shownOf(change.after, operation);
  const earlier = change.before === null || isEmpty(change.before) ? null : shownOf(change.before, operation);
  if (subject === null) return { ...entry, details: earlier === null ? after : { ...after, before: earlier } };
  // An entry without values has nothing to erase.
  if (earlier === null && isEmpty(after)) return { ...entry, details: {} };
  return { ...entry, personal: { about: subject, before: earlier, after } };
}

/** Returns whose data the request wrote; null if nobody's, or if that cannot be determined. */
function subjectOf(carried: Carried): PersonalValues['about'] | null {
  const { operation, before, result } = carried;
  if (operation.about === 'several') return null;
  const customer = before?.customer_id ?? result.customer_id;
  if (operation.about === 'customer_id') return typeof customer === 'number' ? { customerId: customer } : null;
  const id = paramOf(carried) ?? idOf(operation, result);
  if (typeof id !== 'number') return null;
  return operation.about === 'customer' ? { customerId: id } : { contactId: id };
}

function changeOf(carried: Carried): Change {
  const { method, operation, call, before, result } = carried;
  const { about, rest } = operation;
  if (method === 'DELETE') {
    // An erasure leaves no data about the person, not even in its own entry.
    const isErasure = about === 'customer' || about === 'contact';
    return { before: isErasure ? null : before, after: {} };
  }
  const body = call.body as Values;
  const given = about === 'nobody' && rest !== '' ? measuresOf(body, (name) => name !== 'to') : body;
  const resultId = idOf(operation, result);
  // A record that refers to the one in the path is another one, such as the order of a cart.
  const isOther = Object.hasOwn(result, 'id') && Object.hasOwn(result, `${operation.noun}_id`);
  const isSame = before !== null && !isOther && String(resultId) === String(idOf(operation, before));
  if (!isSame) {
    const named = paramOf(carried);
    const isNew = rest !== '' && named !== null && resultId !== null && (isOther || String(resultId) !== String(named));
    return { before: null, after: isNew ? { ...given, created: resultId } : given };
  }
  const changed = changesOf(before, result, method === 'POST' ? Object.keys(result) : Object.keys(given));
  const beside = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in result)));
  const figures = method === 'POST' ? figuresOf(result, before) : {};
  return { before: changed.before, after: { ...beside, ...figures, ...changed.after } };
}

function paramOf({ operation: { param }, call }: Carried): Id | null {
  const value = param === null || param === 'name' ? null : (call.params as Record<string, Id>)[param];
  return value ?? null;
}

/** `id` in the commerce API, `list_id` or the like in the marketing API. */
function idOf({ noun, param }: Operation, record: Values): Id | null {
  const names = ['id', `${noun}_id`, noun, ...(param === null ? [] : [param])];
  const found = names.map((name) => record[name]).find((id) => typeof id === 'number' || typeof id === 'string');
  return (found as Id | undefined) ?? null;
}

function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0;
}

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

export type Values = Record<string, unknown>;

/** Names of fields whose values are never shown in an entry. */
const SECRET = /password|secret|token|credential|private_key|access_key|api[-_]?key|authorization/i;
/** Fields that change with every write, or repeat what the entry itself says. */
const NOISE = new Set(['revision', 'updated_at']);
/** Maximum characters of a field's JSON: people read the entries, and the log is never shortened. */
const MOST_OF_FIELD = 4_000;
const MOST_OF_ALL = 16_000;
const BEGINNING = 1_000;

/** Returns the record without secrets, and without addresses if it may name people. Long values are cut and include their length. */
export function shownOf(record: Values, { mayName = false }: { mayName?: boolean } = {}): Values {
  const told = mayName ? (withoutPeople(record) as Values) : record;
  let left = MOST_OF_ALL;
  return Object.fromEntries(
    Object.entries(told).map(([name, value]) => {
      const shown = masked(name, value);
      const text = typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? 'null');
      const most = Math.min(MOST_OF_FIELD, left);
      left = Math.max(0, left - text.length);
      return [
        name,
        text.length <= most ? shown : { cut: text.slice(0, Math.min(BEGINNING, most)), length: text.length },
      ];
    }),
  );
}

function masked(name: string, value: unknown): unknown {
  if (value !== null && value !== '' && SECRET.test(name)) return HIDDEN;
  if (typeof value === 'string' && isAddress(name)) return withoutKeys(value);
  if (Array.isArray(value)) return value.map((one) => masked('', one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, masked(inner, one)]));
}

/** Returns a request's input without anything that may identify people: numbers, and the lengths of lists. */
export function measuresOf(body: Values, keepsText: (name: string) => boolean): Values {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.length];
      const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
      return [name, isPlain || (typeof value === 'string' && keepsText(name)) ? value : HIDDEN];
    }),
  );
}

/**
 * Returns figures in the response that are not in the record, such as how many were enrolled. Texts are left out, as they may name people.
 */
export function figuresOf(result: Values, record: Values): Values {
  return Object.fromEntries(
    Object.entries(result).filter(
      ([name, value]) => !(name in record) && !/(^|_)id$/.test(name) && ['number', 'boolean'].includes(typeof value),
    ),
  );
}

/** Returns the fields that differ, before and after. `names`: only these. */
export function changesOf(
  before: Values,
  after: Values,
  names = Object.keys(after),
): { before: Values; after: Values } {
  const isChanged = (name: string): boolean =>
    name in before && name in after && !NOISE.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const changed = names.filter(isChanged);
  const of = (record: Values): Values => Object.fromEntries(changed.map((name) => [name, record[name]]));
  return { before: of(before), after: of(after) };
}

export type ExportEntry = Pick<AuditEntry, 'action' | 'target' | 'details'>;

/** Returns how exports by the endpoint are recorded: `contact.export` of `contact:7`, with the filters of a list. */
export function exportEntryOf(endpoint: Endpoint): (call: Call<Endpoint>) => ExportEntry {
  const { noun, rest, param } = operationOf(endpoint);
  const list = rest.replace(/_?export$/, '');
  return ({ params, query }) => {
    const id = param === null ? undefined : (params as Values)[param];
    const { search, ...filters } = query as Values;
    const shown = withoutPeople(search === undefined ? filters : { ...filters, search: HIDDEN }) as Values;
    return {
      action: `${noun}.export`,
      target: id === undefined ? noun : `${noun}:${String(id)}`,
      details: list === '' ? shown : { ...shown, list },
    };
  };
}
