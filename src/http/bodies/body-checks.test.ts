import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import { bodies } from '../../testing/bodies.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { useThings } from '../../testing/probe.ts';
import { bodyOf, ENDPOINTS } from '../../testing/records.ts';
import { plainSchema } from '../api/plain-schema.ts';
import { type CheckedBody, checkBody } from './body-check.ts';
import { BodyChecks } from './body-checks.ts';
import { bodyReaderOf } from './read-body.ts';

const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Returns what the event loop would find in the same body. */
function readHere(schema: TSchema, raw: Buffer): Omit<CheckedBody, 'rest'> & { body: unknown } {
  try {
    const { body, ignored, refusal } = bodyReaderOf(schema)(raw);
    if (refusal !== null) throw Object.assign(refusal, { ignored });
    return { ignored, refusal: null, body };
  } catch (error) {
    const { code, message, details, ignored = '' } = error as AppError & { ignored?: string };
    expect(error).toBeInstanceOf(AppError);
    return { ignored, refusal: { code, message, details }, body: null };
  }
}

describe('a body that is looked at in a thread', () => {
  const taking = ENDPOINTS.filter(({ endpoint }) => endpoint.body !== undefined && endpoint.scope !== 'public');

  it.each(taking.map(({ side, endpoint }) => [`${endpoint.method} ${side}${endpoint.path}`, endpoint] as const))(
    'of %s is judged as on the event loop',
    (_name, endpoint) => {
      const schema = endpoint.body!;
      const arbitrary = bodies(plainSchema(schema), [1], [bodyOf(endpoint)]);
      const made = fc.sample(arbitrary, { numRuns: 12, seed: 287 });
      for (const body of [...made, bodyOf(endpoint), { ...bodyOf(endpoint), junk: numbers(500) }]) {
        const raw = Buffer.from(JSON.stringify(body));
        const { rest, ...said } = checkBody({ schema: JSON.stringify(schema), bytes: raw });
        const { body: here, ...expected } = readHere(schema, raw);
        expect(said).toEqual(expected);
        if (rest === null) continue;
        // The rest is parsed once more.
        expect(readHere(schema, Buffer.from(rest))).toEqual({ ignored: '', refusal: null, body: here });
      }
    },
  );
});

describe('companies whose large bodies were of no use', () => {
  const schema = ENDPOINTS.find(({ endpoint }) => endpoint.method === 'POST' && endpoint.path === '/products')!.endpoint
    .body!;
  const raw = Buffer.from(JSON.stringify({ name: 'Mug', price: -1 }));

  it('have theirs looked at, others have not', async () => {
    const checks = new BodyChecks(60_000);
    expect(await checks.check(1, schema, raw)).toBeNull();
    checks.suspect(1);
    expect(await checks.check(1, schema, raw)).toMatchObject({ refusal: { code: 'validation_failed' } });
    expect(await checks.check(2, schema, raw)).toBeNull();
    await checks.close();
    // During shutdown the program still responds to what it has received.
    expect(await checks.check(1, schema, raw)).toBeNull();
  });
});

describe('a large body', () => {
  const server = testServer({ impatient: true });
  useThings(server);
  let shop: TestCompany;
  beforeAll(async () => {
    shop = await server.company();
  });
  const post = async (body: unknown, more: Record<string, string> = {}) => {
    const response = await server.request('POST', '/commerce/v1/things', {
      raw: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'x-api-key': shop.key, 'x-request-id': 'large', ...more },
    });
    return { status: response.status, ignored: response.headers.get('x-ignored-fields'), body: response.body };
  };

  it.each([
    ['with a wrong field', { name: '', junk: numbers(30_000) }],
    ['that is no JSON', `{"name":"a","junk":"${'x'.repeat(100_000)}"`],
    ['with more parts than there may be', { name: 'a', parts: numbers(30_000) }],
    ['with a text that cannot be stored', { name: 'a', junk: ['\0'], long: 'x'.repeat(100_000) }],
    ['that is too deep', `{"name":"a","junk":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
  ])('%s is refused the same way time and again', async (_name, body) => {
    const first = await post(body);
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect(first.status).toBeLessThan(429);
    for (let i = 0; i < 2; i++) expect(await post(body)).toEqual(first);
  });

  it('that is mostly of unknown fields is accepted time and again', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await post({ name: ' mug ', extra: { n: 1 }, junk: numbers(30_000) })).toMatchObject({
        status: 201,
        ignored: 'junk',
        body: { data: { name: 'mug' } },
      });
    }
    expect(await post({ name: 'mug', extra: { list: numbers(20_000) } })).toMatchObject({ status: 201, ignored: null });
  });

  it('ends its turn where its Idempotency-Key is refused', async () => {
    const long = { name: 'mug', extra: { text: 'x'.repeat(1_000_000) } };
    for (let i = 0; i < 3; i++) {
      expect(await post(long, { 'idempotency-key': 'é' })).toMatchObject({ status: 400 });
    }
    expect(await post(long)).toMatchObject({ status: 201 });
  });
});
