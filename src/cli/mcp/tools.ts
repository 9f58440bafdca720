import type { Scope } from '../../access/scopes.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { type JsonSchema, plainSchema } from '../../http/api/plain-schema.ts';
import { operationIdOf } from '../../http/openapi/document.ts';

export type Side = 'commerce' | 'marketing';

/** A tool that calls one endpoint. */
export interface EndpointTool {
  name: string;
  side: Side;
  endpoint: Endpoint;
  scope: Scope;
  /** Whether it changes something: available only with --allow-writes, and executed after a confirmation. */
  isWrite: boolean;
  title: string;
  description: string;
  /** Path and query parameters by name, and `body`. */
  inputSchema: JsonSchema;
}

/**
 * Returns the tools of an API, one for each endpoint that a key may call. Leaves out what does not belong in a conversation:
 * passwords and other secrets (also as fields), responses that show one, and exports of everything that is stored about a person.
 */
export function toolsOf(side: Side, endpoints: readonly Endpoint[]): EndpointTool[] {
  return endpoints.filter(isOffered).map((endpoint) => {
    const { method, path, summary, description = '', scope, tag } = endpoint;
    return {
      name: operationIdOf(endpoint),
      side,
      endpoint,
      scope: scope as Scope,
      isWrite: !String(scope).endsWith(':read'),
      title: summary,
      description: `${summary}. ${description}\n\n${tag}, ${side} API: ${method} ${path}`.replace('. \n', '.\n'),
      inputSchema: inputOf(endpoint),
    };
  });
}

function isOffered({ scope, streams, returnsSecret, body }: Endpoint): boolean {
  return scope !== 'public' && !streams && !returnsSecret && !body?.required?.includes('password');
}

function inputOf({ params, query, body, bodyOptional }: Endpoint): JsonSchema {
  const parts = [params, query].filter((part) => part !== undefined).map((part) => plainSchema(part));
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, JsonSchema>;
  for (const name of Object.keys(params?.properties ?? {})) properties[name] = ofPath(properties[name]!);
  const required = [
    ...Object.keys(params?.properties ?? {}),
    ...((parts.at(-1)?.required ?? []) as string[]),
    ...(body !== undefined && !bodyOptional ? ['body'] : []),
  ];
  return {
    type: 'object',
    properties: { ...properties, ...(body === undefined ? {} : { body: withoutSecrets(plainSchema(body)) }) },
    required: [...new Set(required)],
    additionalProperties: false,
  };
}

/** An id or slug is a text in a path. As an argument an id is the number that lists and records show. */
function ofPath(schema: JsonSchema): JsonSchema {
  return schema.type === 'string' ? { ...schema, type: ['string', 'integer'] } : schema;
}

const SECRETS = ['password', 'private_key', 'signing_key'];

/** Returns the body without fields that are secrets, and without records that need one. */
function withoutSecrets(schema: JsonSchema): JsonSchema {
  if (schema.properties === undefined) return schema;
  const needsSecret = ({ required = [] }: JsonSchema): boolean =>
    (required as string[]).some((name) => SECRETS.includes(name));
  const kept = Object.entries(schema.properties as Record<string, JsonSchema>)
    .filter(([name, part]) => !SECRETS.includes(name) && !needsSecret(part))
    .map(([name, part]) => [name, withoutSecrets(part)]);
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Converts the arguments of a call to the client's options. */
export function optionsOf(
  { endpoint }: EndpointTool,
  given: Record<string, unknown>,
): { path: Record<string, unknown>; query: Record<string, unknown>; body?: unknown } {
  const pick = (names: string[]): Record<string, unknown> =>
    Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
  return {
    path: pick(Object.keys(endpoint.params?.properties ?? {})),
    query: pick(Object.keys(endpoint.query?.properties ?? {})),
    ...(given.body === undefined ? {} : { body: given.body }),
  };
}
