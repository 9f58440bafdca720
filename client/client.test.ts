import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientFiles, staleFiles } from '../release/client.ts';
import { testServer } from '../src/testing/harness.ts';
import { ENDPOINTS } from '../src/testing/records.ts';
import { fill, Ref } from '../src/testing/tenants/requests.ts';
import { type SeededCompany, seedCompany } from '../src/testing/tenants/seed.ts';
import { WALKED } from '../src/testing/tenants/valid-requests.ts';
import { ApiError, type Client, createClient, signWebhook } from './src/client.ts';

const server = testServer();
let company: SeededCompany;
let client: Client;

beforeAll(async () => {
  company = await seedCompany(server, 'heron');
  client = createClient({ origin: server.origin, apiKey: company.shop.key, companyId: company.shop.company_id });
}, 60_000);

/** The client as this test calls it: with paths known only at run time. */
interface Loose {
  request(
    method: string,
    path: string,
    options: object,
  ): Promise<{ status: number; data: unknown; requestId: string | null; isReplayed: boolean }>;
}
const loose = (side: 'commerce' | 'marketing'): Loose => client[side] as unknown as Loose;

it('the generated files are those of the running code: npm run client', async () => {
  expect(await staleFiles()).toEqual([]);
});

it('has a type for every endpoint of both APIs', () => {
  const files = clientFiles();
  const missing = ENDPOINTS.filter(
    ({ side, endpoint: { method, path } }) => !files[`${side}.ts`]!.includes(`\n  '${method} ${path}': {`),
  ).map(({ side, endpoint: { method, path } }) => `${method} ${side}${path}`);
  expect(missing).toEqual([]);
});

/** The values of a request, with the ids of the company's records. */
function valuesOf(value: unknown): unknown {
  if (value instanceof Ref) return company.ids[value.record] ?? 1;
  if (Array.isArray(value)) return value.map(valuesOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, valuesOf(inner)]));
}

it.each(WALKED)('$name succeeds', async ({ side, endpoint, requests }) => {
  const [request] = requests;
  const ids = { ...company.ids, ...(await request!.before?.(company)) };
  const { path, body } = fill({ side, endpoint }, request!, ids);
  const { status, data, requestId } = await loose(side).request(endpoint.method, path, { body });
  expect([endpoint.status, endpoint.alsoStatus]).toContain(status);
  expect(data).toBeTypeOf('object');
  expect(requestId).toMatch(/\S/);
});

