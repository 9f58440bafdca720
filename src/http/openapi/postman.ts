/** The parts of an OpenAPI document that are read here. */
interface Document {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
  responses: Record<string, { content?: Record<string, { example: unknown }> }>;
}
interface Parameter {
  name?: string;
  in?: string;
  description?: string;
  schema?: { minimum?: number; enum?: unknown[]; type?: unknown };
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** Authentication of each API, using the collection's variables. */
const AUTH = {
  commerce: {
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{api_key}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    headers: [],
  },
  marketing: {
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    headers: [{ key: 'X-Company-ID', value: '{{company_id}}' }],
  },
};

/**
 * Builds a Postman collection (format 2.1, which Bruno, Insomnia and Hoppscotch can also import) from an API's OpenAPI document, with a
 * folder per resource and a request with its example per endpoint. The user sets the variables `origin`, `api_key` and `company_id`.
 */
export function postmanCollection(api: 'commerce' | 'marketing', document: object): object {
  const { info, servers, tags, paths } = document as Document;
  const prefix = servers[0]!.url;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return {
    info: { name: info.title, description: info.description, version: info.version, schema: SCHEMA },
    auth: AUTH[api].auth,
    variable: [
      { key: 'origin', value: 'http://127.0.0.1:3000' },
      { key: 'api_key', value: '' },
      ...(api === 'marketing' ? [{ key: 'company_id', value: '1' }] : []),
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => itemOf(api, prefix, path, method, operation)),
    })),
  };
}

function itemOf(
  api: 'commerce' | 'marketing',
  prefix: string,
  path: string,
  method: string,
  operation: Operation,
): object {
  const { operationId: id, summary: name, description, requestBody, parameters = [], security, responses } = operation;
  const address = (prefix + path).replace(/\{(\w+)\}/g, ':$1');
  const query = parameters.filter((one) => one.in === 'query');
  const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2'))!;
  // An endpoint that authenticates itself by a signature takes no key.
  const isSigned = !security.some((requirement) => 'apiKey' in requirement || 'bearerKey' in requirement);
  const request = {
    method,
    ...(isSigned ? { auth: { type: 'noauth' } } : {}),
    header: [
      ...AUTH[api].headers,
      ...(requestBody === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ],
    url: {
      raw: `{{origin}}${address}`,
      host: ['{{origin}}'],
      path: address.slice(1).split('/'),
      query: query.map((one) => ({
        key: one.name,
        value: String(one.schema?.enum?.[0] ?? one.schema?.minimum ?? ''),
        description: one.description ?? '',
        disabled: true,
      })),
      variable: parameters
        .filter((one) => one.in === 'path')
        .map((one) => ({ key: one.name, value: '1', description: one.description ?? '' })),
    },
    description,
    ...(requestBody === undefined ? {} : { body: bodyOf(requestBody.content['application/json'].example) }),
  };
  const [type, content] = Object.entries(success.content ?? {})[0] ?? [];
  const response = {
    name: 'Done',
    originalRequest: request,
    status: 'Done',
    code: Number(status),
    header: [{ key: 'Content-Type', value: type ?? 'application/json' }],
    body: typeof content?.example === 'string' ? content.example : JSON.stringify(content?.example ?? null, null, 2),
  };
  return { id, name, request, response: [response] };
}

function bodyOf(example: unknown): object {
  return { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } };
}
