import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { commerceEndpoints, marketingEndpoints, marketingWebhooks, storeEndpoints } from '../src/endpoints.ts';
import { commerceSurface } from '../src/http/api/surfaces/commerce.ts';
import { marketingSurface } from '../src/http/api/surfaces/marketing.ts';
import { storeSurface } from '../src/http/api/surfaces/store.ts';
import { openapiDocument } from '../src/http/openapi/document.ts';

export const DOCUMENTS = {
  commerce: () => openapiDocument(commerceSurface, commerceEndpoints),
  marketing: () => openapiDocument(marketingSurface, marketingEndpoints, marketingWebhooks),
  store: () => openapiDocument(storeSurface, storeEndpoints),
};

const CONVERTER = fileURLToPath(new URL('../node_modules/.bin/openapi2postmanv2', import.meta.url));
/** A folder for each resource, and examples in place of type names. */
const OPTIONS = 'folderStrategy=Tags,parametersResolution=Example,disableOptionalParameters=true';
/** The variable `baseUrl` of a collection; the paths of a document begin behind the API's base. */
const ORIGIN = 'http://127.0.0.1:3000';

/** Converts an OpenAPI document to a Postman collection (2.1), which Bruno, Insomnia and Hoppscotch import as well. */
export function postmanCollection(document: object): object {
  const { servers, ...rest } = document as { servers: { url: string }[] };
  const absolute = { ...rest, servers: servers.map(({ url }) => ({ url: ORIGIN + url })) };
  const folder = mkdtempSync(join(tmpdir(), 'postman-'));
  try {
    const [source, target] = [join(folder, 'openapi.json'), join(folder, 'postman.json')];
    writeFileSync(source, JSON.stringify(absolute));
    execFileSync(CONVERTER, ['-s', source, '-o', target, '-i', 'v2', '-O', OPTIONS], { stdio: 'pipe' });
    return JSON.parse(readFileSync(target, 'utf8')) as object;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  mkdirSync(new URL('../dist/', import.meta.url), { recursive: true });
  for (const [api, documentOf] of Object.entries(DOCUMENTS)) {
    const file = `dist/${manifest.name}-${api}-${manifest.version}.postman.json`;
    writeFileSync(
      new URL(`../${file}`, import.meta.url),
      `${JSON.stringify(postmanCollection(documentOf()), null, 2)}\n`,
    );
    process.stdout.write(`${file}\n`);
  }
}
