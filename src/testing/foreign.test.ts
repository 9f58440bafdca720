import { beforeAll, expect, it } from 'vitest';
import type { Endpoint } from '../http/api/endpoint.ts';
import { type TestCompany, testServer } from './harness.ts';
import { type Ids, RECIPES } from './recipes.ts';
import { addressOf, bodyOf, ENDPOINTS, makeRecords, resourceOf, SHARED_PARAMETERS } from './records.ts';

/**
 * Two companies on one server: whatever one of them sends, with whichever of the other's ids, it neither sees nor
 * changes anything of the other's.
 */
const server = testServer();
const MARK = 'zebrafinch';
let ours: TestCompany;
let theirs: TestCompany;
let ourIds: Ids;
let theirIds: Ids;
let before: Map<string, string>;

beforeAll(async () => {
  ours = await server.company({ name: 'Ours' });
  theirs = await server.company({ name: 'Theirs' });
  ourIds = await makeRecords(server, ours, 'sparrow');
  theirIds = await makeRecords(server, theirs, MARK);
  before = await whatTheySee();
});

/** Returns every response that the other company gets to its own GET requests. */
async function whatTheySee(): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const { side, endpoint } of ENDPOINTS.filter((one) => one.endpoint.method === 'GET')) {
    const response = await theirs[side]('GET', addressOf(endpoint, theirIds)!);
    const { meta: _requestId, ...body } = response.body;
    seen.set(`${side} ${endpoint.path}`, `${response.status} ${JSON.stringify(body)}`);
  }
  return seen;
}

it('they see their own records', () => {
  for (const [address, response] of before)
    if (address.includes('{')) expect([address, response.slice(0, 3)]).toEqual([address, '200']);
  expect([...before.values()].filter((response) => response.includes(MARK)).length).toBeGreaterThan(10);
});

const withParameter = ENDPOINTS.filter(({ endpoint }) => {
  const parameter = /\{(\w+)\}/.exec(endpoint.path)?.[1];
  return parameter !== undefined && !SHARED_PARAMETERS.includes(parameter);
}).map(({ side, endpoint }) => ({ side, endpoint, name: `${endpoint.method} ${side}${endpoint.path}` }));

it.each(withParameter)('$name does not know their id', async ({ side, endpoint }) => {
  const body = bodyOf(endpoint);
  const required = (endpoint.body as { required?: string[] } | undefined)?.required ?? [];
  const isKept = (name: string): boolean => required.includes(name) || !/_ids?$/.test(name);
  const plain = body && Object.fromEntries(Object.entries(body).filter(([name]) => isKept(name)));
  const response = await ours[side](endpoint.method, addressOf(endpoint, theirIds)!, plain);
  const nothing = { ...theirIds, [resourceOf(endpoint.path)]: 999999999, ...withId(endpoint, 999999999) };
  const absent = await ours[side](endpoint.method, addressOf(endpoint, nothing)!, plain);
  // Public endpoints authenticate by a signature, which is wrong here for every company.
  expect(response.status).toBe(endpoint.scope === 'public' ? 401 : 404);
  expect(JSON.stringify(response.body)).not.toContain(MARK);
  // Nothing distinguishes a foreign record from one that does not exist.
  const bare = (text: string): string => text.replace(/[0-9a-f-]{36}/, '').replaceAll(/\d+|zebrafinch\w*/g, '');
  expect(bare(JSON.stringify(response.body))).toBe(bare(JSON.stringify(absent.body)));
});

it.each(RECIPES)('a new record of $resource cannot refer to theirs', async (recipe) => {
  const own = recipe.body(ourIds, 'wren');
  for (const [resource, id] of Object.entries(theirIds)) {
    const body = recipe.body({ ...ourIds, [resource]: id }, 'wren');
    if (JSON.stringify(body) === JSON.stringify(own)) continue;
    const response = await ours[recipe.side]('POST', `/${recipe.resource}`, body);
    expect([resource, response.status]).toEqual([resource, recipe.side === 'commerce' ? 422 : 400]);
    expect(JSON.stringify(response.body)).not.toContain(MARK);
  }
});

it('no change can bring one of ours to theirs', async () => {
  for (const { side, endpoint } of ENDPOINTS) {
    if (endpoint.body === undefined || endpoint.scope === 'public') continue;
    for (const [name, schema] of Object.entries(endpoint.body.properties) as [string, { type?: unknown }][]) {
      const resource = Object.keys(theirIds).find((one) =>
        RegExp(`^${one.slice(0, -1).replace('-', '_')}_ids?$|^${one.split('-')[1]?.slice(0, -1)}_id$`).test(name),
      );
      if (resource === undefined) continue;
      const value = schema.type === 'array' ? [theirIds[resource]] : theirIds[resource];
      const path = addressOf(endpoint, ourIds)!;
      const response = await ours[side](endpoint.method, path, { ...bodyOf(endpoint), [name]: value });
      expect(JSON.stringify(response.body)).not.toContain(MARK);
      expect([endpoint.method, path, name, response.status]).not.toEqual([endpoint.method, path, name, 201]);
    }
  }
});

it('no list of ours, with whatever filter, has one of theirs in it', async () => {
  for (const { side, endpoint } of ENDPOINTS.filter((one) => one.endpoint.method === 'GET')) {
    const path = addressOf(endpoint, ourIds)!;
    const filters = Object.entries(
      (endpoint.query?.properties ?? {}) as Record<string, { type?: string; enum?: unknown }>,
    ).flatMap(([name, { type, enum: values }]) => {
      if (type === 'integer' && !/page/.test(name)) return Object.values(theirIds).map((id) => `?${name}=${id}`);
      return type === 'string' && values === undefined ? [`?${name}=${MARK}`] : [];
    });
    for (const query of ['', ...filters]) {
      const response = await ours[side]('GET', path + query);
      expect([
        path + query,
        JSON.stringify(response.body).replace(encodeURIComponent(query), '').includes(`"${MARK}`),
      ]).toEqual([path + query, false]);
      expect(response.status).toBeLessThan(500);
    }
  }
});

it('after all requests, they see unchanged records', async () => {
  const after = await whatTheySee();
  for (const [address, response] of before) expect([address, after.get(address)]).toEqual([address, response]);
});

/** The id in the path, by the name of its parameter. */
function withId({ path }: Endpoint, id: number): Record<string, number> {
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  return parameter === undefined || parameter === 'id' ? {} : { [parameter]: id };
}
