import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import Type, { type TObject } from 'typebox';
import type { KeyHolder } from '../../access/authenticator.ts';
import type { PersonScope } from '../../access/roles.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import type { Pagination } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { OneOf } from '../../lib/schemas.ts';
import type { Streamed, StreamedText } from '../../lib/streamed.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';
import type { ShopperToken, ShopperTokens } from './shopper-tokens.ts';

/**
 * How a list is read from start to end: by pages, ordered by the field `by` (descending by default), where `id` tells records with the same
 * `by` apart, or all their content if it is null; by its parameter `before`, set to a field of the last record; by its cursor, if the
 * records are in a field of the response; or by the `behind` function of its route.
 */
export type ListOrder =
  | { by: string; id?: string | null; direction?: 'asc' }
  | { before: string }
  | { cursor: string }
  | { behind: true };

/**
 * An endpoint is data: routing, validation, types, OpenAPI, the typed client and the generic tests are derived from it. `scope` is
 * required, so that an endpoint without one does not compile.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the API's base, with `{name}` for parameters. */
  path: string;
  /**
   * The scope that the key or the person's role must have. `public`: authenticates itself (the signed webhook); `session`: anyone who is
   * signed in; `store`: every store key; `anyone`: everyone.
   */
  scope: Scope | PersonScope | 'public' | 'session' | 'store' | 'anyone';
  /** Store interface: the tokens that it reads, of which a request needs one; it finds them in `tokens`. */
  tokens?: readonly ShopperToken[];
  /** With `tokens`: it works without a token as well. */
  tokensOptional?: true;
  /** Store interface: requests of which a network, and each token, has few; the door at which they are counted as well. */
  limitedBy?: 'store_sign_ins' | 'store_events' | 'store_pays';
  /** The scope that a person's role must have, if it differs from that of a key. */
  personScope?: Scope | PersonScope;
  /** A person must have confirmed their identity within the last 15 minutes. */
  confirm?: true;
  /** The resource in the API reference. */
  tag: string;
  summary: string;
  description?: string;
  /** Path parameters, in order. `Type.Integer()` ones cause a 404 for anything that is not an id. */
  params?: TObject;
  query?: TObject;
  /** For a public endpoint only documentation: its handler parses the body after authenticating the request. */
  body?: TObject;
  /** A request without a body is treated like one with `{}`. */
  bodyOptional?: true;
  /** The handler interprets the body's bytes itself, whatever the Content-Type. */
  anyContentType?: true;
  /**
   * Media types, separated by `, `, of a body passed on as bytes, such as `image/*`: the handler finds them in `bytes`. With a `body`, a
   * request may be either: `bytes` is empty for JSON.
   */
  rawBody?: string;
  /**
   * Media type of a response that is not JSON: the handler returns the text, the stream of Server-Sent Events, or, for CSV and ZIP with
   * `streams`, a `StreamedText`.
   */
  contentType?: 'text/xml' | 'text/event-stream' | 'text/csv' | 'application/zip';
  /** In bytes; 1 MiB if absent. */
  bodyLimit?: number;
  /** The record, or an array of records for a list. */
  data: TSchema;
  /** Set for a list that can be exported whole, with its parameter `format` (see exports.ts). */
  inOrderOf?: ListOrder;
  /** Commerce lists: what their `meta` may have in addition to `pagination`, all of it optional. */
  meta?: TObject;
  /** Marketing lists: the field for the records, next to `pagination`. */
  listAs?: string;
  status: 200 | 201;
  /** The same for every client: sent with an ETag, and kept by shared caches for a minute (see caching.ts). Only for GET. */
  cached?: true;
  /** Honours If-Match with the record's `revision`: the handler finds it in `ifMatch`. */
  conditional?: true;
  /** A public endpoint that supports Idempotency-Key for the sender identified by the signature. */
  replaysForSender?: true;
  /** By the state of the record, a repetition has no further effect: no response is stored for an Idempotency-Key. */
  repeatable?: true;
  /** The response shows a secret: it is stored encrypted for its Idempotency-Key. */
  returnsSecret?: true;
  /** Takes no body, but a rule may still refuse it. */
  mayRefuse?: true;
  /** Can return 404 although its path names no record. */
  mayFindNothing?: true;
  /** The response is sent while it is read: the handler returns a `Streamed` (see streaming.ts). Only for GET. */
  streams?: true;
  /** Why a person's request leaves no entry in the audit log. All other requests except GET leave one. */
  unaudited?: 'changes nothing' | 'concerns the person alone' | 'is a part of another';
  /** Further success statuses that the handler may choose. */
  alsoStatus?: 200 | 201;
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

