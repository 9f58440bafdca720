import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { KeyHolder } from '../../access/authenticator.ts';
import type { PersonScope } from '../../access/roles.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import type { Pagination } from '../../lib/paging.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import type { Streamed, StreamedText } from '../../lib/streamed.ts';
import type { IfMatch } from '../../lib/validation/revision.ts';

/**
 * How a list is read from one end to the other. By pages, whose records are ordered by the field `by`, descending unless said
 * otherwise; `id` tells records with the same `by` apart, by all that they hold where it is null. By its parameter `before`, which takes
 * a field of the last record. By its cursor, where the records stand in a field of the response. Or by what its route reads
 * `behind` a place.
 */
export type ListOrder =
  | { by: string; id?: string | null; direction?: 'asc' }
  | { before: string }
  | { cursor: string }
  | { behind: true };

/**
 * An endpoint is data: routing, validation, types, OpenAPI, the typed client and the walking tests come from it. `scope`
 * is required, so that an endpoint without one does not compile.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Under the API's base, with `{name}` for parameters. */
  path: string;
  /**
   * What the key or the person's role must permit. `public` authenticates itself (the signed webhook), `session` serves
   * everybody who is signed in, `anyone` everybody.
   */
  scope: Scope | PersonScope | 'public' | 'session' | 'anyone';
  /** What a person's role must permit, where that is not the scope of a key. */
  personScope?: PersonScope;
  /** A person must have proved within the last 15 minutes who they are. */
  confirm?: true;
  /** The resource in the API reference. */
  tag: string;
  summary: string;
  description?: string;
  /** Parameters of the path, in order. `Type.Integer()` ones give 404 for anything that is not an id. */
  params?: TObject;
  query?: TObject;
  /** Of a public endpoint only what the API reference shows: its handler reads the body once it believes the request. */
  body?: TObject;
  /** A request without a body is as good as one with `{}`. */
  bodyOptional?: true;
  /** The body's bytes are the handler's own affair, whatever Content-Type says of them. */
  anyContentType?: true;
  /** The media types of a body that is taken as bytes, such as `image/*`: the handler finds them in `bytes`. */
  rawBody?: string;
  /** Of the response, where its reader takes no JSON: the handler gives the text, the stream of Server-Sent Events, or for CSV
   * and ZIP, which `stream`, a `StreamedText`. */
  contentType?: 'text/xml' | 'text/event-stream' | 'text/csv' | 'application/zip';
  /** Bytes; 1 MiB where absent. */
  bodyLimit?: number;
  /** The record, or an array of records for a list. */
  data: TSchema;
  /** A list that can be exported whole: its parameter `format` (see exports/exports.ts). */
  inOrderOf?: ListOrder;
  /** Marketing lists: the name under which the records stand beside `pagination`. */
  listAs?: string;
  status: 200 | 201;
  /** Honours If-Match with the record's `revision`: the handler finds it in `ifMatch`. */
  conditional?: true;
  /** A public endpoint that honours Idempotency-Key, of the sender that its signature names. */
  replaysForSender?: true;
  /** The response shows a secret: it is stored encrypted for its Idempotency-Key. */
  returnsSecret?: true;
  /** Takes no body, and is refused by a rule nevertheless. */
  mayRefuse?: true;
  /** Can return 404 although its path names no record. */
  mayFindNothing?: true;
  /** The response is sent while it is read: the handler gives a `Streamed` (see streaming/streamed.ts). Of a GET alone. */
  streams?: true;
  /** Why a person's request leaves no entry in the audit log: any other that is no GET leaves one. */
  unaudited?: 'changes nothing' | 'concerns the person alone' | 'is a part of another';
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
  /** Waits until the body may be worked on, as one of the company's; gives how to end that. Throws Overloaded. */
  turn(companyId: number): Promise<() => void>;
}

/** Who sits before the admin app. */
export interface Visitor {
  /** null where nobody is signed in. */
  session: Session | null;
  /** The secret in the cookie, whether it is one or not. */
  secret: string | null;
  address: string;
  userAgent: string;
  /** Of the page, as the browser names it: one of this server's, which was checked at the door. */
  origin: string;
  isHttps: boolean;
  /** Of a stream of events that the browser had before. */
  lastEventId: string | null;
}

