import { readFile, writeFile } from 'node:fs/promises';
import { adminEndpoints, commerceEndpoints, marketingEndpoints, personEndpoints } from '../src/endpoints.ts';
import { adminDocument } from '../src/http/openapi/admin-document.ts';

/**
 * Writes the types of the app's client from the OpenAPI document of the running code, in the form that openapi-fetch takes:
 * `paths` are those below a company's address, `accountPaths` those of the person, `schemas` the records by name. With --check it compares, and exits with 1 when they are stale.
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

/** The TypeScript type of a JSON Schema. */
function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown';
  const { type, const: only, enum: values, $ref, anyOf, oneOf, allOf } = schema as Record<string, never>;
  if ($ref !== undefined) return `schemas['${String($ref).split('/').at(-1)}']`;
  if ('const' in schema) return JSON.stringify(only);
  if (values !== undefined) return (values as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  const union = (anyOf ?? oneOf) as Schema[] | undefined;
  if (union !== undefined) return union.map((one) => `(${typeOf(one)})`).join(' | ');
  if (allOf !== undefined) return (allOf as Schema[]).map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(type)) return (type as string[]).map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `(${typeOf(schema.items as Schema)})[]`;
  if (type === 'object') return objectOf(schema);
  const simple: Record<string, string> = {
    integer: 'number',
    number: 'number',
    string: 'string',
    boolean: 'boolean',
    null: 'null',
  };
  return simple[type as unknown as string] ?? 'unknown';
}

function objectOf(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (properties === undefined) {
    const rest =
      schema.additionalProperties ?? (schema.patternProperties && Object.values(schema.patternProperties)[0]);
    return typeof rest === 'object' && rest !== null
      ? `Record<string, ${typeOf(rest as Schema)}>`
      : 'Record<string, unknown>';
  }
  const required = (schema.required ?? []) as string[];
  const lines = Object.entries(properties).map(
    ([key, value]) => `${name(key)}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`,
  );
  return `{ ${lines.join('; ')} }`;
}

function parametersOf(operation: Operation): string {
  const of = (place: string) =>
    (operation.parameters ?? []).filter((one) => one.in === place && one.name !== undefined);
  const block = (place: string): string => {
    const found = of(place);
    if (found.length === 0) return `${place}?: never`;
    const fields = found.map((one) => `${name(one.name!)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`);
    return `${place}${found.some((one) => one.required) ? '' : '?'}: { ${fields.join('; ')} }`;
  };
  return `{ ${['query', 'header', 'path', 'cookie'].map(block).join('; ')} }`;
}

function operationOf(operation: Operation): string {
  const body = operation.requestBody;
  const request =
    body === undefined
      ? 'requestBody?: never'
      : `requestBody${body.required ? '' : '?'}: { content: { 'application/json': ${typeOf(Object.values(body.content)[0]!.schema)} } }`;
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const type = content === undefined ? 'never' : typeOf(Object.values(content)[0]!.schema);
      return `${status}: { headers: Record<string, unknown>; content: { 'application/json': ${type} } }`;
    });
  const failed = `default: { headers: Record<string, unknown>; content: { 'application/json': unknown } }`;
  return `{ parameters: ${parametersOf(operation)}; ${request}; responses: { ${[...responses, failed].join('; ')} } }`;
}

const COMPANY = '/{company}';

export function clientTypes(): string {
  const endpoints = {
    person: personEndpoints,
    admin: adminEndpoints,
    commerce: commerceEndpoints,
    marketing: marketingEndpoints,
  };
  const document = adminDocument(endpoints) as Document;
  const paths: string[] = [];
  const accountPaths: string[] = [];
  for (const [address, operations] of Object.entries(document.paths)) {
    const inCompany = address.startsWith(`${COMPANY}/`);
    const lines = inCompany ? paths : accountPaths;
    lines.push(`  '${inCompany ? address.slice(COMPANY.length) : address}': {`);
    lines.push(`    parameters: { query?: never; header?: never; path?: never; cookie?: never };`);
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation === undefined) lines.push(`    ${method}?: never;`);
      else lines.push(`    /** ${operation.summary} */`, `    ${method}: ${operationOf(operation)};`);
    }
    lines.push('  };');
  }
  return [
    '// Made by `npm run client` from the OpenAPI document of the running code. Do not edit.',
    'export interface schemas {',
    ...Object.entries(document.components.schemas).map(([key, schema]) => `  '${key}': ${typeOf(schema)};`),
    '}',
    '',
    'export interface paths {',
    ...paths,
    '}',
    '',
    'export interface accountPaths {',
    ...accountPaths,
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