/** A request as received. */
export interface RawRequest {
  /** Path and query, as requested. */
  url: string;
  /** The bytes of the body. */
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** The client's address. */
  address: string;
  /** Returns the caller for the signature's holder; from then on the request's Idempotency-Key is theirs. */
  callAs(holder: KeyHolder, actor: string): Caller;
  /** Waits until the company may have a large body processed; null for a small one. Returns a function to call at the end. Rejects with Overloaded. */
  beginProcessing(companyId: number): Promise<(() => void) | null>;
}

/** The person using the admin app. */
export interface Visitor {
  /** null if nobody is signed in. */
  session: Session | null;
  /** The secret in the cookie, valid or not. */
  secret: string | null;
  address: string;
  userAgent: string;
  /** Origin of the page, as sent by the browser: one of this server's, checked by the request guard. */
  origin: string;
  isHttps: boolean;
  /** Last event id of the browser's previous event stream. */
  lastEventId: string | null;
  /** Runs the work once the response has been sent or the connection has ended. It must not throw. */
  afterResponse(work: () => Promise<void>): void;
}

export interface Call<E extends Endpoint> {
  /** On a public endpoint it has no company: the handler determines it. */
  caller: Caller;
  params: StaticOf<E['params']>;
  query: StaticOf<E['query']>;
  body: E['scope'] extends 'public' ? undefined : StaticOf<E['body']>;
  /** The revisions that a `conditional` endpoint may overwrite; null if the request does not restrict them. */
  ifMatch: IfMatch | null;
  /** As sent, unchecked. */
  tokens: ShopperTokens;
  /** The client's address, and the site of the page that sent the request as its browser names it; null without a browser. */
  from: { address: string; origin: string | null };
  /** Store interface: where what is bought with the store key is taken from; null: wherever it is in stock. */
  locationId: number | null;
  /** The body of an endpoint with a `rawBody`; empty for others. */
  bytes: Buffer;
  /** On the admin surfaces; null on the others, where the type excludes it. */
  visitor: E['scope'] extends 'session' | PersonScope ? Visitor & { session: Session } : Visitor;
  /** Whether the key or the person also has another scope. Always false on public endpoints. */
  may(scope: Scope): boolean;
  /** Only for public endpoints. */
  request: 'public' extends E['scope'] ? RawRequest : undefined;
}

/** The response of a handler: the data, and the page for lists. */
export interface ApiResponse<Data = unknown> {
  data: Data;
  pagination?: Pagination;
  /** See `meta` of the endpoint. */
  meta?: Readonly<Record<string, unknown>>;
  /** Overrides the endpoint's own status. */
  status?: number;
  /** Headers of this response; they are not stored for an Idempotency-Key. */
  headers?: Record<string, string>;
}

/** A list whose records may be JSON from SQL, several at a time and separated by commas. */
type ListOf<E extends Endpoint> = E['inOrderOf'] extends { cursor: infer Field }
  ? { [Name in keyof Static<E['data']>]: Static<E['data']>[Name] | (Name extends Field ? RawJson[] : never) }
  : Static<E['data']> extends unknown[]
    ? RawJson[]
    : never;

/** The type of an endpoint's `data`: a value of its schema, or JSON from SQL; a stream if it `streams`. */
export type DataOf<E extends Endpoint> = E['contentType'] extends 'text/event-stream'
  ? Readable
  : E['contentType'] extends 'text/csv' | 'application/zip'
    ? StreamedText
    : E['streams'] extends true
      ? Streamed<Extract<Static<E['data']>, object>>
      : Static<E['data']> | RawJson | ListOf<E>;

