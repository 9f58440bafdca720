import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { commerceEndpoints, marketingEndpoints, storeEndpoints } from '../endpoints.ts';
import type { Route } from '../http/api/endpoint.ts';
import { plainSchema } from '../http/api/plain-schema.ts';
import { commerceSurface } from '../http/api/surfaces/commerce.ts';
import { marketingSurface } from '../http/api/surfaces/marketing.ts';
import { storeSurface } from '../http/api/surfaces/store.ts';
import { openapiDocument } from '../http/openapi/document.ts';
import { RawJson } from '../lib/raw-json.ts';
import { Streamed } from '../lib/streamed.ts';
import { SHOP_EVENTS, type ShopTopic } from '../outbox/shop-events.ts';
import type { TestResponse } from './harness.ts';

/** The OpenAPI documents as checks of real responses. */
interface DescribedApi {
  prefix: RegExp;
  ajv: Ajv2020;
  /** Paths with fewer parameters first: `/flows/library` must not match `/flows/{id}`. */
  addresses: { path: string; pattern: RegExp }[];
  operations: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  checks: Map<string, ValidateFunction>;
}

const DOCUMENT = 'openapi.json';

const APIS = [
  checksOf(/^\/commerce\/v1/, openapiDocument(commerceSurface, commerceEndpoints)),
  checksOf(/^\/marketing(\/v1)?/, openapiDocument(marketingSurface, marketingEndpoints)),
  checksOf(/^\/store\/v1/, openapiDocument(storeSurface, storeEndpoints)),
];

/**
 * Throws where a response contradicts its API's OpenAPI document: a status that the endpoint does not have, a field
 * that is not described, is missing, or is of another type. Addresses outside of the APIs pass.
 */
export function expectDescribed(method: string, url: string, { status, body }: TestResponse): void {
  const path = url.split('?', 1)[0]!;
  const found = APIS.find(({ prefix }) => prefix.test(path));
  const address = found?.addresses.find(({ pattern }) => pattern.test(path.replace(found.prefix, '')))?.path;
  const responses = address && found?.operations[address]?.[method.toLowerCase()]?.responses;
  if (!responses) return;
  const where = `${method} ${address} ${status}`;
  // Without a body.
  if (status === 304 && status in responses) return;
  const response = responses[status];
  if (response === undefined) throw new Error(`${where} is not described`);
  const pointer = response.$ref?.slice(1) ?? pointerTo('paths', address, method.toLowerCase(), 'responses', status);
  let check = found.checks.get(pointer);
  if (check === undefined) {
    const schema = `${pointer}${pointerTo('content', 'application/json', 'schema')}`;
    check = found.ajv.compile({ $ref: `${DOCUMENT}#${encodeURI(schema)}` });
    found.checks.set(pointer, check);
  }
  if (!check(body)) throw new Error(`${where} is not as it is described: ${found.ajv.errorsText(check.errors)}`);
}

/** Throws where the data of a shop event contradicts the description of its webhook. */
export function expectDescribedEvents(events: { topic: ShopTopic; data: object }[]): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as typeof addFormats.default)(ajv);
  const checks = new Map<ShopTopic, ValidateFunction>();
  for (const { topic, data } of events) {
    const check = checks.get(topic) ?? ajv.compile(closed(plainSchema(SHOP_EVENTS[topic].data)) as object);
    checks.set(topic, check);
    if (!check(data)) throw new Error(`${topic} is not as it is described: ${ajv.errorsText(check.errors)}`);
  }
}

/**
 * Checks the handlers' results as well, before they are serialised: a serialiser would turn null into 0 or an empty
 * text. A result that does not match becomes an internal error.
 */
export function watchResults(routes: readonly Route[]): void {
  for (const route of routes) {
    const { present, endpoint } = route;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let check: ValidateFunction | null = null;
    route.present = (result) => {
      const response = present(result);
      // A streamed response is checked when all of its text has arrived.
      if (response.data instanceof RawJson || response.data instanceof Streamed) return response;
      check ??= ajv.compile(plainSchema(endpoint.data));
      const data = Array.isArray(response.data) ? response.data.flatMap(recordsIn) : response.data;
      const shown = JSON.stringify(data, (_key, value) => (value instanceof RawJson ? JSON.parse(value.text) : value));
      if (!check(JSON.parse(shown))) throw new Error(`${endpoint.path}: ${ajv.errorsText(check.errors)}`);
      return response;
    };
  }
}

/** One text from SQL may contain several records of a list. */
function recordsIn(one: unknown): unknown[] {
  return one instanceof RawJson ? JSON.parse(`[${one.text}]`) : [one];
}

function pointerTo(...parts: (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('/', '~1')}`).join('');
}

function checksOf(prefix: RegExp, made: object): DescribedApi {
  const document = closed(made) as { paths: DescribedApi['operations'] };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as typeof addFormats.default)(ajv);
  ajv.addSchema(document, DOCUMENT);
  const addresses = Object.keys(document.paths)
    .toSorted((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  return { prefix, ajv, addresses, operations: document.paths, checks: new Map() };
}

/** The same schema, but objects may have only the fields that are described. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const isSchema = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined;
  return isSchema ? { ...copy, additionalProperties: false } : copy;
}
