import type { TSchema } from 'typebox';
import { type Endpoint, hasPages, recordSchemaOf } from '../api/endpoint.ts';
import { type JsonSchema, plainSchema } from '../api/plain-schema.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { adminDescription } from './admin-description.ts';
import { commerceDescription } from './commerce-description.ts';
import type { Description } from './description.ts';
import { exampleValuesOf } from './example-values.ts';
import { bodyExampleOf, exampleOf } from './examples.ts';
import { marketingDescription } from './marketing-description.ts';
import { type Models, modelOr, modelsOf } from './models.ts';
import { pascal } from './names.ts';
import { SHARED } from './shared-components.ts';
import { storeDescription } from './store-description.ts';
import { TAGS } from './tags.ts';
import { type Webhook, webhooksOf } from './webhooks.ts';

const DESCRIPTIONS: Record<Surface['name'], Description> = {
  commerce: commerceDescription,
  marketing: marketingDescription,
  store: storeDescription,
  admin: adminDescription,
};

/**
 * Generates the OpenAPI document of an API from its endpoints and webhooks alone. Its server is a path, so that it is valid under any
 * origin.
 */
export function openapiDocument(
  surface: Surface,
  endpoints: readonly Endpoint[],
  webhooks: readonly Webhook[] = [],
): object {
  const description = DESCRIPTIONS[surface.name];
  const components = new Map<string, JsonSchema>();
  const models = { named: modelsOf(endpoints, components), components };
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = operationOf(description, endpoint, models);
  }
  const named = Object.fromEntries([...models.named].map(([text, name]) => [name, JSON.parse(text) as JsonSchema]));
  const security = [description.security, ...endpoints.flatMap((endpoint) => securityOf(description, endpoint))];
  const schemes = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))];
  const responses = usedIn(JSON.stringify(paths), 'responses', responsesOf(description));
  const text = JSON.stringify([paths, responses]);
  return {
    openapi: '3.1.1',
    info: { ...description.info, contact: { name: 'Tradeloom' } },
    servers: [{ url: surface.prefixes[0], description: 'This server' }],
    security: [description.security],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: webhooksOf(webhooks) }),
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(description.securitySchemes).filter(([name]) => schemes.has(name)),
      ),
      parameters: usedIn(text, 'parameters', SHARED.parameters),
      headers: usedIn(text, 'headers', { ...SHARED.headers, ...description.headers }),
      responses,
      schemas: { ...named, ...Object.fromEntries(components), ...SHARED.schemas, Error: description.error },
    },
  };
}

/** Returns the components that the text of a document refers to. */
function usedIn(text: string, kind: 'parameters' | 'headers' | 'responses', components: object): object {
  const used = Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`));
  return Object.fromEntries(used);
}

function operationOf(description: Description, endpoint: Endpoint, models: Models): object {
  const { tag, summary, scope, query, params, status, alsoStatus } = endpoint;
  const needs = needsOf(scope);
  const statuses = [status, ...(alsoStatus === undefined ? [] : [alsoStatus])].sort();
  const success = successOf(description, endpoint, models);
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  if (keepsResponses(endpoint)) parameters.push({ $ref: '#/components/parameters/IdempotencyKey' });
  if (endpoint.conditional) parameters.push({ $ref: '#/components/parameters/IfMatch' });
  if (endpoint.cached) parameters.push({ $ref: '#/components/parameters/IfNoneMatch' });
  if (endpoint.inOrderOf !== undefined) parameters.push({ $ref: '#/components/parameters/Format' });
  return {
    operationId: operationIdOf(endpoint),
    tags: [tag],
    summary,
    description: endpoint.description === undefined ? needs : `${endpoint.description}\n\n${needs}`,
    // Not within `security`: before OpenAPI 3.1 only OAuth had scopes there, and tools rely on that.
    ...(isPublic(endpoint) || scope === 'store' ? {} : { 'x-scope': scope }),
    security: securityOf(description, endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(endpoint, models),
    responses: {
      ...Object.fromEntries(statuses.map((code) => [code, success])),
      ...(endpoint.cached ? { 304: NOT_CHANGED } : {}),
      ...Object.fromEntries(
        description.failures(endpoint).map((code) => [code, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

const NOT_CHANGED = { description: 'Nothing has changed since the response with the ETag in `If-None-Match`' };

function needsOf(scope: Endpoint['scope']): string {
  if (scope === 'store') return 'Needs a store key.';
  return scope === 'public' ? 'Authenticates itself by its signature.' : `Needs the scope \`${scope}\`.`;
}

/** `GET /orders/{id}/history` → getOrdersByIdHistory: changes only if the path does. */
export function operationIdOf({ method, path }: Endpoint): string {
  const words = path.split('/').filter(Boolean);
  const parts = words.map((word) => (word.startsWith('{') ? `By${pascal(word.slice(1, -1))}` : pascal(word)));
  return method.toLowerCase() + parts.join('');
}

