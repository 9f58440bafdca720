import { readFile, writeFile } from 'node:fs/promises';
import { commerceEndpoints, marketingEndpoints } from '../src/endpoints.ts';
import { commerceSurface } from '../src/http/api/commerce.ts';
import { marketingSurface } from '../src/http/api/marketing.ts';
import { openapiDocument } from '../src/http/openapi/document.ts';

/**
 * Writes the types of the app's client from the OpenAPI documents of the running code: `paths` in the form that
 * openapi-fetch takes, `schemas` with the records by name. With --check it compares, and exits with 1 when they are stale.
 */
type Schema = Record<string, unknown>;
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Operation {
  summary: string;
  parameters?: { name?: string; in?: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const TARGET = new URL('./src/api/schema.ts', import.meta.url);

const name = (text: string): string => (/^[A-Za-z_]\w*$/.test(text) ? text : JSON.stringify(text));

/** The TypeScript type of a JSON Schema; `side` tells the two APIs' records of one name apart. */
function typeOf(schema: Schema | undefined, side: string): string {
  if (schema === undefined) return 'unknown';
  const { type, const: only, enum: values, $ref, anyOf, oneOf, allOf } = schema as Record<string, never>;
  if ($ref !== undefined) return `schemas['${side}.${String($ref).split('/').at(-1)}']`;
  if ('const' in schema) return JSON.stringify(only);
  if (values !== undefined) return (values as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  const union = (anyOf ?? oneOf) as Schema[] | undefined;
  if (union !== undefined) return union.map((one) => `(${typeOf(one, side)})`).join(' | ');
  if (allOf !== undefined) return (allOf as Schema[]).map((one) => `(${typeOf(one, side)})`).join(' & ');
  if (Array.isArray(type)) return (type as string[]).map((one) => typeOf({ ...schema, type: one }, side)).join(' | ');
  if (type === 'array') return `(${typeOf(schema.items as Schema, side)})[]`;
  if (type === 'object') return objectOf(schema, side);
  const simple: Record<string, string> = {
    integer: 'number',
    number: 'number',
    string: 'string',
    boolean: 'boolean',
    null: 'null',
  };
  return simple[type as unknown as string] ?? 'unknown';
}

function objectOf(schema: Schema, side: string): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (properties === undefined) {
    const rest =
      schema.additionalProperties ?? (schema.patternProperties && Object.values(schema.patternProperties)[0]);
    return typeof rest === 'object' && rest !== null
      ? `Record<string, ${typeOf(rest as Schema, side)}>`
      : 'Record<string, unknown>';
  }
  const required = (schema.required ?? []) as string[];
  const lines = Object.entries(properties).map(
    ([key, value]) => `${name(key)}${required.includes(key) ? '' : '?'}: ${typeOf(value, side)}`,
  );
  return `{ ${lines.join('; ')} }`;
}

function parametersOf(operation: Operation, side: string): string {
  const of = (place: string) =>
    (operation.parameters ?? []).filter((one) => one.in === place && one.name !== undefined);
  const block = (place: string): string => {
    const found = of(place);
    if (found.length === 0) return `${place}?: never`;
    const fields = found.map((one) => `${name(one.name!)}${one.required ? '' : '?'}: ${typeOf(one.schema, side)}`);
    return `${place}${found.some((one) => one.required) ? '' : '?'}: { ${fields.join('; ')} }`;
  };
  return `{ ${['query', 'header', 'path', 'cookie'].map(block).join('; ')} }`;
}

function operationOf(operation: Operation, side: string): string {
  const body = operation.requestBody;
  const request =
    body === undefined
      ? 'requestBody?: never'
      : `requestBody${body.required ? '' : '?'}: { content: { 'application/json': ${typeOf(Object.values(body.content)[0]!.schema, side)} } }`;
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const type = content === undefined ? 'never' : typeOf(Object.values(content)[0]!.schema, side);
      return `${status}: { headers: Record<string, unknown>; content: { 'application/json': ${type} } }`;
    });
  const failed = `default: { headers: Record<string, unknown>; content: { 'application/json': schemas['${side}.Error'] } }`;
  return `{ parameters: ${parametersOf(operation, side)}; ${request}; responses: { ${[...responses, failed].join('; ')} } }`;
}

export function clientTypes(): string {
  const sides = {
    commerce: openapiDocument(commerceSurface, commerceEndpoints) as Document,
    marketing: openapiDocument(marketingSurface, marketingEndpoints) as Document,
  };
  const schemas: string[] = [];
  const paths: string[] = [];
  for (const [side, document] of Object.entries(sides)) {
    for (const [key, schema] of Object.entries(document.components.schemas))
      schemas.push(`  '${side}.${key}': ${typeOf(schema, side)};`);
    for (const [path, operations] of Object.entries(document.paths)) {
      paths.push(`  '${path}': {`, `    parameters: { query?: never; header?: never; path?: never; cookie?: never };`);
      for (const method of METHODS) {
        const operation = operations[method];
        if (operation === undefined) paths.push(`    ${method}?: never;`);
        else paths.push(`    /** ${operation.summary} */`, `    ${method}: ${operationOf(operation, side)};`);
      }
      paths.push('  };');
    }
  }
  return [
    '// Made by `npm run client` from the OpenAPI documents of the running code. Do not edit.',
    'export interface schemas {',
    ...schemas,
    '}',
    '',
    'export interface paths {',
    ...paths,
    '}',
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const text = clientTypes();
  if (!process.argv.includes('--check')) await writeFile(TARGET, text);
  else if ((await readFile(TARGET, 'utf8')) !== text) {
    process.stderr.write('admin/src/api/schema.ts is stale: npm run client\n');
    process.exitCode = 1;
  }
}
