import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../access/api-key-service.ts';
import { commerceEndpoints, marketingEndpoints } from '../../endpoints.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { tradeloom } from '../../testing/program.ts';
import { createConfirmations } from './confirmations.ts';
import { soldOutMoments } from './sold-out.ts';
import { toolsOf } from './tools.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const server = testServer();
let shop: TestCompany;
/** Clients of `tradeloom mcp` by its options: tests share its process. */
const clients = new Map<string, Promise<Client>>();
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  shop = await server.company();
});
afterAll(async () => {
  for (const one of open) await one.close();
});

const environment = (key: string): Record<string, string> => ({
  PATH: process.env.PATH!,
  TRADELOOM_URL: server.origin,
  TRADELOOM_KEY: key,
});

/** The SDK's own client of `tradeloom mcp`, over standard input and output. */
function stdio(words: string[] = []): Promise<Client> {
  const name = words.join(' ');
  const client = clients.get(name) ?? newStdio(words);
  clients.set(name, client);
  return client;
}

/** One with a process of its own, which may ask a person. */
async function newStdio(words: string[], key = shop.key, elicit?: (message: string) => boolean): Promise<Client> {
  const capabilities = elicit === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => {
      const agreed = elicit((request.params as { message: string }).message);
      return agreed ? { action: 'accept', content: { confirm: true } } : { action: 'decline' };
    });
  }
  const args = [MAIN, 'mcp', '--company', String(shop.company_id), ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: environment(key) }));
  open.push(client);
  return client;
}

const keyWith = async (scopes: string[]): Promise<string> => {
  const made = { companyId: shop.company_id, name: 'assistant', scopes, requestsPerHour: 0, expiresAt: null };
  return (await createKey(server.app.db, { ...made, now: server.clock.now(), actor: 'test' })).key;
};

interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
}
async function use(client: Client, name: string, args: object = {}): Promise<{ isError: boolean; text: string }> {
  const result = (await client.callTool({ name, arguments: args as Record<string, unknown> })) as ToolResult;
  return { isError: result.isError === true, text: result.content[0]!.text };
}
const namesOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
const tools = [...toolsOf('commerce', commerceEndpoints), ...toolsOf('marketing', marketingEndpoints)];
const order = (product: number, customer: number, qty: number) => ({
  customer_id: customer,
  items: [{ product_id: product, qty }],
  shipping_address: '12 Rowan Street',
  shipping_city: 'Portland',
  shipping_state: 'OR',
  shipping_zip: '97205',
});

describe('the tools', () => {
  it('are those of every endpoint of both APIs but signed ones, secrets, passwords and exports', () => {
    const all = [...commerceEndpoints, ...marketingEndpoints];
    const left = all.filter((endpoint) => !tools.some((tool) => tool.endpoint === endpoint));
    expect(left.map(({ method, path }) => `${method} ${path}`)).toEqual(
      all
        .filter(
          ({ scope, path, returnsSecret, streams }) =>
            scope === 'public' || returnsSecret || streams || path.includes('password'),
        )
        .map(({ method, path }) => `${method} ${path}`),
    );
    const schemas = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
    expect(/"(password|private_key|signing_key)"/.exec(schemas)?.[0]).toBeUndefined();
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z]{3,64}$/);
  });

  it('read only, unless writes are allowed, and are marked so', async () => {
    const client = await stdio();
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name).sort()).toEqual(
      [...tools.filter(({ isWrite }) => !isWrite).map(({ name }) => name), 'search', 'soldOutProducts'].sort(),
    );
    expect(listed.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    const refused = await client.callTool({ name: 'postProducts', arguments: {} }).catch((error: Error) => error);
    expect(String((refused as Error).message ?? JSON.stringify(refused))).toMatch(/not found|unknown/i);
    const writing = await namesOf(await stdio(['--allow-writes']));
    expect(writing).toHaveLength(tools.length + 2);
  });

  it('are those that the scopes of the key permit, and of the resources asked for', async () => {
    const key = await keyWith(['products:read', 'marketing:read', 'events:write']);
    const names = await namesOf(await newStdio(['--allow-writes'], key));
    expect(names).toEqual(expect.arrayContaining(['getProducts', 'getCampaigns', 'postEvents', 'soldOutProducts']));
    expect(names.filter((name) => /order|postProducts|postCampaigns\b/i.test(name))).toEqual([]);
    expect((await namesOf(await stdio(['--only', 'orders']))).sort()).toEqual(
      ['getOrders', 'getOrdersById', 'getOrdersByIdHistory', 'postOrdersCalculate', 'search'].sort(),
    );
  });

  it('give records, and the refusals of the API with what to do', async () => {
    const { body } = await shop.commerce('POST', '/products', { name: 'Heron mug', price: 12.5, stock_qty: 3 });
    const client = await stdio();
    for (const id of [body.data.id, String(body.data.id), body.data.slug]) {
      expect(JSON.parse((await use(client, 'getProductsById', { id })).text).name).toBe('Heron mug');
    }
    expect(JSON.parse((await use(client, 'getProducts', { search: 'heron' })).text).pagination.total).toBe(1);
    expect(JSON.parse((await use(client, 'search', { text: 'heron' })).text)['/products'].total).toBe(1);
    const missing = await use(client, 'getOrdersById', { id: 999_999 });
    expect(missing.isError).toBe(true);
    expect(JSON.parse(missing.text)).toMatchObject({
      status: 404,
      code: 'not_found',
      fix: expect.stringContaining('id'),
    });
  });
});

