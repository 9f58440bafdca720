import { type OpenapiDocument, type Operation, parametersOf, typeOf } from '../../release/openapi-types.ts';
import { commerceEndpoints, marketingEndpoints, marketingWebhooks, storeEndpoints } from '../../src/endpoints.ts';
import { commerceSurface } from '../../src/http/api/surfaces/commerce.ts';
import { marketingSurface } from '../../src/http/api/surfaces/marketing.ts';
import { storeSurface } from '../../src/http/api/surfaces/store.ts';
import { openapiDocument } from '../../src/http/openapi/document.ts';
import { fileOf, type Page, SECTIONS } from './pages.ts';

/** The documentation for language models, in the form of llmstxt.org. */
const SUMMARY = `# Tradeloom

> A self-hosted back end for shops: a commerce REST API (products with variants, collections, inventory by
> location, a media library, orders, customers, subscriptions, loyalty), a marketing automation REST API (contacts, events, segments, flows, campaigns) and an admin app, in one program on one PostgreSQL.
`;
/** Too long for their value to a model that writes an integration; llms.txt lists them anyway. */
const NOT_IN_FULL = ['security-asvs', 'changelog', 'contributing'];

export function llmsIndex(): string {
  const sections = SECTIONS.map(({ title, pages, optional }) => {
    const lines = pages.map((page) => `- [${page.title}](${addressOf(page)}): ${page.about}`);
    // Sections under "Optional" may be skipped where the context is short.
    return `## ${optional ? 'Optional' : title}\n\n${lines.join('\n')}\n`;
  });
  const api = `## API

- [OpenAPI of the commerce API](/openapi/commerce.json): every endpoint, field and error
- [OpenAPI of the marketing API](/openapi/marketing.json): every endpoint, field, error and outgoing webhook
- [OpenAPI of the store interface](/openapi/store.json): every endpoint, field and error
- [Everything in one file](/llms-full.txt): the guides, and the APIs in short
`;
  const [last, ...others] = sections.reverse();
  return `${SUMMARY}\n${[...others.reverse(), api, last].join('\n')}`;
}

export function llmsFull(texts: ReadonlyMap<Page, string>): string {
  const guides = [...texts]
    .filter(([{ path }]) => !NOT_IN_FULL.includes(path) && !path.startsWith('design/'))
    .map(([page, text]) => `<!-- ${addressOf(page)} -->\n\n${text.trim()}\n`);
  const apis = [
    apiText('Commerce API', '/commerce/v1', openapiDocument(commerceSurface, commerceEndpoints) as OpenapiDocument),
    apiText('Store interface', '/store/v1', openapiDocument(storeSurface, storeEndpoints) as OpenapiDocument),
    apiText(
      'Marketing API',
      '/marketing/v1',
      openapiDocument(marketingSurface, marketingEndpoints, marketingWebhooks) as OpenapiDocument,
    ),
  ];
  return [SUMMARY, ...guides, ...apis].join('\n');
}

const addressOf = ({ path }: Page): string => `/docs/guide/${fileOf(path)}.md`;

/** An API in brief: each endpoint with its input and output types, then the types by name. */
function apiText(title: string, prefix: string, document: OpenapiDocument): string {
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => endpointText(method, prefix + path, operation)),
  );
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `type ${name} = ${typesText(schema)}`,
  );
  return `# ${title}\n\n${endpoints.join('\n')}\n## Types of the ${title}\n\n\`\`\`ts\n${schemas.join('\n')}\n\`\`\`\n`;
}

function endpointText(method: string, path: string, operation: Operation & { description?: string }): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const given = success?.[1].content?.['application/json']?.schema;
  const lines = [
    parametersOf(operation, 'path'),
    parametersOf(operation, 'query'),
    body === undefined ? null : `body: ${typesText(body)}`,
    success === undefined ? null : `response ${success[0]}${given === undefined ? '' : `: ${typesText(given)}`}`,
  ].filter((line) => line !== null);
  const code = lines.map((line) => line.replaceAll(/schemas\['(\w+)'\]/g, '$1')).join('\n');
  const text = operation.description === undefined ? '' : `${operation.description}\n\n`;
  return `## ${method.toUpperCase()} ${path}\n\n${operation.summary}. ${text}\`\`\`ts\n${code}\n\`\`\`\n`;
}

const typesText = (schema: Parameters<typeof typeOf>[0]): string =>
  typeOf(schema).replaceAll(/schemas\['(\w+)'\]/g, '$1');
