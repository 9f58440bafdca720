import createClient, { type Client } from 'openapi-fetch';
import { errorOf } from './errors.ts';
import type { paths, schemas } from './schema.ts';
import { send } from './transport.ts';

export type Api = Client<paths>;
/** A record of the API by its side and name, such as Model<'Order'>. */
export type Model<Name extends keyof schemas> = schemas[Name];

/** The response of a GET of the path. */
export type ResponseOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** The body of a request that changes something, such as BodyOf<'/orders', 'post'>. */
export type BodyOf<Path extends keyof paths, Method extends 'post' | 'put' | 'patch'> = paths[Path][Method] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

const clients = new Map<number, Api>();

/** The typed client of a company. */
export function apiOf(companyId: number): Api {
  let api = clients.get(companyId);
  if (api === undefined) {
    api = createClient<paths>({ baseUrl: `${location.origin}/admin/api/${companyId}`, fetch: send });
    clients.set(companyId, api);
  }
  return api;
}

/** The body of a successful response. @throws ApiError */
export async function ok<Body>(result: Promise<{ data?: Body; error?: unknown; response: Response }>): Promise<Body> {
  const { data, error, response } = await result;
  if (!response.ok || data === undefined) throw errorOf(response.status, error);
  return data;
}

/** Returns the `data` of a commerce API response. @throws ApiError */
export async function dataOf<Data>(
  result: Promise<{ data?: { data: Data }; error?: unknown; response: Response }>,
): Promise<Data> {
  return (await ok(result)).data;
}

export interface Rows<Row> {
  rows: Row[];
  total: number;
}

/** A page of a list of the commerce API. @throws ApiError */
export async function rowsOf<Row>(
  result: Promise<{ data?: { data: Row[]; meta: { pagination?: Pagination } }; error?: unknown; response: Response }>,
): Promise<Rows<Row>> {
  const { data, meta } = await ok(result);
  return { rows: data, total: meta.pagination?.total ?? data.length };
}
