import pino from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { maskedPath } from '../http/api/observation.ts';
import { removeOld } from '../retention/testing.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import type { LoggedRequest } from './contract.ts';
import { createRequestRecorder, type RequestLogLimits } from './recorder.ts';

const server = testServer({ impatient: true });
let shop: TestCompany;
let owner: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

async function logged(query = '', person = owner, company = shop.company_id): Promise<LoggedRequest[]> {
  await server.app.requestLog.flush();
  const { status, body } = await person.ask('GET', `/${company}/requests${query}`);
  expect(status).toBe(200);
  return body.requests;
}

test('a request is recorded with its key, path, status, duration and request id, without its query', async () => {
  const before = (await logged()).length;
  const { headers } = await shop.commerce('GET', '/products?search=ann@example.com');
  const { body } = await shop.commerce('POST', '/products', { name: '', price: -1 });
  const [refused, read, ...others] = await logged();
  expect(others).toHaveLength(before);
  expect(read).toMatchObject({
    api: 'commerce',
    method: 'GET',
    path: '/commerce/v1/products',
    status: 200,
    key_name: 'test',
    error: null,
    request_id: headers.get('x-request-id'),
    left_out: 0,
  });
  expect(read!.duration_ms).toBeGreaterThan(0);
  expect(refused).toMatchObject({ method: 'POST', status: 422, error: 'validation_failed', fields: 'name, price' });
  expect(refused!.request_id).toBe(body.error.details.request_id);
});

test('filters find requests by status, path, method, key, error and request id', async () => {
  await shop.marketing('GET', '/contacts/999999');
  await shop.commerce('PATCH', '/orders/5/status', { status: 'gone' });
  const [sample] = await logged('?error=not_found');
  expect(sample).toMatchObject({ path: '/marketing/v1/contacts/999999', status: 404 });
  const all = await logged('?per_page=100');
  const expected = (keep: (one: LoggedRequest) => boolean): number[] => all.filter(keep).map(({ id }) => id);
  const ids = async (query: string): Promise<number[]> => (await logged(`${query}&per_page=100`)).map(({ id }) => id);
  expect(await ids('?status=4xx')).toEqual(expected(({ status }) => status >= 400 && status < 500));
  expect(await ids('?method=PATCH')).toEqual(expected(({ method }) => method === 'PATCH'));
  expect(await ids('?path=/marketing/v1/contacts')).toEqual(expected(({ api }) => api === 'marketing'));
  expect(await ids(`?key_id=${sample!.key_id}`)).toEqual(expected(() => true));
  expect(await ids('?key_id=999999')).toEqual([]);
  expect(await ids(`?request_id=${sample!.request_id}`)).toEqual([sample!.id]);
  expect((await owner.ask('GET', `/${shop.company_id}/requests?status=fine`)).status).toBe(400);
});

test('refusals are recorded once the key is known: a missing scope, a used-up limit; strangers and people are not', async () => {
  const narrow = await server.company({ scopes: ['products:read'], requestsPerHour: 1 });
  const person = await testPerson(server, { [narrow.company_id]: 'owner' });
  await narrow.commerce('GET', '/orders');
  await narrow.commerce('GET', '/products');
  await server.request('GET', '/commerce/v1/products', { headers: { 'x-api-key': 'tl_live_nothing' } });
  await person.ask('GET', `/${narrow.company_id}/products`);
  expect((await logged('', person, narrow.company_id)).map(({ status, error }) => [status, error])).toEqual([
    [429, 'rate_limited'],
    [403, 'missing_scope'],
  ]);
});

test('the signed webhook is recorded without a key', async () => {
  const { signBody } = await import('../marketing/webhook/signature.ts');
  const raw = JSON.stringify({
    event_type: 'product_viewed',
    event_data: { email: 'ann@example.com', product_id: '7', product_name: 'Mug' },
  });
  const headers = {
    'x-company-id': String(shop.company_id),
    'x-webhook-signature': signBody(shop.webhook_secret, raw),
  };
  expect((await server.request('POST', '/marketing/webhook', { raw, headers })).status).toBe(200);
  expect((await logged())[0]).toMatchObject({ path: '/marketing/webhook', key_id: null, status: 200 });
});

