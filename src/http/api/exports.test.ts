import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminEndpoints } from '../../endpoints.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import type { Ids, Side } from '../../testing/recipes.ts';
import { addressOf, ENDPOINTS, makeRecords } from '../../testing/records.ts';
import { adminTexts } from '../../testing/texts.ts';
import type { Endpoint } from './endpoint.ts';
import { recordSchemaOf } from './endpoint.ts';

const server = testServer();
let shop: TestCompany;
let other: TestCompany;
let ids: Ids;
let owner: TestPerson;
const FORMULAS = ['=1+1', '+cmd', '-2', '@SUM(A1)', '"=quoted"', 'a,b\r\nc'];

beforeAll(async () => {
  other = await server.company();
  await makeRecords(server, other, 'theirs');
  shop = await server.company();
  ids = await makeRecords(server, shop, 'ours');
  for (const name of FORMULAS) await shop.commerce('POST', '/products', { name, price: 1, description: name });
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

const headersOf = (side: Side, { key, company_id }: TestCompany = shop): Record<string, string> =>
  side === 'commerce' ? { 'x-api-key': key } : { authorization: `Bearer ${key}`, 'x-company-id': String(company_id) };

/** `text()` of a response would strip the byte order mark. */
const whole = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the response as text: JSON Lines with one record is JSON as well. */
async function load(path: string, headers: Record<string, string>) {
  const response = await fetch(server.origin + path, { headers });
  return { status: response.status, headers: response.headers, text: whole.decode(await response.arrayBuffer()) };
}

const lists: { name: string; side: Side | 'admin'; endpoint: Endpoint }[] = [
  ...ENDPOINTS,
  ...adminEndpoints.map((endpoint) => ({ side: 'admin' as const, endpoint })),
]
  .filter(({ endpoint }) => endpoint.inOrderOf !== undefined)
  .map((one) => ({ ...one, name: `${one.side} ${one.endpoint.path}` }));

/** Lists that are ranked, use a cursor of their own, or do not show records. */
const NOT_EXPORTED = [
  '/products/{id}/related',
  '/products/{id}/variants',
  '/imports/{id}/findings',
  '/contacts/{id}/timeline',
];

test('every list that has pages can be exported', () => {
  const paged = [...ENDPOINTS.map(({ endpoint }) => endpoint), ...adminEndpoints].filter(
    ({ method, query }) => method === 'GET' && query?.properties.per_page !== undefined,
  );
  const without = paged.filter(({ inOrderOf }) => inOrderOf === undefined).map(({ path }) => path);
  expect(without.sort()).toEqual(NOT_EXPORTED.toSorted());
  expect(lists.length).toBeGreaterThan(40);
});

describe.each(lists)('$name', ({ side, endpoint }) => {
  const address = (): { path: string; headers: Record<string, string> } => {
    const path = addressOf(endpoint, ids)!;
    return side === 'admin'
      ? { path: `/admin/api/${shop.company_id}${path}`, headers: { cookie: owner.cookie } }
      : { path: `/${side}/v1${path}`, headers: headersOf(side) };
  };

  test('gives as a file the records that it shows', async () => {
    const { path, headers } = address();
    // Each export is an entry of the audit log, newer than what it contains.
    const isAudit = endpoint.path === '/audit';
    // Requests to this server are records of a list too, and there are more of them than fit a page.
    const listed = async (): Promise<string> => {
      const pages: Record<string, unknown>[] = [];
      const isLong = isAudit || endpoint.path === '/requests';
      for (let page = 1; page <= (isLong ? 10 : 1); page++) {
        const list = JSON.parse((await load(`${path}?per_page=100${isLong ? `&page=${page}` : ''}`, headers)).text);
        const records = list.data ?? Object.values(list).find(Array.isArray);
        pages.push(...records);
        if (records.length < 100) break;
      }
      return JSON.stringify(pages);
    };
    const read = () => load(`${path}?format=jsonl`, headers);
    let [before, lines, after] = [await listed(), await read(), await listed()];
    // Requests are written to the log a moment after the response.
    for (let times = 0; before !== after && times < 20 && !isAudit; times++) {
      await pause(250);
      [before, lines, after] = [await listed(), await read(), await listed()];
    }
    const shown = JSON.parse(before) as Record<string, unknown>[];
    expect([lines.status, lines.headers.get('content-type')]).toEqual([200, 'application/jsonl; charset=utf-8']);
    const records = lines.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const byText = (all: object[]): string[] => all.map((one) => JSON.stringify(one)).sort();
    expect(byText(records)).toEqual(byText(shown));
    expect(lines.text).not.toContain('theirs');

    const csv = await load(`${path}?format=csv`, headers);
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(csv.headers.get('x-accel-buffering')).toBe('no');
    expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="[A-Za-z0-9-]+\.csv"$/);
    expect(csv.text.startsWith('\uFEFF')).toBe(side === 'admin');
    const rows = parse(csv.text, { bom: true, columns: true }) as Record<string, string>[];
    const names = csv.text.replace('\uFEFF', '').split('\r\n', 1)[0]!.split(',');
    // Custom values have a column each.
    const columns = Object.keys((recordSchemaOf(endpoint) as { properties: object }).properties).flatMap((field) =>
      field === 'custom' ? names.filter((name) => name.startsWith('custom.')) : [field],
    );
    expect(names).toEqual(columns);
    const valueIn = (record: Record<string, unknown>, column: string): unknown =>
      column.startsWith('custom.')
        ? (record.custom as Record<string, unknown>)[column.slice('custom.'.length)]
        : record[column];
    const exported = isAudit ? rows.slice(-records.length) : rows;
    for (const row of rows)
      for (const field of Object.values(row)) expect(field).not.toMatch(/^[=+\-@\t\r](?!\d+(\.\d+)?$)/);
    const asText = (value: unknown): string =>
      value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    expect(exported.map((row) => Object.values(row).map((field) => field.replace(/^'(?=[=+\-@\t\r])/, '')))).toEqual(
      records.map((record) => columns.map((column) => asText(valueIn(record, column)))),
    );
  });

  test('is an entry in the audit log, with who exported', async () => {
    const { path, headers } = address();
    await load(`${path}?format=jsonl`, headers);
    const { entries } = (await owner.ask('GET', `/${shop.company_id}/audit?per_page=1`)).body;
    expect(entries[0]).toMatchObject({
      action: expect.stringMatching(/^[a-z_]+[.]export$/),
      actor: side === 'admin' ? `admin:${owner.id}` : expect.stringMatching(/^key:/),
      details: { format: 'jsonl' },
    });
    const nouns = [entries[0].action.split('.')[0], entries[0].target.split(':')[0]];
    for (const texts of [adminTexts('en'), adminTexts('de')])
      for (const noun of nouns) expect(texts).toHaveProperty([`audit.noun.${noun}`]);
  });

  test('refuses another format, and what says which page is shown', async () => {
    const { path, headers } = address();
    expect((await load(`${path}?format=xlsx`, headers)).status).toBe(400);
    expect((await load(`${path}?format=csv&per_page=10`, headers)).status).toBe(400);
  });

  if (endpoint.params !== undefined) {
    test('knows no record of another company', async () => {
      const path = endpoint.path.replace(/\{\w+\}/, '999999999');
      const [prefix, headers] =
        side === 'admin'
          ? [`/admin/api/${shop.company_id}`, { cookie: owner.cookie }]
          : [`/${side}/v1`, headersOf(side)];
      expect((await load(`${prefix}${path}?format=csv`, headers as Record<string, string>)).status).toBe(404);
    });
  }
});

test('the audit log has the filters of an export without the person searched for, and exports of one person', async () => {
  const email = 'exported@example.com';
  const { contact_id } = (await shop.marketing('POST', '/contacts', { email })).body;
  const customer = (await shop.commerce('POST', '/customers', { email: 'buyer@example.com' })).body.data.id;
  const inCompany = `/${shop.company_id}`;
  const paths = [
    `/contacts?format=csv&search=Anna&status=subscribed`,
    `/customers?format=csv&email=${email}`,
    `/customers/${customer}/orders?format=csv`,
    `/contacts/${contact_id}/export`,
    `/customers/${customer}/export`,
  ];
  for (const path of paths) expect((await owner.ask('GET', inCompany + path)).status, path).toBe(200);
  const { entries } = (await owner.ask('GET', `${inCompany}/audit?actor=admin:${owner.id}&per_page=5`)).body;
  expect(entries.map((one: TestBody) => [one.action, one.target, one.details])).toEqual([
    ['customer.export', `customer:${customer}`, {}],
    ['contact.export', `contact:${contact_id}`, {}],
    ['customer.export', `customer:${customer}`, { format: 'csv', list: 'orders' }],
    ['customer.export', 'customer', { format: 'csv', email: '•••' }],
    ['contact.export', 'contact', { format: 'csv', search: '•••', status: 'subscribed' }],
  ]);
});

test('neither a list that is only shown, nor HEAD, nor a refused export is an entry in the audit log', async () => {
  const latest = async () => (await owner.ask('GET', `/${shop.company_id}/audit?per_page=1`)).body.entries[0].id;
  const before = await latest();
  await load('/commerce/v1/orders', headersOf('commerce'));
  await load('/commerce/v1/orders?format=csv&page=2', headersOf('commerce'));
  await load('/commerce/v1/customers/999999/export', headersOf('commerce'));
  await fetch(`${server.origin}/commerce/v1/orders?format=csv`, { method: 'HEAD', headers: headersOf('commerce') });
  expect(await latest()).toBe(before);
});

test('an export has those that match the filters, and asks for the scope of the list', async () => {
  for (const name of ['Ann', 'Bea', 'Cleo']) {
    await shop.marketing('POST', '/contacts', { email: `${name}@filters.example.com`, first_name: name, tags: [name] });
  }
  const { text } = await load('/marketing/v1/contacts?format=jsonl&tag=Bea', headersOf('marketing'));
  expect(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).first_name),
  ).toEqual(['Bea']);
  const limited = await server.company({ scopes: ['orders:read'] });
  expect((await load('/commerce/v1/orders?format=csv', headersOf('commerce', limited))).status).toBe(200);
  expect((await load('/commerce/v1/products?format=csv', headersOf('commerce', limited))).status).toBe(403);
  expect((await load('/marketing/v1/contacts?format=csv', headersOf('marketing', limited))).status).toBe(401);
  const fulfilment = await testPerson(server, { [shop.company_id]: 'fulfilment' });
  const contacts = `/admin/api/${shop.company_id}/contacts?format=csv`;
  expect((await load(contacts, { cookie: fulfilment.cookie })).status).toBe(403);
  const stranger = await testPerson(server, { [other.company_id]: 'owner' });
  expect((await load(contacts, { cookie: stranger.cookie })).status).toBe(404);
});