/** Whether the endpoint authenticates itself, by a signature. */
function isPublic({ scope }: Endpoint): boolean {
  return scope === 'public';
}

/** The alternatives of what a request must carry. */
function securityOf(description: Description, endpoint: Endpoint): object[] {
  if (isPublic(endpoint)) return description.publicSecurity;
  const { tokens = [], tokensOptional } = endpoint;
  const withToken = tokens.map((token) => ({ ...description.security, [`${token}Token`]: [] }));
  return tokens.length > 0 && !tokensOptional ? withToken : [...withToken, description.security];
}

/** Whether the endpoint honours Idempotency-Key. */
function keepsResponses({ method, scope, replaysForSender, repeatable, tokens }: Endpoint): boolean {
  if ((scope === 'store' && tokens === undefined) || repeatable) return false;
  return (method === 'POST' || method === 'PATCH') && (scope !== 'public' || replaysForSender === true);
}

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = plainSchema(schema) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    ...(place === 'query' && rest.type === 'object' ? dottedParameter(name, rest) : { schema: rest }),
  }));
}

/** The parameters `{name}.{key}` as OpenAPI describes any number of parameters: as an object of which each member is a parameter. */
function dottedParameter(name: string, { maxProperties }: JsonSchema): object {
  const member = { type: ['string', 'number', 'boolean'] };
  const schema = { type: 'object', maxProperties, patternProperties: { [`^${name}\\.`]: member } };
  return { style: 'form', explode: true, schema };
}

/** Bytes have no schema in OpenAPI 3.1. */
function requestBodyOf(endpoint: Endpoint, { components }: Models): object {
  const { body, rawBody = '', bodyLimit, bodyOptional } = endpoint;
  if (body === undefined && rawBody === '') return {};
  const json = body && {
    schema: plainSchema(body, components),
    example: bodyExampleOf(plainSchema(body), exampleValuesOf(endpoint.tag)),
  };
  const bytes = rawBody.split(', ').filter((type) => type !== '');
  return {
    requestBody: {
      required: bodyOptional !== true,
      ...(bodyLimit === undefined ? {} : { description: `At most ${Math.round(bodyLimit / 1024)} KiB.` }),
      content: {
        ...(json === undefined ? {} : { 'application/json': json }),
        ...Object.fromEntries(bytes.map((type) => [type, {}])),
      },
    },
  };
}

const STREAMED =
  'Done. Sent while it is read, without Content-Length: where it cannot be read to its end, the connection is cut. Two are sent to a company at a time; beyond that, and for a client that takes nothing for 30 seconds, it ends.';

function successOf(description: Description, endpoint: Endpoint, models: Models): object {
  const data = plainSchema(endpoint.data, models.components);
  const isList = data.type === 'array';
  const example = exampleOf(data, exampleValuesOf(endpoint.tag).values);
  const items = isList ? { type: 'array', items: modelOr(data.items as JsonSchema, models) } : modelOr(data, models);
  const paginated = isList && (endpoint.listAs !== undefined || endpoint.query?.properties.page !== undefined);
  const names = [
    ...(endpoint.scope === 'public' || !description.showsLimit ? [] : SHARED.rateHeaders),
    ...Object.keys(description.headers),
    'X-Request-Id',
    ...(endpoint.cached ? ['ETag'] : []),
    ...(endpoint.body === undefined ? [] : ['X-Ignored-Fields']),
    ...(isPublic(endpoint) || hasPages(endpoint) ? [] : ['X-Ignored-Parameters']),
    ...(keepsResponses(endpoint) ? ['Idempotent-Replayed'] : []),
  ];
  return {
    description: endpoint.streams ? STREAMED : 'Done',
    headers: headerRefs(names),
    content: {
      [endpoint.contentType ?? 'application/json']: description.envelope({
        data: items,
        example,
        paginated,
        listAs: endpoint.listAs,
        meta: endpoint.meta === undefined ? {} : (plainSchema(endpoint.meta).properties as Record<string, JsonSchema>),
      }),
      ...(endpoint.inOrderOf === undefined ? {} : filesOf(endpoint, models)),
    },
  };
}

/** The response of a list exported as a file. */
function filesOf(endpoint: Endpoint, models: Models): object {
  const record = modelOr(plainSchema(recordSchemaOf(endpoint)!, models.components), models);
  return {
    'text/csv': { schema: { type: 'string', description: 'The fields of the records; arrays and objects as JSON' } },
    'application/jsonl': { schema: { type: 'string', description: 'A record in each line', contentSchema: record } },
  };
}

function responsesOf(description: Description): Record<string, object> {
  const headers = [...Object.keys(description.headers), 'X-Request-Id'];
  return Object.fromEntries(
    Object.entries(description.statuses).map(([code, { meaning, example }]) => [
      code,
      {
        description: meaning,
        headers: headerRefs([
          ...(code === '429' ? [...(description.showsLimit ? SHARED.rateHeaders : []), 'Retry-After'] : []),
          ...headers,
        ]),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
      },
    ]),
  );
}

function headerRefs(names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
