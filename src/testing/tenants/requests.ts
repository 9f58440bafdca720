import type { Endpoint } from '../../http/api/endpoint.ts';
import type { JsonSchema } from '../../http/api/plain-schema.ts';
import type { Side } from '../recipes.ts';
import type { Ids, SeededCompany } from './seed.ts';

/** Placeholder for the id of one of the company's own records. */
export class Ref {
  readonly record: string;

  constructor(record: string) {
    this.record = record;
  }
}

export const ref = (record: string): Ref => new Ref(record);

/** A request that succeeds for a seeded company. */
export interface ValidRequest {
  /** The record whose id is the path's parameter. */
  of?: string;
  /** The path's second parameter: a part of the record. */
  part?: string | Ref;
  /** The path's parameter, where it names the same object for every company. */
  param?: string;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** Creates what the request needs in addition to the seed; the ids that it returns replace those of the seed. */
  before?: (company: SeededCompany) => Promise<Ids>;
  /** Paths of ids that name nothing without an error: filters, and records that a response lists as not found. */
  mayBeAbsent?: readonly string[];
  /** Whether the request has an effect even with such an id. */
  writesAnyway?: true;
}

/** By names such as `GET /orders/{id}`; one endpoint may have several requests. */
export type Requests = Record<string, readonly ValidRequest[]>;

/** Where a request names a record, as `path`, `query.customer_id`, `body.items.0.product_id`. */
export interface Place {
  path: string;
  record: string;
}

export function placesOf({ of, part, query, body }: ValidRequest): Place[] {
  return [
    ...(of === undefined ? [] : [{ path: 'path', record: of }]),
    ...places('part', part),
    ...places('query', query),
    ...places('body', body),
  ];
}

function places(path: string, value: unknown): Place[] {
  if (value instanceof Ref) return [{ path, record: value.record }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => places(`${path}.${name}`, inner));
}

export interface FilledRequest {
  side: Side;
  method: string;
  /** Includes the query. */
  path: string;
  body: unknown;
}

/** The request with ids in the places of records, and `instead` in one of them. */
export function fill(
  { side, endpoint }: { side: Side; endpoint: Endpoint },
  { of, part = '', param, query = {}, body }: ValidRequest,
  ids: Ids,
  instead?: { path: string; id: number | string },
): FilledRequest {
  const idAt = (path: string, record: string): number | string => {
    const id = path === instead?.path ? instead.id : ids[record];
    if (id === undefined) throw new Error(`The seed has no ${record}`);
    return id;
  };
  const filled = (path: string, value: unknown): unknown => {
    if (value instanceof Ref) return idAt(path, value.record);
    if (Array.isArray(value)) return value.map((inner, i) => filled(`${path}.${i}`, inner));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(`${path}.${name}`, inner)]));
  };
  const parameter = of === undefined ? (param ?? '') : String(idAt('path', of));
  const asked = new URLSearchParams(filled('query', query) as Record<string, string>);
  const search = asked.size === 0 ? '' : `?${asked}`;
  const ofRecord = endpoint.path.replace(/\{\w+\}/, encodeURIComponent(parameter));
  const second = String(filled('part', part));
  const path = ofRecord.replace(/\{\w+\}/, encodeURIComponent(second)) + search;
  return { side, method: endpoint.method, path, body: filled('body', body) };
}

/** Ids that callers choose themselves, and those of frequencies, which are the same in every company. */
const NO_RECORD = /(^|[._])(external_id|event_id|step_id|message_id|frequency_id)$/;

/** Returns where the endpoint's schemas have a record's id, as `path`, `query.customer_id`, `body.items[].product_id`. */
export function idFieldsOf({ params, query, body }: Endpoint): string[] {
  const named = [
    ...idFields('query', query as JsonSchema | undefined),
    ...idFields('body', body as JsonSchema | undefined),
  ];
  return [...('id' in (params?.properties ?? {}) ? ['path'] : []), ...named.filter((path) => !NO_RECORD.test(path))];
}

function idFields(path: string, schema: JsonSchema | undefined): string[] {
  if (schema === undefined) return [];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return [
    ...(/_ids?(\[\])?$/.test(path) && schema.items === undefined ? [path] : []),
    ...idFields(`${path}[]`, schema.items as JsonSchema | undefined),
    ...properties.flatMap(([name, inner]) => idFields(`${path}.${name}`, inner)),
  ];
}