it('refuses arguments that it does not know or that are wrong, and names each', async () => {
  const client = await stdio();
  const { isError, text } = await use(client, 'getProducts', { serach: 'heron', 'a/b': 1, per_page: 'x', sort: 'no' });
  expect(isError).toBe(true);
  for (const said of ['serach is unknown', 'a/b is unknown', 'per_page must be integer', 'sort must be one of']) {
    expect(text).toContain(said);
  }
  expect((await use(client, 'getOrdersById', {})).text).toContain('id is required');
});

it('«Which products sold out last week?» can be told', async () => {
  const make = async (name: string, stock_qty: number): Promise<number> =>
    (await shop.commerce('POST', '/products', { name, price: 5, stock_qty })).body.data.id;
  const [gone, restocked, left] = [await make('Gone', 2), await make('Restocked', 1), await make('Left', 9)];
  const sizes = [{ name: 'Size', value: 'S' }];
  const variants = [{ price: 5, stock_qty: 1, options: sizes }];
  const parent = { name: 'Shirt', options: [{ name: 'Size', values: ['S'] }], variants };
  const small = (await shop.commerce('POST', '/products', parent)).body.data.variants[0].id;
  const customer = (await shop.commerce('POST', '/customers', { email: 'buyer@example.com' })).body.data.id;
  const from = server.clock.now();
  for (const [product, qty] of [
    [gone, 2],
    [restocked, 1],
    [left, 3],
    [small, 1],
  ] as const) {
    expect((await shop.commerce('POST', '/orders', order(product, customer, qty))).status).toBe(201);
  }
  server.clock.advance(3_600_000);
  await shop.commerce('POST', `/products/${restocked}/inventory/adjust`, { delta: 4, reason: 'delivery' });
  // Stock that is not sold online does not make it less sold out.
  const { id: location_id } = (await shop.commerce('POST', '/locations', { name: 'Returns', online: false })).body.data;
  const lines = [{ product_id: gone, location_id, delta: 5 }];
  expect((await shop.commerce('POST', '/inventory/adjustments', { reason: 'returned', lines })).status).toBe(201);
  server.clock.advance(7 * 86_400_000);
  const to = new Date(from.getTime() + 7 * 86_400_000);
  const client = await stdio();
  const { text } = await use(client, 'soldOutProducts', { from: from.toISOString(), to: to.toISOString() });
  const result = JSON.parse(text);
  expect(result.complete).toBe(true);
  expect(
    result.products.map(({ name, stock_now }: { name: string; stock_now: number }) => [name, stock_now]).sort(),
  ).toEqual([
    ['Gone', 0],
    ['Restocked', 4],
    ['Shirt – S', 0],
  ]);
  const few = await use(client, 'soldOutProducts', { from: from.toISOString(), to: to.toISOString(), limit: 2 });
  const sold = JSON.parse(few.text);
  expect([sold.checked, sold.complete]).toEqual([2, false]);
  expect(sold.products.map(({ name }: { name: string }) => name).sort()).toEqual(['Gone', 'Shirt – S']);
  const turned = await use(client, 'soldOutProducts', { from: to.toISOString(), to: from.toISOString() });
  expect(turned).toEqual({ isError: true, text: expect.stringContaining('`from` must be before `to`') });
  const before = await use(client, 'soldOutProducts', { from: '2020-01-01T00:00:00Z', to: from.toISOString() });
  expect(JSON.parse(before.text).products).toEqual([]);
});

