import { type RawResponse, type Sender, send } from './transport.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The generated types of an endpoint. */
interface EndpointType {
  options: object;
  data: unknown;
}
type Endpoints = { [Name in string]: EndpointType };

/** The paths of a method. */
export type PathOf<E, M extends Method> = {
  [Name in keyof E]: Name extends `${M} ${infer Path}` ? Path : never;
}[keyof E];

/** The paths of lists that have pages. */
export type ListPathOf<E> = {
  [Name in keyof E]: Name extends `GET ${infer Path}` ? (E[Name] extends { item: unknown } ? Path : never) : never;
}[keyof E];

type Of<E, M extends Method, P extends string> = E[`${M} ${P}` & keyof E];
type Data<T> = T extends { data: infer D } ? D : never;
type Item<T> = T extends { item: infer I } ? I : never;

/** Allows ids as numbers wherever the API takes texts. */
type Own<T> = T extends { options: infer O }
  ? { [Field in keyof O]: Field extends 'path' ? { [Name in keyof O[Field]]: O[Field][Name] | number } : O[Field] }
  : never;

export interface RequestOptions {
  /** Of a POST or PATCH; generated if absent. The same key with the same request takes effect once. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

type Options<T> = Own<T> & RequestOptions;
type Arguments<T> = Record<never, never> extends Own<T> ? [options?: Options<T>] : [options: Options<T>];

export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

export interface Page<Record> {
  items: Record[];
  pagination: Pagination;
}

/** A response with the information from its headers. */
export interface ApiResponse<T> {
  data: T;
  status: number;
  headers: Headers;
  requestId: string | null;
  /** The response is that of an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
  /** Fields of the body that the server does not know: shows spelling mistakes. */
  ignoredFields: string[];
  /** The same of the query; a list refuses them. */
  ignoredParameters: string[];
}

/** One of the APIs, every endpoint by its method and path. */
export interface Surface<E> {
  get<P extends PathOf<E, 'GET'> & string>(
    path: P,
    ...args: Arguments<Of<E, 'GET', P>>
  ): Promise<Data<Of<E, 'GET', P>>>;
  post<P extends PathOf<E, 'POST'> & string>(
    path: P,
    ...args: Arguments<Of<E, 'POST', P>>
  ): Promise<Data<Of<E, 'POST', P>>>;
  put<P extends PathOf<E, 'PUT'> & string>(
    path: P,
    ...args: Arguments<Of<E, 'PUT', P>>
  ): Promise<Data<Of<E, 'PUT', P>>>;
  patch<P extends PathOf<E, 'PATCH'> & string>(
    path: P,
    ...args: Arguments<Of<E, 'PATCH', P>>
  ): Promise<Data<Of<E, 'PATCH', P>>>;
  delete<P extends PathOf<E, 'DELETE'> & string>(
    path: P,
    ...args: Arguments<Of<E, 'DELETE', P>>
  ): Promise<Data<Of<E, 'DELETE', P>>>;
  /** Calls any endpoint; returns status and headers, too. */
  request<M extends Method, P extends PathOf<E, M> & string>(
    method: M,
    path: P,
    ...args: Arguments<Of<E, M, P>>
  ): Promise<ApiResponse<Data<Of<E, M, P>>>>;
  /** One page of a list. */
  page<P extends ListPathOf<E> & string>(
    path: P,
    ...args: Arguments<Of<E, 'GET', P>>
  ): Promise<Page<Item<Of<E, 'GET', P>>>>;
  /** Yields every record of a list; requests pages of 100 as the loop reaches them. */
  list<P extends ListPathOf<E> & string>(
    path: P,
    ...args: Arguments<Of<E, 'GET', P>>
  ): AsyncGenerator<Item<Of<E, 'GET', P>>, void, undefined>;
}

export interface SurfaceSettings {
  prefix: string;
  headers: Record<string, string>;
  /** The result within a response's body. */
  unwrap(body: unknown): unknown;
  pageOf(body: unknown): Page<unknown>;
}

/** The responses `{success, data, meta}`. */
export const enveloped: Pick<SurfaceSettings, 'unwrap' | 'pageOf'> = {
  unwrap: (body) => (body as { data: unknown }).data,
  pageOf: (body) => {
    const { data, meta } = body as { data: unknown[]; meta: { pagination: Pagination } };
    return { items: data, pagination: meta.pagination };
  },
};

/** Options of any endpoint, before validation of their types. */
interface LooseOptions extends RequestOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const LARGEST_PAGE = 100;

/** The typed access to one API. */
export function surfaceOf<E extends { [Name in keyof E]: Endpoints[string] }>(
  options: Sender,
  settings: SurfaceSettings,
): Surface<E> {
  async function call(method: Method, path: string, given: LooseOptions = {}): Promise<RawResponse> {
    const { path: values = {}, query = {}, body, idempotencyKey, signal } = given;
    const isWrite = method === 'POST' || method === 'PATCH';
    return send(options, {
      method,
      path: settings.prefix + filled(path, values) + queryOf(query),
      headers: {
        Accept: 'application/json',
        ...settings.headers,
        ...options.headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(isWrite ? { 'Idempotency-Key': idempotencyKey ?? crypto.randomUUID() } : {}),
        ...given.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  }

  const dataOf = async (method: Method, path: string, given?: LooseOptions): Promise<unknown> =>
    settings.unwrap((await call(method, path, given)).body);

  const page = async (path: string, given?: LooseOptions): Promise<Page<unknown>> =>
    settings.pageOf((await call('GET', path, given)).body);

  async function* list(path: string, given: LooseOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const query: Record<string, unknown> = { per_page: LARGEST_PAGE, ...given.query };
    for (let number = Number(query.page ?? 1); ; number++) {
      const { items, pagination } = await page(path, { ...given, query: { ...query, page: number } });
      yield* items;
      if (number >= pagination.total_pages || items.length === 0) return;
    }
  }

  async function request(method: Method, path: string, given?: LooseOptions): Promise<ApiResponse<unknown>> {
    const { status, headers, body } = await call(method, path, given);
    return {
      data: settings.unwrap(body),
      status,
      headers,
      requestId: headers.get('x-request-id'),
      isReplayed: headers.get('idempotent-replayed') === 'true',
      ignoredFields: headers.get('x-ignored-fields')?.split(/,\s*/) ?? [],
      ignoredParameters: headers.get('x-ignored-parameters')?.split(/,\s*/) ?? [],
    };
  }

  const methods = {
    get: (path: string, given?: LooseOptions) => dataOf('GET', path, given),
    post: (path: string, given?: LooseOptions) => dataOf('POST', path, given),
    put: (path: string, given?: LooseOptions) => dataOf('PUT', path, given),
    patch: (path: string, given?: LooseOptions) => dataOf('PATCH', path, given),
    delete: (path: string, given?: LooseOptions) => dataOf('DELETE', path, given),
    request,
    page,
    list,
  };
  // The types of each endpoint come from the contracts; what runs is the same for all of them.
  return methods as unknown as Surface<E>;
}

function filled(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined || value === null || value === '') throw new TypeError(`${path}: path.${name} is missing`);
    return encodeURIComponent(String(value));
  });
}

function queryOf(query: Record<string, unknown>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.append(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
