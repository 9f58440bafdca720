import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { plainSchema } from '../http/api/plain-schema.ts';
import { bodies } from './bodies.ts';
import { type TestCompany, testServer } from './harness.ts';
import { SEED } from './random/seed.ts';
import { type Ids, RECIPES } from './recipes.ts';
import { addressOf, bodyOf, ENDPOINTS, makeRecords } from './records.ts';

/** Total number of bodies. FUZZ_BODIES tries more. */
const BODIES = Number(process.env.FUZZ_BODIES ?? 1_500);
const CALLERS = 24;
/** Text in a response that shows that internals leaked. */
const INSIDE =
  /\\n\s+at |\.ts:\d|\bpg_\w|relation \\"|node_modules|violates|duplicate key|syntax error|invalid input|Cannot read/;

const server = testServer({ impatient: true });
let shop: TestCompany;
/** Records that paths refer to, and others that bodies refer to: those stay unchanged. */
let ids: Ids;
let others: Ids;

beforeAll(async () => {
  shop = await server.company();
  ids = await makeRecords(server, shop, 'fuzz');
  others = await makeRecords(server, shop, 'other');
});

/** Except for the endpoints of mail and SMS providers: each signs in its own way, and no schema describes its bodies. */
const targets = ENDPOINTS.filter(
  ({ endpoint }) =>
    endpoint.body !== undefined && !endpoint.path.includes('{company_id}') && !endpoint.path.startsWith('/sms/'),
);

it(
  `handles ${BODIES} generated bodies without a 500 and without exposing internals`,
  async () => {
    const each = Math.ceil(BODIES / targets.length);
    const sent = targets.flatMap(({ side, endpoint }) => {
      const recipe = RECIPES.find((one) => endpoint.method === 'POST' && endpoint.path === `/${one.resource}`);
      const samples = [bodyOf(endpoint), recipe?.body(others, 'fuzzed') ?? {}];
      const arbitrary = bodies(plainSchema(endpoint.body!), Object.values({ ...ids, ...others }), samples);
      const made = fc.sample(arbitrary, { numRuns: each, seed: SEED });
      return made.map((body) => ({
        side,
        method: endpoint.method,
        path: addressOf(endpoint, ids)!,
        body: JSON.stringify(body),
      }));
    });
    const statuses = new Map<number, number>();
    const bad: string[] = [];
    const next = interleave(sent, targets.length).values();
    const call = async (): Promise<void> => {
      for (const { side, method, path, body } of next) {
        const headers = {
          'x-api-key': shop.key,
          authorization: `Bearer ${shop.key}`,
          'x-company-id': String(shop.company_id),
          'x-webhook-signature': createHmac('sha256', shop.webhook_secret).update(body).digest('hex'),
        };
        const send = () => server.request(method, `/${side}/v1${path}`, { raw: body, headers });
        let response = await send();
        // On a machine with other work, requests are refused that would wait for two seconds.
        for (let attempt = 2; response.status === 429 && attempt <= 10; attempt++) {
          await sleep(Number(response.headers.get('retry-after')) * 1_000);
          response = await send();
        }
        // A company has three open imports at most.
        if (response.status === 201 && path === '/imports') {
          await shop.commerce('POST', `/imports/${response.body.data.id}/cancel`);
        }
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const text = JSON.stringify(response.body);
        if (
          response.status >= 500 ||
          typeof response.body !== 'object' ||
          (response.status >= 400 && INSIDE.test(text))
        ) {
          bad.push(`${method} ${side}${path} ${body.slice(0, 300)} → ${response.status} ${text.slice(0, 300)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    expect(bad.slice(0, 20)).toEqual([]);
    expect([...statuses.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(BODIES);
    // Many bodies pass validation, and many are refused by it.
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(BODIES / 10);
    expect((statuses.get(400) ?? 0) + (statuses.get(422) ?? 0)).toBeGreaterThan(BODIES / 10);
    expect([...statuses.keys()].filter((status) => ![200, 201, 400, 404, 422].includes(status))).toEqual([]);
  },
  120_000 + BODIES * 20,
);

/** Takes from each of the `groups` equal parts in turn. */
function interleave<T>(all: T[], groups: number): T[] {
  const size = all.length / groups;
  return Array.from({ length: all.length }, (_, i) => all[(i % groups) * size + Math.floor(i / groups)]!);
}
