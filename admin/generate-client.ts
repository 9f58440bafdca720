import { readFile, writeFile } from 'node:fs/promises';
import { type OpenapiDocument, type Operation, parametersOf, typeOf } from '../release/openapi-types.ts';
import { adminEndpoints, commerceEndpoints, marketingEndpoints, personEndpoints } from '../src/endpoints.ts';
import { adminDocument } from '../src/http/openapi/admin-document.ts';

/**
 * Generates the types of the app's client from the OpenAPI document of the running code, in openapi-fetch's form: `paths` below a company's
 * address, `accountPaths` of the person, `schemas` by name. With --check it compares, and exits with 1 when they are stale.
 */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const TARGET = new URL('./src/api/schema.ts', import.meta.url);

function parametersType(operation: Operation): string {
  const places = ['query', 'header', 'path', 'cookie'];
  return `{ ${places.map((place) => parametersOf(operation, place) ?? `${place}?: never`).join('; ')} }`;
}

function operationOf(operation: Operation): string {
  const body = operation.requestBody;
  const request =
    body === undefined
      ? 'requestBody?: never'
      : body.content['application/json'] === undefined
        ? `requestBody: { content: { ${JSON.stringify(Object.keys(body.content)[0])}: Blob } }`
        : `requestBody${body.required ? '' : '?'}: { content: { 'application/json': ${typeOf(Object.values(body.content)[0]!.schema)} } }`;
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const type = content === undefined ? 'never' : typeOf(Object.values(content)[0]!.schema);
      return `${status}: { headers: Record<string, unknown>; content: { 'application/json': ${type} } }`;
    });
  const failed = `default: { headers: Record<string, unknown>; content: { 'application/json': unknown } }`;
  return `{ parameters: ${parametersType(operation)}; ${request}; responses: { ${[...responses, failed].join('; ')} } }`;
}

const COMPANY = '/{company}';

export function clientTypes(): string {
  const endpoints = {
    person: personEndpoints,
    admin: adminEndpoints,
    commerce: commerceEndpoints,
    marketing: marketingEndpoints,
  };
  const document = adminDocument(endpoints) as OpenapiDocument;
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