test.each([
  ['/commerce/v1/orders/17/status?x=1', '/commerce/v1/orders/17/status'],
  ['/marketing/v1/contacts/ann@example.com', '/marketing/v1/contacts/…'],
  ['/marketing/v1/contacts/ann%40example.com/x', '/marketing/v1/contacts/…/x'],
  ['/commerce/v1/promo-codes/ANN10', '/commerce/v1/promo-codes/…'],
  [`/commerce/v1/${'a'.repeat(500)}`, '/commerce/v1/…'],
])('of the path %s is kept %s', (url, kept) => {
  expect(maskedPath(url)).toBe(kept);
});

test('a company with too many requests has some left out and counted, without effect on other companies', async () => {
  const limits: RequestLogLimits = { successes: 3, failures: 2, pending: 7, kept: 10 };
  const log = pino({ level: 'silent' });
  // All requests are made within one second.
  const recorder = createRequestRecorder({ db: server.app.db, log, limits, elapsedMs: () => 5_000 });
  const busy = (await server.company()).company_id;
  const quiet = (await server.company()).company_id;
  const ask = (companyId: number, status: number): void => {
    if (!recorder.takes(companyId, status >= 400)) return;
    recorder.record({
      companyId,
      at: server.clock.now(),
      keyId: 1,
      api: 'commerce',
      method: 'GET',
      path: '/x',
      status,
      durationMs: 1.5,
      requestId: 'r',
      error: null,
      fields: null,
    });
  };
  for (let i = 0; i < 10; i++) ask(busy, 200);
  for (let i = 0; i < 10; i++) ask(busy, 404);
  for (let i = 0; i < 3; i++) ask(quiet, 200);
  await recorder.flush();
  const rows = (company: number) =>
    server.rows<{ status: number; left_out: number }>(
      'select status, left_out from api_requests where company_id = $1 order by id',
      [company],
    );
  expect((await rows(busy)).map(({ status, left_out }) => [status, left_out])).toEqual([
    ...[
      [200, 0],
      [200, 0],
      [200, 0],
      [404, 7],
      [404, 0],
    ],
  ]);
  // Two of the seven places were left.
  expect(await rows(quiet)).toHaveLength(2);
  await recorder.close();
});

test('approximately the latest requests of a company are kept, and none older than its setting', async () => {
  const { company_id: company } = await server.company();
  const limits: RequestLogLimits = { successes: 1e6, failures: 1e6, pending: 1e6, kept: 100 };
  const recorder = createRequestRecorder({ db: server.app.db, log: pino({ level: 'silent' }), limits });
  for (let i = 0; i < 2_500; i++) {
    recorder.takes(company, false);
    recorder.record({
      companyId: company,
      at: server.clock.now(),
      keyId: 1,
      api: 'commerce',
      method: 'GET',
      path: `/${i}`,
      status: 200,
      durationMs: 1,
      requestId: 'r',
      error: null,
      fields: null,
    });
  }
  await recorder.flush();
  const [row] = await server.rows<{ n: string; first: string }>(
    'select count(*) as n, (array_agg(path order by id))[1] as first from api_requests where company_id = $1',
    [company],
  );
  expect([Number(row!.n), row!.first]).toEqual([100, '/2400']);
  server.clock.advance(15 * 86_400_000);
  await removeOld(server);
  expect(await server.rows('select 1 from api_requests where company_id = $1', [company])).toEqual([]);
});

test('a database that refuses the rows loses no request of a client, and they count as left out', async () => {
  const company = (await server.company()).company_id;
  const recorder = createRequestRecorder({ db: server.app.db, log: pino({ level: 'silent' }) });
  const record = (path: string): void => {
    recorder.takes(company, false);
    recorder.record({
      companyId: company,
      at: server.clock.now(),
      keyId: 1,
      api: 'commerce',
      method: 'GET',
      path,
      status: 200,
      durationMs: 1,
      requestId: 'r',
      error: null,
      fields: null,
    });
  };
  await server.rows('alter table api_requests rename to away');
  record('/lost');
  await recorder.flush();
  await server.rows('alter table away rename to api_requests');
  record('/kept');
  await recorder.flush();
  expect(await server.rows('select path, left_out from api_requests where company_id = $1', [company])).toEqual([
    { path: '/kept', left_out: 1 },
  ]);
});