/** Whether the endpoint takes a body of this Content-Type as bytes: by its `rawBody`, or always if it has no `body`. */
export function takesBytes({ rawBody, body }: Endpoint, contentType: string | undefined): boolean {
  if (rawBody === undefined || body === undefined) return rawBody !== undefined;
  const type = (contentType ?? '').toLowerCase();
  return rawBody.split(', ').some((one) => type.startsWith(one.replace('*', '')));
}

/** Whether the endpoint is a list, read by pages: its parameters are filters. */
export function hasPages({ method, query }: Endpoint): boolean {
  return method === 'GET' && query?.properties.per_page !== undefined;
}

/** Returns the field of the response that holds the records of a list by cursor. */
export function recordsField({ inOrderOf }: Endpoint): string | null {
  return inOrderOf !== undefined && 'cursor' in inOrderOf ? inOrderOf.cursor : null;
}

/** Returns the schema of a list's records; undefined if the endpoint is not a list. */
export function recordSchemaOf(endpoint: Endpoint): TSchema | undefined {
  const field = recordsField(endpoint);
  const list = field === null ? endpoint.data : (endpoint.data as TObject).properties[field];
  return (list as { items?: TSchema }).items;
}

/** A part of a list read from start to end, and the place after it; null at the end. */
export interface Walked {
  next: string | null;
}

export interface Route {
  endpoint: Endpoint;
  handle(call: Call<Endpoint>): Promise<unknown>;
  present(result: unknown): ApiResponse;
  behind?(call: Call<Endpoint>, place: string | null, limit: number): Promise<Walked>;
  inOrder?(call: Call<Endpoint>): AsyncIterable<unknown>;
  columns?(call: Call<Endpoint>): Promise<Readonly<Record<string, readonly string[]>>>;
}

/** How an export reads a list without pages: after a place, and all of it in the order of its parameter `sort`. */
export interface WholeReads<E extends Endpoint, R> {
  behind?: (call: Call<E>, place: string | null, limit: number) => Promise<R & Walked>;
  /** Defined by every list with `sort`. */
  inOrder?: (call: Call<E>) => AsyncIterable<R>;
  /** For CSV: the members of fields that are objects, each of which has a column of its own, `custom.material`. */
  columns?: (call: Call<E>) => Promise<Readonly<Record<string, readonly string[]>>>;
}

/**
 * Binds an endpoint to its handler. `handle` must return what the service's transaction returned, unchanged, because with an
 * Idempotency-Key `present` also renders it inside that transaction.
 */
export function route<E extends Endpoint>(endpoint: E, handle: (call: Call<E>) => Promise<DataOf<E>>): Route;
export function route<E extends Endpoint, R>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<R>,
  present: (result: R) => ApiResponse<DataOf<E>>,
  whole?: WholeReads<E, R>,
): Route;
export function route<E extends Endpoint, R>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<R>,
  present: (result: R) => ApiResponse = (data) => ({ data }),
  whole: WholeReads<E, R> = {},
): Route {
  // Each route has its own types, and a list of routes has no common one. The caller passes what the endpoint's own schemas accepted, which
  // TypeScript cannot express.
  return { endpoint, handle, present, ...whole } as unknown as Route;
}

export const FORMATS = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;
export type Format = keyof typeof FORMATS;

/** Parameters that select a page of a list: an export contains all pages. */
export const OF_A_PAGE: readonly string[] = ['page', 'per_page', 'before', 'cursor', 'facets'];

const format = Type.Optional(OneOf(Object.keys(FORMATS) as Format[]));

/** Returns the query schema of an endpoint: its own, plus `format` for a list that can be exported. */
export function queryOf({ query, inOrderOf }: Endpoint): TObject | undefined {
  return query === undefined || inOrderOf === undefined ? query : Type.Object({ ...query.properties, format });
}
