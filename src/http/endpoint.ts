import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { KeyHolder } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scopes.ts';
import type { App } from '../app.ts';
import type { Db } from '../db/pool.ts';

/**
 * An endpoint is data: routing, validation, types, OpenAPI, the typed client and the walking tests come from it. `scope`
 * is required, so that an endpoint without one does not compile.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Under the interface's base, with `{name}` for parameters. */
  path: string;
  /** The key's permission, or `public` for what authenticates itself (the signed webhook). */
  scope: Scope | 'public';
  /** The resource in the API reference. */
  tag: string;
  summary: string;
  description?: string;
  /** Parameters of the path, in order. `Type.Integer()` ones answer 404 to anything that is no id. */
  params?: TObject;
  query?: TObject;
  /** Of a public endpoint only what the API reference shows: its handler reads the body once it believes the request. */
  body?: TObject;
  /** A request without a body is as good as one with `{}`. */
  bodyOptional?: true;
  /** The body's bytes are the handler's own affair, whatever Content-Type says of them. */
  anyContentType?: true;
  /** Of the response, where its reader takes no JSON: the handler gives the text. */
  contentType?: 'text/xml';
  /** Bytes; 1 MiB where absent. */
  bodyLimit?: number;
  /** The record, or an array of records for a list. */
  data: TSchema;
  /** Marketing lists: the name under which the records stand beside `pagination`. */
  listAs?: string;
  status: 200 | 201;
  /** A public endpoint that honours Idempotency-Key, of the sender that its signature names. */
  replaysForSender?: true;
  /** The answer shows a secret: it is kept encrypted for its Idempotency-Key. */
  answersSecret?: true;
  /** Answers 404 although its address names no record. */
  mayFindNothing?: true;
  /** The response is sent while it is read: the handler gives a `Streamed` (see streaming/streamed.ts). Of a GET alone. */
  streams?: true;
  /** Further success statuses that the handler may choose. */
  alsoStatus?: 200 | 201;
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

/** A request as it came. */
export interface RawRequest {
  /** Path and query, as they were asked for. */
  url: string;
  /** The bytes of the body. */
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** The client's address. */
  address: string;
  /** Makes the caller whom the request's signature names; from then on its Idempotency-Key counts, as one of theirs. */
  callAs(holder: KeyHolder, actor: string): Caller;
}

export interface Call<E extends Endpoint> {
  /** The database for single records of the caller's company, and for its writes. */
  db: Db;
  /** The database for what reads many rows of the caller's company: lists, searches, counts, reports, exports. */
  lists: Db;
  /** Of a public endpoint without a company: the handler finds it. */
  caller: Caller;
  params: StaticOf<E['params']>;
  query: StaticOf<E['query']>;
  body: E['scope'] extends 'public' ? undefined : StaticOf<E['body']>;
  /** Only for public endpoints. */
  request: 'public' extends E['scope'] ? RawRequest : undefined;
}

/** Text that is JSON already (from SQL): sent as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

/** What the edge sends: the data, and for lists the page. */
export interface Answer {
  data: unknown;
  pagination?: Pagination;
  /** Where it is not the endpoint's own status. */
  status?: number;
}

export interface Route {
  endpoint: Endpoint;
  handle(app: App, call: Call<Endpoint>): Promise<unknown>;
  present(result: unknown): Answer;
}

/**
 * Joins an endpoint to its handler. What `handle` returns must be what the service's transaction returned, unchanged,
 * because `present` renders it inside that transaction as well when the request carries an Idempotency-Key.
 */
export function route<E extends Endpoint, R>(
  endpoint: E,
  handle: (app: App, call: Call<E>) => Promise<R>,
  present: (result: Awaited<R>) => Answer = (data) => ({ data }),
): Route {
  return { endpoint, handle, present } as unknown as Route;
}

/** Which rows of a list a page shows. */
export interface PageBounds {
  /** Rows before the page. */
  skip: number;
  take: number;
}

/** A page of a list: records, or the whole array as JSON from SQL. */
export interface Page<Row = never> {
  rows: Row[] | RawJson;
  total: number;
  page: number;
  perPage: number;
}

/** The presentation of a page. */
export function paged<Row>(result: Page<Row>): Answer {
  return {
    data: result.rows,
    pagination: {
      page: result.page,
      per_page: result.perPage,
      total: result.total,
      total_pages: Math.ceil(result.total / result.perPage),
    },
  };
}
