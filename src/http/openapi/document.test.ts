import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import {
  adminEndpoints,
  commerceEndpoints,
  marketingEndpoints,
  marketingWebhooks,
  personEndpoints,
  storeEndpoints,
} from '../../endpoints.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { testServer } from '../../testing/harness.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { commerceSurface } from '../api/surfaces/commerce.ts';
import { marketingSurface } from '../api/surfaces/marketing.ts';
import { storeSurface } from '../api/surfaces/store.ts';
import { adminDocument } from './admin-document.ts';
import { openapiDocument, operationIdOf } from './document.ts';
import { TAGS } from './tags.ts';

const { Document: SpectralDocument, Spectral } = spectralCore;
const server = testServer({ impatient: true });
const REDOCLY = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const CONFIG = fileURLToPath(new URL('../../../redocly.yaml', import.meta.url));

interface Operation {
  operationId: string;
  'x-scope'?: string;
  parameters?: { name?: string; in?: string; required?: boolean; $ref?: string }[];
  requestBody?: { required: boolean; content: { 'application/json': { example: unknown } } };
  responses: Record<string, { headers: object; content: { 'application/json': { schema: object; example: object } } }>;
}
interface Document {
  webhooks?: Record<string, { post: Operation }>;
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description: string }[];
  servers: { url: string }[];
}

const SURFACES = [
  { surface: commerceSurface, endpoints: commerceEndpoints, webhooks: [] },
  { surface: marketingSurface, endpoints: marketingEndpoints, webhooks: marketingWebhooks },
  { surface: storeSurface, endpoints: storeEndpoints, webhooks: [] },
];

/** Routes outside the APIs. Fastify prints `/admin/*` as `/admin*`. */
const PAGES =
  /^(GET|HEAD|POST) \/(llms(-full)?\.txt$|(health|metrics|openapi|docs|admin|demo|shop|u|t|f|pay|payments|pictures|tls|\.well-known)(\/|\*|$)|$)|^OPTIONS \/(f\/|store\/v1\/\*|\*$)/;

/** Returns the paths in Fastify's printed router, from lines such as `│   └── /:id (GET, PATCH)`, in OpenAPI notation. */
function addressesIn(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent, part, methods = ''] = /^(.*)── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (indent === undefined) return [];
    const depth = (indent.length - 1) / 4;
    above[depth] = part!;
    const path = above
      .slice(0, depth + 1)
      .join('')
      .replace(/:(\w+)/g, '{$1}');
    return methods
      .split(', ')
      .filter(Boolean)
      .map((method) => `${method} ${path}`);
  });
}

async function spectralProblems(document: object): Promise<string[]> {
  const spectral = new Spectral();
  // The types of the two packages differ, because the OpenAPI rules extend no others and need not.
  spectral.setRuleset({ extends: [[rulesets.oas as unknown as RulesetDefinition, 'recommended']] });
  const found = await spectral.run(new SpectralDocument(JSON.stringify(document), parsers.Json));
  return found.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`);
}

describe.each(SURFACES)('the description of the $surface.name API', ({ surface, endpoints, webhooks }) => {
  const document = openapiDocument(surface, endpoints, webhooks) as Document;
  const operation = ({ path, method }: Endpoint): Operation => document.paths[path]![method.toLowerCase()]!;

  it('passes the recommended rules of Redocly without a word', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'openapi-')), `${surface.name}.json`);
    await writeFile(file, JSON.stringify(document));
    const lint = promisify(execFile)(process.execPath, [REDOCLY, 'lint', file, '--config', CONFIG, '--format', 'json']);
    const report = JSON.parse((await lint.catch((failed: { stdout: string }) => failed)).stdout) as {
      problems: { ruleId: string; message: string; location: { pointer: string }[] }[];
    };
    const problems = report.problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    expect(problems).toEqual([]);
  });

  // Runs before Spectral, which blocks this process for so long that kept-alive connections would end.
  it('is served as it is made', async () => {
    const response = await server.request('GET', `/openapi/${surface.name}.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('passes the recommended rules of Spectral without a word', async () => {
    expect(await spectralProblems(document)).toEqual([]);
  });

  it('has every endpoint, each with an id of its own', () => {
    expect(endpoints.map(operation).map(({ operationId }) => operationId)).toEqual(endpoints.map(operationIdOf));
    expect(new Set(endpoints.map(operationIdOf)).size).toBe(endpoints.length);
    expect(document.servers).toEqual([expect.objectContaining({ url: surface.prefixes[0] })]);
  });

  it('says what every group is about', () => {
    const used = [...new Set(endpoints.map((endpoint) => endpoint.tag))];
    expect(used.filter((tag) => TAGS[tag] === undefined)).toEqual([]);
  });

  it('asks of every endpoint for its scope, and for what its address holds', () => {
    for (const endpoint of endpoints) {
      const { 'x-scope': scope, parameters = [] } = operation(endpoint);
      expect(scope).toBe(['public', 'store'].includes(endpoint.scope) ? undefined : endpoint.scope);
      const inPath = parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => `{${parameter.name}}`);
      expect(inPath).toEqual(endpoint.path.match(/\{\w+\}/g) ?? []);
    }
  });

  it('shows for every body an example that the endpoint takes', () => {
    for (const endpoint of endpoints) {
      if (endpoint.body === undefined) continue;
      const { example } = operation(endpoint).requestBody!.content['application/json'];
      expect([endpoint.path, validatorOf(endpoint.body)(structuredClone(example))]).toEqual([endpoint.path, null]);
    }
  });

  it('shows for every webhook an example that its schema accepts', () => {
    for (const { name, body } of webhooks) {
      const { example } = document.webhooks![name]!.post.requestBody!.content['application/json'];
      expect([name, validatorOf(body)(structuredClone(example))]).toEqual([name, null]);
    }
  });

  it('shows for every field a value that says more than its name', () => {
    const bare = (value: unknown, name: string, path: string): string[] => {
      if (Array.isArray(value)) return value.flatMap((item) => bare(item, name, path));
      if (value === null) return [`${path} ${name}: null`];
      if (typeof value === 'object') return Object.entries(value).flatMap(([key, inner]) => bare(inner, key, path));
      const isBare = typeof value === 'string' && value.replaceAll(/\W/g, '') === name.replaceAll(/\W|_/g, '');
      return isBare && name !== '' ? [`${path} ${name}: ${value}`] : [];
    };
    const found = endpoints.flatMap((endpoint) => {
      const { requestBody, responses } = operation(endpoint);
      const shown = [
        requestBody?.content['application/json'],
        ...Object.values(responses).map((one) => one.content?.['application/json']),
      ];
      return shown.flatMap((content) => bare(content?.example ?? {}, '', endpoint.path));
    });
    expect(found).toEqual([]);
  });

  it('knows no status that the API does not know', () => {
    const known = {
      commerce: [200, 201, 400, 401, 403, 404, 422, 429, 500],
      marketing: [200, 201, 400, 401, 404, 429, 500],
      store: [200, 201, 304, 400, 401, 403, 404, 422, 429, 500],
      admin: [],
    }[surface.name] as number[];
    for (const endpoint of endpoints) {
      const statuses = Object.keys(operation(endpoint).responses).map(Number);
      expect(statuses.filter((status) => !known.includes(status))).toEqual([]);
      expect(statuses).toContain(endpoint.status);
    }
  });

  it('keeps the keywords of the validator to itself', () => {
    expect(JSON.stringify(document)).not.toMatch(/"x-(trim|cap)|"~/);
  });
});

