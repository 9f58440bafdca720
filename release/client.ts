import { readFile, writeFile } from 'node:fs/promises';
import { commerceEndpoints, marketingEndpoints, marketingWebhooks, storeEndpoints } from '../src/endpoints.ts';
import { ERRORS, type ErrorCode } from '../src/errors.ts';
import { commerceSurface } from '../src/http/api/surfaces/commerce.ts';
import { MARKETING_SLUGS, marketingSurface } from '../src/http/api/surfaces/marketing.ts';
import { storeSurface } from '../src/http/api/surfaces/store.ts';
import { openapiDocument } from '../src/http/openapi/document.ts';
import { type OpenapiDocument, type Operation, parametersOf, type Schema, typeOf } from './openapi-types.ts';

/**
 * Generates the parts of @tradeloom/client that depend on the APIs, from the code itself: the types of every endpoint of the
 * APIs and of the webhooks, and the error codes. With --check it compares, and exits with 1 when a file is stale.
 */
const FOLDER = new URL('../client/src/generated/', import.meta.url);
const HEADER = '// Made by `npm run client` from the contracts of the running code. Do not edit.\n';
type Side = 'commerce' | 'marketing' | 'store';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The JSON Schema of a successful response. */
function successOf({ responses }: Operation): Schema {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  return Object.values(response.content!)[0]!.schema;
}

/** What a call returns: the `data` of commerce and the store, the whole body of marketing; `item` is a record of a paginated list. */
function resultOf(side: Side, schema: Schema): { data: Schema; item: Schema | null } {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  if (side !== 'marketing') {
    const { data, meta } = properties as { data: Schema; meta: Schema };
    const isPaginated = 'pagination' in (meta.properties as object);
    return { data, item: isPaginated ? (data.items as Schema) : null };
  }
  const list = 'pagination' in properties ? Object.values(properties).find(({ type }) => type === 'array') : undefined;
  return { data: schema, item: (list?.items as Schema | undefined) ?? null };
}

function endpointOf(side: Side, operation: Operation): string {
  const { data, item } = resultOf(side, successOf(operation));
  const body = operation.requestBody;
  const options = [
    parametersOf(operation, 'path'),
    parametersOf(operation, 'query'),
    body === undefined ? null : `body${body.required ? '' : '?'}: ${typeOf(Object.values(body.content)[0]!.schema)}`,
  ].filter((one) => one !== null);
  const page = item === null ? '' : `; item: ${typeOf(item)}`;
  return `{ options: { ${options.join('; ')} }; data: ${typeOf(data)}${page} }`;
}

/** The types of one API: `schemas` by name, and its endpoints by `GET /orders/{id}`. */
function typesOf(side: Side, document: OpenapiDocument): string {
  const lines = [HEADER, 'export interface schemas {'];
  for (const [name, schema] of Object.entries(document.components.schemas))
    lines.push(`  '${name}': ${typeOf(schema)};`);
  lines.push('}', '', 'export interface endpoints {');
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation === undefined) continue;
      const scope = operation['x-scope'];
      lines.push(`  /** ${operation.summary}.${scope === undefined ? '' : ` Scope: ${scope}.`} */`);
      lines.push(`  '${method.toUpperCase()} ${path}': ${endpointOf(side, operation)};`);
    }
  }
  lines.push('}', '');
  if (document.webhooks !== undefined) {
    lines.push('/** What is sent to webhook endpoints, by event type. */', 'export interface webhooks {');
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      lines.push(`  /** ${post.summary} */`);
      lines.push(`  '${name}': ${typeOf(post.requestBody!.content['application/json']!.schema)};`);
    }
    lines.push('}', '');
  }
  return lines.join('\n');
}

/** The error catalogue without the admin app's own codes, and the marketing API's codes for statuses. */
function errorsText(): string {
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !('admin' in ERRORS[code]));
  const slugs = Object.values(MARKETING_SLUGS).filter((slug) => !(slug in ERRORS));
  const entries = codes.map(
    (code) => `  ${code}: ${JSON.stringify({ when: ERRORS[code].when, fix: ERRORS[code].fix })},`,
  );
  return [
    HEADER,
    '/** Every error code: when it occurs, and what to do. */',
    'export const CATALOGUE = {',
    ...entries,
    '} as const;',
    '',
    '/** A code of the catalogue, or what the marketing API has in its place: a word for the status. */',
    `export type ErrorCode = keyof typeof CATALOGUE | ${slugs.map((slug) => `'${slug}'`).join(' | ')};`,
    '',
  ].join('\n');
}

/** The generated files by name. */
export function clientFiles(): Record<string, string> {
  const commerce = openapiDocument(commerceSurface, commerceEndpoints) as OpenapiDocument;
  const marketing = openapiDocument(marketingSurface, marketingEndpoints, marketingWebhooks) as OpenapiDocument;
  const store = openapiDocument(storeSurface, storeEndpoints) as OpenapiDocument;
  return {
    'commerce.ts': typesOf('commerce', commerce),
    'marketing.ts': typesOf('marketing', marketing),
    'store.ts': typesOf('store', store),
    'errors.ts': errorsText(),
  };
}

/** Returns the names of the files that differ from what the code generates. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(clientFiles())) {
    const stored = await readFile(new URL(name, FOLDER), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (stored !== text) stale.push(name);
  }
  return stale;
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleFiles();
    for (const name of stale) process.stderr.write(`client/src/generated/${name} is stale: npm run client\n`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    for (const [name, text] of Object.entries(clientFiles())) await writeFile(new URL(name, FOLDER), text);
  }
}
