import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import type { Ids } from '../../testing/recipes.ts';
import { addressOf, bodyOf, ENDPOINTS, makeRecords } from '../../testing/records.ts';
import type { LaneConnection } from './connection.ts';
import { Lane, PROGRAM, STRANGERS } from './lane.ts';
import type { Lanes } from './lanes.ts';
import { LANES, type LaneName } from './lanes.ts';

/**
 * A company's share of a lane is counted by company, so every endpoint has to say on whose behalf it queries: on the
 * program's behalf nothing would limit it.
 */
const server = testServer();
let shop: TestCompany;
let ids: Ids;
const original = Lane.prototype.run;
let used: { lane: LaneName; owner: number; from: string }[] = [];

beforeAll(async () => {
  shop = await server.company();
  ids = await makeRecords(server, shop, 'lanes');
  const { lanes } = server.app.db.shared as { lanes: Lanes };
  Lane.prototype.run = function <T>(
    this: Lane,
    owner: number,
    exclusive: boolean,
    work: (connection: LaneConnection) => Promise<T>,
  ) {
    const { stack = '' } = new Error();
    const lane = LANES.find((name) => lanes[name] === this);
    if (lane !== undefined) used.push({ lane, owner, from: stack });
    return original.call(this, owner, exclusive, work) as Promise<T>;
  };
});

afterAll(() => {
  Lane.prototype.run = original;
});

/** The program's own queries: which companies changed, and whose a key is. */
const OF_THE_PROGRAM = /company-versions\.ts|authenticator\.ts|lookUp|takeAfterLease|sender\.ts|request-log/;

const walked = ENDPOINTS.filter(({ endpoint }) => endpoint.scope !== 'public').map(({ side, endpoint }) => ({
  side,
  endpoint,
  name: `${endpoint.method} ${side}${endpoint.path}`,
}));

it.each(walked)('$name takes connections in its own company’s name', async ({ side, endpoint }) => {
  const { method } = endpoint;
  used = [];
  const path = addressOf(endpoint, ids)!;
  await shop[side](method, path, method === 'GET' ? undefined : bodyOf(endpoint));
  const nameless = used.filter(({ owner, from }) => owner === PROGRAM && !OF_THE_PROGRAM.test(from));
  const hint = 'take db.points(companyId), .lists or .writes in the service';
  expect(
    nameless.map(({ lane, from }) => `${lane}: ${from}`),
    hint,
  ).toEqual([]);
  expect(used.filter(({ lane }) => lane === 'probe')).toEqual([]);
  // Endpoints that read many rows never share connections with those that read one.
  const lists = used.some(({ lane }) => lane === 'lists');
  if (method === 'GET' && endpoint.query !== undefined) expect(lists).toBe(true);
});

it.each([
  ['a form that nobody has', 'GET', '/f/abcdefghijklmnop', {}],
  ['a webhook that nobody signed', 'POST', '/marketing/webhook', { 'x-company-id': '1', 'x-webhook-signature': 'x' }],
] as const)('%s is looked up among strangers', async (_name, method, path, headers) => {
  used = [];
  const body = method === 'POST' ? '{}' : undefined;
  await server.request(method, path, { headers: { 'content-type': 'application/json', ...headers }, body });
  // The counts of failed attempts and the company versions are read by the program itself.
  const points = used.filter(
    ({ lane, from }) => lane === 'points' && !/attempts\/queries\.ts|company-versions/.test(from),
  );
  expect(points.length).toBeGreaterThan(0);
  expect(points.filter(({ owner }) => owner !== STRANGERS).map(({ from }) => from)).toEqual([]);
});
