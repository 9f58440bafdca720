import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { SDKS } from '../packaging/npm/sdks.ts';
import { audit, signatures, vulnerabilities } from './audit.ts';
import { errorCatalogue } from './error-catalogue.ts';
import { DOCUMENTS, postmanCollection } from './postman.ts';
import { makeSbom, missingFrom } from './sbom.ts';

/** The parts of package-lock.json that are used. */
interface Lock {
  packages: Record<string, { dev?: true }>;
}

test('the error catalogue is what `node release/error-catalogue.ts > docs/errors.md` makes', () => {
  expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorCatalogue());
});

test.each([
  ['client/README.md', `tradeloom-client-${manifest.version}.tgz`],
  ['packaging/npm/README.md', `tradeloom-${manifest.version}.tgz`],
])('%s installs the file %s, which `npm pack` makes', (path, name) => {
  expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^npm install \\S+/${name.replaceAll('.', '\\.')}$`, 'm'));
});

describe('the bill of materials', () => {
  it('is CycloneDX, names all packages of a release with their versions and hashes, also those inside its modules, and none of development', () => {
    const sbom = makeSbom();
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
    expect(sbom.metadata.component).toMatchObject({ name: 'tradeloom', version: manifest.version });
    expect(missingFrom(sbom)).toEqual([]);
    expect(sbom.components.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    expect(sbom.components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
    const names = new Set(sbom.components.map(({ name }) => name));
    const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lock;
    const bundled = Object.values(SDKS).map(([name]): string => name);
    expect(bundled.filter((name) => !names.has(name))).toEqual([]);
    const development = Object.keys(manifest.devDependencies).filter(
      (name) => lock.packages[`node_modules/${name}`]?.dev && !bundled.includes(name),
    );
    expect(development.length).toBeGreaterThan(5);
    // Mollie's SDK depends on it; no code of it is in a release.
    expect(development.filter((name) => names.has(name))).toEqual(['@types/node']);
  });

  it('that lacks a dependency, or has another version of it, is told', () => {
    const { components } = makeSbom();
    const version = manifest.dependencies.fastify;
    expect(missingFrom({ components: components.filter(({ name }) => name !== 'fastify') })).toEqual([
      `fastify@${version}`,
    ]);
    const other = components.map((one) => (one.name === 'fastify' ? { ...one, version: '0.0.1' } : one));
    expect(missingFrom({ components: other })).toEqual([`fastify@${version}`]);
  });
});

/** The parts of a Postman collection that are checked. */
interface Collection {
  info: { schema: string };
  auth: { type: string };
  variable: { key: string; value: string }[];
  item: { item: { request: { method: string; url: { path: string[] }; body?: { raw: string } } }[] }[];
}

/** Whether an operation has a body with an example. */
function isJson(operation: { requestBody?: { content: object } }): boolean {
  return 'application/json' in (operation.requestBody?.content ?? {});
}

describe.each([
  ['commerce', 'apikey'],
  ['marketing', 'bearer'],
  ['store', 'apikey'],
] as const)('the Postman collection of the %s API', (api, auth) => {
  it('has every request of the OpenAPI document, with its example', () => {
    const document = DOCUMENTS[api]() as { paths: Record<string, Record<string, object>> };
    const collection = postmanCollection(document) as Collection;
    expect(collection.info.schema).toContain('/collection/v2.1.0/');
    expect(collection.auth.type).toBe(auth);
    expect(collection.variable).toContainEqual(
      expect.objectContaining({ key: 'baseUrl', value: `http://127.0.0.1:3000/${api}/v1` }),
    );
    const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request));
    const expected = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(requests.map(({ method, url }) => `${method} /${url.path.join('/')}`).toSorted()).toEqual(
      expected.toSorted(),
    );
    const bodies = requests.flatMap(({ body }) => (body?.raw ? [JSON.parse(body.raw) as object] : []));
    const documented = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(bodies).toHaveLength(documented.filter((operation) => isJson(operation)).length);
  });
});

describe('the audit of the packages', () => {
  test.each([
    ['verified', 0, 'audited 300 packages in 2s\n\n300 packages have verified registry signatures\n'],
    ['verified', 0, 'audited 1 package in 2s\n\n1 package has a verified registry signature\n'],
    ['failed', 1, '299 packages have verified registry signatures\n\n1 package has an invalid registry signature:\n'],
    ['failed', 0, 'audited 0 packages in 0s\n'],
    ['failed', 0, '0 packages have verified registry signatures\n'],
    ['failed', 0, ''],
    ['unreachable', 1, 'npm error code ECONNREFUSED\n'],
    ['unreachable', 1, 'npm error code E404\n'],
    ['unreachable', null, ''],
    ['unreachable', null, '300 packages have verified registry signatures\n'],
  ] as const)('signatures are %s where npm ends with %j and says %j', (result, status, output) => {
    expect(signatures({ status, output }).result).toBe(result);
  });

  test.each([
    ['verified', 0, 'found 0 vulnerabilities\n'],
    ['failed', 0, ''],
    ['failed', 1, '1 high severity vulnerability\n'],
    ['unreachable', 1, 'npm error audit endpoint returned an error\n'],
    ['unreachable', null, 'found 0 vulnerabilities\n'],
  ] as const)('vulnerabilities are %s where npm ends with %j and says %j', (result, status, output) => {
    expect(vulnerabilities({ status, output }).result).toBe(result);
  });

  it('without a registry says that nothing was checked, and is no success', () => {
    const said: string[] = [];
    const options = ['--registry', 'http://127.0.0.1:9/', '--fetch-retries', '0', '--fetch-timeout', '2000'];
    expect(audit(options, (line) => said.push(line))).toBe(2);
    expect(said).toHaveLength(2);
    for (const line of said) expect(line).toContain('NOT CHECKED');
  });
});