it.each([
  ['an order took the last', 0, [-2], 1],
  ['it was never there', 0, [], 0],
  ['it was restocked and sold out again', 0, [-3, 3, -5], 2],
  ['some are left', 2, [-3, 1], 0],
])('the stock reached zero: %s', (_what, stock, deltas, times) => {
  const movements = deltas.map((delta) => ({ kind: 'order', delta, created_at: '2026-03-15T12:00:00.000Z' }));
  expect(soldOutMoments(stock, movements, new Date('2026-03-15'), new Date('2026-03-16'))).toHaveLength(times);
  expect(soldOutMoments(stock, movements, new Date('2026-03-16'), new Date('2026-03-17'))).toEqual([]);
});

const CAMPAIGN = {
  body: { name: 'Autumn', type: 'email', subject: 'New teas', content: '<p>Hello {{ contact.first_name }}</p>' },
};
const campaigns = async (): Promise<{ name: string; status: string }[]> =>
  (await shop.marketing('GET', '/campaigns')).body.campaigns;

describe('a write', () => {
  it('drafts a campaign on the second call, with the token of the first', async () => {
    const client = await stdio(['--allow-writes']);
    const first = await use(client, 'postCampaigns', CAMPAIGN);
    expect(first.text).toMatch(/Nothing was done yet/);
    expect(first.text).toContain('New teas');
    expect(await campaigns()).toEqual([]);
    const confirm = /"confirm": "([\w-]+)"/.exec(first.text)![1];
    const other = { body: { ...CAMPAIGN.body, subject: 'Other teas' }, confirm };
    expect((await use(client, 'postCampaigns', other)).isError).toBe(true);
    expect((await use(client, 'postCampaigns', { ...CAMPAIGN, confirm: 'guessed' })).isError).toBe(true);
    expect(await campaigns()).toEqual([]);
    const done = await use(client, 'postCampaigns', { ...CAMPAIGN, confirm });
    expect(JSON.parse(done.text)).toMatchObject({ name: 'Autumn', status: 'draft' });
    expect(await campaigns()).toHaveLength(1);
    expect((await use(client, 'postCampaigns', { ...CAMPAIGN, confirm })).isError).toBe(true);
    expect(await campaigns()).toHaveLength(1);
  });

  it('may schedule a campaign, which then goes out by itself: the instructions say so', async () => {
    const client = await stdio(['--allow-writes']);
    const instructions = client.getInstructions()!;
    const named = [...instructions.matchAll(/\b(?:post|patch|put)[A-Z]\w+/g)].map(([name]) => name);
    expect(await namesOf(client)).toEqual(expect.arrayContaining(named));
    expect(instructions).toMatch(/scheduled_at[^.]+goes out by itself/);
    const list = (await shop.marketing('POST', '/lists', { name: 'Autumn readers' })).body.list_id;
    const scheduled_at = new Date(server.clock.now().getTime() + 86_400_000).toISOString();
    const body = { ...CAMPAIGN.body, list_id: list, scheduled_at };
    const confirm = /"confirm": "([\w-]+)"/.exec((await use(client, 'postCampaigns', { body })).text)![1];
    const done = JSON.parse((await use(client, 'postCampaigns', { body, confirm })).text);
    expect(done).toMatchObject({ status: 'scheduled' });
    await shop.marketing('DELETE', `/campaigns/${done.campaign_id}`);
    await shop.marketing('DELETE', `/lists/${list}`);
  });

  it('asks the person, where the client can, and is done or not', async () => {
    const asked: string[] = [];
    const agreeing = await newStdio(['--allow-writes'], shop.key, (message) => {
      asked.push(message);
      return !message.includes('Refused');
    });
    const list = await use(agreeing, 'postLists', { body: { name: 'Agreed' } });
    expect(JSON.parse(list.text).name).toBe('Agreed');
    expect((await use(agreeing, 'postLists', { body: { name: 'Refused' } })).isError).toBe(true);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('POST /lists');
    const names = (await shop.marketing('GET', '/lists')).body.lists.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Agreed']);
  });

  it('has a token that ends after ten minutes, and is that of one key', () => {
    const call = { apiKey: 'a', tool: 'postLists', args: { body: { name: 'x', tags: [1, 2] } } };
    const confirmations = createConfirmations(server.clock);
    expect(confirmations.take(confirmations.ask(call), { ...call, apiKey: 'b' })).toBe(false);
    expect(confirmations.take(confirmations.ask(call), { ...call, tool: 'deleteLists' })).toBe(false);
    const reordered = { ...call, args: { body: { tags: [1, 2], name: 'x' } } };
    expect(confirmations.take(confirmations.ask(call), reordered)).toBe(true);
    const late = confirmations.ask(call);
    server.clock.advance(10 * 60_000 + 1);
    expect(confirmations.take(late, call)).toBe(false);
  });
});

