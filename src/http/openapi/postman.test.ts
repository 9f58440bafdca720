import { beforeAll, describe, expect, it } from 'vitest';
import { commerceEndpoints, marketingEndpoints, marketingWebhooks } from '../../endpoints.ts';
import { validatorOf } from '../../lib/validation/validation.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { commerceSurface } from '../api/surfaces/commerce.ts';
import { marketingSurface } from '../api/surfaces/marketing.ts';
import { openapiDocument } from './document.ts';
import { postmanCollection } from './postman.ts';

interface Field {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Item {
  name: string;
  request: {
    method: string;
    auth?: { type: string };
    header: Field[];
    url: { raw: string; host: string[]; path: string[]; query: Field[]; variable: Field[] };
    body?: { mode: string; raw: string };
  };
}
interface Collection {
  info: { name: string; schema: string };
  auth: { type: string };
  variable: Field[];
  item: { name: string; item: Item[] }[];
}

const ENDPOINTS = { commerce: commerceEndpoints, marketing: marketingEndpoints };
const collections = {
  commerce: postmanCollection('commerce', openapiDocument(commerceSurface, commerceEndpoints)) as Collection,
  marketing: postmanCollection(
    'marketing',
    openapiDocument(marketingSurface, marketingEndpoints, marketingWebhooks),
  ) as Collection,
};
const APIS = ['commerce', 'marketing'] as const;
const itemsOf = (api: (typeof APIS)[number]): Item[] => collections[api].item.flatMap(({ item }) => item);

const text = { type: 'string' };
const fields = {
  type: 'array',
  items: { type: 'object', required: ['key', 'value'], properties: { key: text, value: text, description: text } },
};
const auth = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['apikey', 'bearer', 'noauth'] }, apikey: fields, bearer: fields },
};
const request = {
  type: 'object',
  required: ['method', 'header', 'url'],
  properties: {
    method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    auth,
    header: fields,
    description: text,
    url: {
      type: 'object',
      required: ['raw', 'host', 'path'],
      properties: {
        raw: text,
        host: { type: 'array', items: text },
        path: { type: 'array', items: text },
        query: fields,
        variable: fields,
      },
    },
    body: {
      type: 'object',
      required: ['mode', 'raw'],
      properties: { mode: { const: 'raw' }, raw: text, options: { type: 'object' } },
    },
  },
};
const response = {
  type: 'object',
  required: ['name', 'code', 'body'],
  properties: { name: text, originalRequest: request, code: { type: 'integer' }, header: fields, body: text },
};
const item = {
  type: 'object',
  required: ['name', 'request', 'response'],
  properties: { id: text, name: text, request, response: { type: 'array', items: response } },
};
/** The rules of the collection format 2.1.0 for the parts in use. */
const FORMAT = {
  type: 'object',
  required: ['info', 'item'],
  properties: {
    info: {
      type: 'object',
      required: ['name', 'schema'],
      properties: {
        name: text,
        schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      },
    },
    auth,
    variable: fields,
    item: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'item'],
        properties: { name: text, description: text, item: { type: 'array', minItems: 1, items: item } },
      },
    },
  },
};

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

describe.each(APIS)('the Postman collection of %s', (api) => {
  it('is of the format 2.1.0', () => {
    expect(validatorOf(FORMAT as never)(collections[api])).toBeNull();
    expect(validatorOf(FORMAT as never)({ ...collections[api], info: {} })).not.toBeNull();
  });

  it('has a request for each endpoint', () => {
    const named = itemsOf(api).map(({ request: { method, url } }) => `${method} ${url.raw}`);
    const expected = ENDPOINTS[api].map(
      ({ method, path }) => `${method} {{origin}}/${api}/v1${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(named.sort()).toEqual(expected.sort());
  });

  it('can be sent as it is: no request is refused for its key, its address or its form', async () => {
    for (const { name, request: sent } of itemsOf(api)) {
      server.clock.advance(61_000);
      if (sent.auth?.type === 'noauth') continue;
      const variables: Record<string, string> = { api_key: shop.key, company_id: String(shop.company_id) };
      const fill = (value: string): string => value.replace(/\{\{(\w+)\}\}/g, (_all, key: string) => variables[key]!);
      const path = sent.url.path.map((part) =>
        part.startsWith(':') ? sent.url.variable.find(({ key }) => key === part.slice(1))!.value : part,
      );
      const given: Record<string, string> =
        api === 'commerce' ? { 'X-API-Key': shop.key } : { Authorization: `Bearer ${shop.key}` };
      const headers = Object.fromEntries(sent.header.map(({ key, value }) => [key.toLowerCase(), fill(value)]));
      const result = await server.request(sent.method, `/${path.join('/')}`, {
        ...(sent.body === undefined ? {} : { raw: sent.body.raw }),
        headers: { ...given, ...headers },
      });
      const said = `${name}: ${JSON.stringify(result.body)}`;
      expect([200, 201, 400, 404, 422], said).toContain(result.status);
      expect(said).not.toMatch(/"Not found"|malformed|X-Company-ID|Content-Type/);
    }
  });
});