it('no group is described that no endpoint is in', () => {
  const people = [...personEndpoints, ...adminEndpoints].map(({ tag }) => tag);
  const used = [...people, ...SURFACES.flatMap(({ endpoints }) => endpoints.map(({ tag }) => tag))];
  expect(Object.keys(TAGS).filter((tag) => !used.includes(tag))).toEqual([]);
});

const ALL = {
  person: personEndpoints,
  admin: adminEndpoints,
  commerce: commerceEndpoints,
  marketing: marketingEndpoints,
};

describe('the document of the admin API', () => {
  const text = JSON.stringify(adminDocument(ALL));

  it('passes the recommended rules of Spectral without a word', async () => {
    expect(await spectralProblems(adminDocument(ALL))).toEqual([]);
  });

  it('has no unresolved references', () => {
    const { components } = JSON.parse(text) as { components: Record<string, Record<string, object>> };
    const refs = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter(([, section, name]) => components[section!]?.[name!] === undefined).map(([one]) => one)).toEqual(
      [],
    );
  });

  it('names each operation once, and asks for a session wherever one is needed', () => {
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> };
    const operations = Object.values(paths).flatMap((item) =>
      Object.values(item).filter((one) => 'operationId' in one),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(text).not.toMatch(/"apiKey":\[|"bearerKey":\[/);
  });
});

describe('the addresses of the server', () => {
  let addresses: string[];

  beforeAll(async () => {
    const { config } = server.app;
    const running = await createApp({
      config,
      clock: server.clock,
      connection: server.connection,
      logTo: server.logTo,
    });
    await running.server.ready();
    addresses = addressesIn(running.server.printRoutes({ commonPrefix: false }));
    await running.stop();
  });

  it('are those of the descriptions and of a few pages only', () => {
    const documented = SURFACES.flatMap(({ surface, endpoints }) =>
      surface.prefixes.flatMap((prefix) => endpoints.map(({ method, path }) => `${method} ${prefix}${path}`)),
    );
    const { paths } = adminDocument(ALL) as { paths: Record<string, object> };
    for (const [path, item] of Object.entries(paths)) {
      const methods = Object.keys(item).filter((key) => key !== 'parameters');
      documented.push(...methods.map((method) => `${method.toUpperCase()} /admin/api${path}`));
    }
    expect(documented.filter((address) => !addresses.includes(address))).toEqual([]);
    const others = addresses.filter(
      (address) => !documented.includes(address.replace(/^HEAD (?=\/(commerce|marketing|store|admin\/api)\/)/, 'GET ')),
    );
    expect(others.filter((address) => !PAGES.test(address))).toEqual([]);
    expect(others.length).toBeGreaterThan(5);
  });
});