export interface Call<E extends Endpoint> {
  /** Of a public endpoint without a company: the handler finds it. */
  caller: Caller;
  params: StaticOf<E['params']>;
  query: StaticOf<E['query']>;
  body: E['scope'] extends 'public' ? undefined : StaticOf<E['body']>;
  /** The revisions over which a `conditional` endpoint may save; null where the request leaves that open. */
  ifMatch: IfMatch | null;
  /** Of an endpoint with a `rawBody`; empty for others. */
  bytes: Buffer;
  /** On the admin surface; null on the others, where the type is not asked for. */
  visitor: E['scope'] extends 'session' | PersonScope ? Visitor & { session: Session } : Visitor;
  /** Only for public endpoints. */
  request: 'public' extends E['scope'] ? RawRequest : undefined;
}

/** What the edge sends: the data, and for lists the page. */
export interface ApiResponse<Data = unknown> {
  data: Data;
  pagination?: Pagination;
  /** Where it is not the endpoint's own status. */
  status?: number;
  /** Headers of this response; one that is stored for an Idempotency-Key keeps none. */
  headers?: Record<string, string>;
}

/** A list whose records may be JSON from SQL, some at a time with commas between them. */
type ListOf<E extends Endpoint> = E['inOrderOf'] extends { cursor: infer Field }
  ? { [Name in keyof Static<E['data']>]: Static<E['data']>[Name] | (Name extends Field ? RawJson[] : never) }
  : Static<E['data']> extends unknown[]
    ? RawJson[]
    : never;

/** What may be sent as an endpoint's `data`: a value of its schema, or that as JSON from SQL; a stream where it `streams`. */
export type DataOf<E extends Endpoint> = E['contentType'] extends 'text/event-stream'
  ? Readable
  : E['contentType'] extends 'text/csv' | 'application/zip'
    ? StreamedText
    : E['streams'] extends true
      ? Streamed<Extract<Static<E['data']>, object>>
      : Static<E['data']> | RawJson | ListOf<E>;

/** The field of the response in which the records stand, of a list by cursor. */
export function recordsField({ inOrderOf }: Endpoint): string | null {
  return inOrderOf !== undefined && 'cursor' in inOrderOf ? inOrderOf.cursor : null;
}

/** The schema of a list's records; undefined of an endpoint that gives no list. */
export function recordSchemaOf(endpoint: Endpoint): TSchema | undefined {
  const field = recordsField(endpoint);
  const list = field === null ? endpoint.data : (endpoint.data as TObject).properties[field];
  return (list as { items?: TSchema }).items;
}

/** A part of a list that is read from one end to the other, and the place behind it; null at the end. */
export interface Walked {
  next: string | null;
}

export interface Route {
  endpoint: Endpoint;
  handle(call: Call<Endpoint>): Promise<unknown>;
  present(result: unknown): ApiResponse;
  behind?(call: Call<Endpoint>, place: string | null, limit: number): Promise<Walked>;
  inOrder?(call: Call<Endpoint>): AsyncIterable<unknown>;
}

/** How an export reads a list that is not read by its pages: behind a place, and all of it in the order of its parameter `sort`. */
export interface WholeReads<E extends Endpoint, R> {
  behind?: (call: Call<E>, place: string | null, limit: number) => Promise<R & Walked>;
  /** Every list with `sort` has it. */
  inOrder?: (call: Call<E>) => AsyncIterable<R>;
}

/**
 * Joins an endpoint to its handler. What `handle` returns must be what the service's transaction returned, unchanged,
 * because `present` renders it inside that transaction as well when the request carries an Idempotency-Key.
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
  // Each route has types of its own; a list of them has none in common. Who calls one gives it what its own endpoint's
  // schemas have passed, which TypeScript has no way to say.
  return { endpoint, handle, present, ...whole } as unknown as Route;
}