it('the types accept the valid requests of every endpoint, and reject invalid ones', () => {
  const calls = WALKED.map(({ side, endpoint, requests: [request] }) => {
    const { method, path } = endpoint;
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const id = request!.of === undefined ? request!.param : (company.ids[request!.of] ?? 1);
    const options = {
      ...(parameters.length === 0
        ? {}
        : {
            path: Object.fromEntries(
              parameters.map((name, i) => [name, i === 0 ? id : Number(valuesOf(request!.part))]),
            ),
          }),
      ...(request!.query === undefined ? {} : { query: valuesOf(request!.query) }),
      ...(request!.body === undefined ? {} : { body: valuesOf(request!.body) }),
    };
    const rest = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options)}`;
    return `await shop.${side}.${method.toLowerCase()}('${path}'${rest});`;
  });
  expect(typeErrors(calls)).toEqual([]);
  const wrong = [
    `await shop.commerce.get('/nowhere');`,
    `await shop.commerce.get('/orders/{id}');`,
    `await shop.commerce.post('/orders', { body: { customer_id: 1 } });`,
    `await shop.commerce.list('/settings');`,
    `(await shop.commerce.get('/settings')).nothing;`,
  ];
  expect(typeErrors(wrong)).toHaveLength(wrong.length);
});

/** Lines of a program with these statements that do not compile. */
function typeErrors(statements: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-client-types-'));
  try {
    const source = fileURLToPath(new URL('./src/client.ts', import.meta.url));
    const head = [`import type { Client } from '${source}';`, 'declare const shop: Client;'];
    writeFileSync(join(folder, 'calls.ts'), [...head, ...statements].join('\n'));
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['ES2022', 'DOM'] };
    const modules = {
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      target: 'ES2022',
      allowImportingTsExtensions: true,
    };
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...options, ...modules } }));
    const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
    try {
      execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8', cwd: folder });
      return [];
    } catch (error) {
      const { stdout } = error as { stdout: string };
      return stdout.split('\n').filter((line) => /error TS/.test(line));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('endpoints that authenticate by a signature', () => {
  it('take a body that signWebhook signed', async () => {
    const body = {
      event_type: 'product_viewed',
      event_data: { email: company.ids.email, product_id: '7', product_name: 'Mug' },
    };
    const headers = await signWebhook(company.shop.webhook_secret, JSON.stringify(body), server.clock.now());
    const { data } = await client.marketing.request('POST', '/webhook', { body, headers });
    expect(data).toMatchObject({ accepted: 1 });
    const reports = { reports: [{ type: 'soft', email: 'somebody@example.com' }] };
    const signed = await signWebhook(company.shop.webhook_secret, JSON.stringify(reports), server.clock.now());
    const result = await client.marketing.request('POST', '/bounces', { body: reports, headers: signed } as never);
    expect(result.status).toBe(200);
  });

  it.each(ENDPOINTS.filter(({ endpoint }) => endpoint.scope === 'public').map(({ endpoint }) => endpoint.path))(
    '%s refuses one without, by an error with a code',
    async (path) => {
      const options = { body: {}, path: { company_id: company.shop.company_id } };
      const failed = await loose('marketing')
        .request('POST', path, options)
        .catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(ApiError);
      expect(['unauthorized', 'bad_request', 'not_found']).toContain((failed as ApiError).code);
    },
  );
});

describe('additions of the client', () => {
  it('makes an Idempotency-Key for each write, and keeps the one that it is given', async () => {
    const body = { name: 'Idempotent list' };
    const first = await client.marketing.request('POST', '/lists', { body, idempotencyKey: 'list-1' });
    const again = await client.marketing.request('POST', '/lists', { body, idempotencyKey: 'list-1' });
    expect([first.isReplayed, again.isReplayed]).toEqual([false, true]);
    expect(again.data).toEqual(first.data);
  });

  it('iterates over all pages of a list, on both APIs', async () => {
    const contacts = Array.from({ length: 7 }, (_, i) => ({ email: `page-${i}@example.com`, tags: ['paged'] }));
    await client.marketing.post('/contacts/batch', { body: { contacts } });
    const seen: string[] = [];
    for await (const contact of client.marketing.list('/contacts', { query: { tag: 'paged', per_page: 3 } })) {
      seen.push(contact.email!);
    }
    expect(seen.sort()).toEqual(contacts.map(({ email }) => email));
    const rules = await client.commerce.page('/products', { query: { per_page: 1 } });
    expect(rules.items).toHaveLength(1);
    let products = 0;
    for await (const product of client.commerce.list('/products', { query: { per_page: 1 } }))
      products += product.id ? 1 : 0;
    expect(products).toBe(rules.pagination.total);
  });

  it('names fields that the server does not know', async () => {
    const body = { name: 'Spelled', descripton: 'wrong' };
    const { ignoredFields } = await client.marketing.request('POST', '/lists', { body });
    expect(ignoredFields).toEqual(['descripton']);
  });

  it('has errors by code, with fields, details, fix and the id of the request', async () => {
    const { customer, product } = company.ids as { customer: number; product: number };
    const address = { shipping_address: 'Unter den Linden 1', shipping_city: 'Berlin', shipping_zip: '10117' };
    const order = { customer_id: customer, items: [{ product_id: product, qty: 9_000 }], ...address };
    const failed = await client.commerce
      .post('/orders', { body: { ...order, shipping_country: 'DE' } })
      .catch((error: unknown) => error);
    if (!(failed instanceof ApiError) || !failed.hasCode('insufficient_stock')) throw failed;
    expect(failed.status).toBe(422);
    expect(failed.details.items![0]).toMatchObject({ product_id: product, requested: 9_000 });
    expect(failed.fix).toContain('restock');
    expect(failed.requestId).toMatch(/\S/);
    const invalid = await client.commerce.post('/customers', { body: {} as never }).catch((error: unknown) => error);
    expect((invalid as ApiError).hasCode('validation_failed')).toBe(true);
    expect((invalid as ApiError).fields).toContainEqual(expect.objectContaining({ field: 'email' }));
    const flat = await client.marketing.post('/events', { body: {} as never }).catch((error: unknown) => error);
    expect(flat).toMatchObject({ status: 400, code: 'bad_request' });
    expect((flat as ApiError).fields.map(({ field }) => field)).toContain('event_type');
  });
});