describe('over HTTP', () => {
  let child: ChildProcess;
  let address: URL;

  beforeAll(async () => {
    const args = [MAIN, 'mcp', '--http', '0', '--allow-writes', '--company', String(shop.company_id)];
    const env = { PATH: process.env.PATH, TRADELOOM_URL: server.origin };
    child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout! })) {
      address = new URL(line);
      break;
    }
  });
  afterAll(() => child.kill());

  async function http(key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    open.push(client);
    return client;
  }

  it('each request acts with its own key', async () => {
    const all = await namesOf(await http(shop.key));
    expect(all).toContain('postCampaigns');
    const reading = await http(await keyWith(['products:read']));
    expect((await namesOf(reading)).filter((name) => /orders|campaign/i.test(name))).toEqual([]);
    expect(JSON.parse((await use(reading, 'getProducts')).text).pagination).toBeDefined();
  });

  it('confirms writes by the token, over requests that know nothing of each other', async () => {
    const client = await http(shop.key);
    const first = await use(client, 'postLists', { body: { name: 'By HTTP' } });
    const confirm = /"confirm": "([\w-]+)"/.exec(first.text)![1];
    const second = await use(await http(shop.key), 'postLists', { body: { name: 'By HTTP' }, confirm });
    expect(JSON.parse(second.text).name).toBe('By HTTP');
  });

  it('rejects a missing key, a wrong key, another host and a page of another site', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(address, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: 'Bearer tl_live_wrong' })).status).toBe(401);
    const authorization = `Bearer ${shop.key}`;
    expect((await send({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await fetch(new URL('/other', address), { headers: { authorization } })).status).toBe(404);
    const long = await fetch(address, { method: 'POST', headers: { authorization }, body: 'x'.repeat(1_100_000) });
    expect(long.status).toBe(413);
  });

  it('rejects a request without a key before its body arrives', async () => {
    const socket = connect(Number(address.port), '127.0.0.1');
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{');
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });
});

it.each([
  ['without a key', [], {}, 2, 'TRADELOOM_KEY'],
  ['with a wrong key', ['--key', 'tl_live_wrong'], {}, 1, 'API key is unknown'],
  ['with an unknown resource', ['--key', 'x', '--only', 'nothing'], {}, 2, 'unknown resource nothing'],
  ['with an address that is none', ['--key', 'x', '--url', 'foo'], {}, 2, '--url: origin is "foo"; it takes'],
  ['with an address that has a path', ['--key', 'x', '--url', 'http://a.example/commerce'], {}, 2, 'http://a.example'],
  ['without a server', ['--key', 'x', '--url', 'http://127.0.0.1:9'], {}, 1, 'could not be reached'],
] as const)('ends %s, and says why', async (_what, words, env, code, said) => {
  const url: Record<string, string> = words.some((word) => word === '--url') ? {} : { TRADELOOM_URL: server.origin };
  expect(await endOf(words, { ...url, ...env })).toEqual([code, expect.stringContaining(said)]);
});

it.each([[['*']], [['products:read']], [['events:write', 'marketing:read']]])(
  'ends with the company of another than that of a key with %j, and says so',
  async (scopes) => {
    const env = { TRADELOOM_URL: server.origin, TRADELOOM_KEY: await keyWith(scopes) };
    const other = String(shop.company_id + 1);
    for (const words of [[], ['--only', 'products']]) {
      expect(await endOf(['--company', other, ...words], env)).toEqual([
        1,
        `The API key is unknown or not of company ${other}, which --company or X-Company-ID names.\n`,
      ]);
    }
  },
);

/** How `tradeloom mcp` ends, and what it says. */
async function endOf(words: readonly string[], env: Record<string, string>): Promise<[unknown, string]> {
  const { code, stderr } = await tradeloom(['mcp', ...words], env);
  return [code, stderr];
}
