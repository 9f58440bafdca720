import { beforeAll, expect, it } from 'vitest';
import { type TestResponse, testServer } from '../harness.ts';
import { fingerprints } from './fingerprint.ts';
import { fill, idFieldsOf, type Place, placesOf } from './requests.ts';
import { flowOf, type Ids, orderOf, type SeededCompany, seedCompany } from './seed.ts';
import { STRAY, send, WALKED } from './valid-requests.ts';

/**
 * Two companies with records of every kind. A request that succeeds with a company's own ids is sent with the other's in place of each of
 * them: the response equals that for an id that does not exist, reveals nothing about the other company, and changes nothing.
 */
const server = testServer();
const rows = fingerprints(server);
const MARK = 'zebrafinch';
const NOBODY = 'nosuchbird';
let ours: SeededCompany;
let theirs: SeededCompany;
let theirRows: Record<string, string>;

beforeAll(async () => {
  ours = await seedCompany(server, 'sparrow');
  theirs = await seedCompany(server, MARK);
  theirs.ids.edited = theirs.ids.flow!;
  theirRows = await rows.of(theirs.shop.company_id);
}, 30_000);

it('every endpoint that asks for a key has a valid request', () => {
  expect(WALKED.filter(({ requests }) => requests.length === 0).map(({ name }) => name)).toEqual([]);
  expect(STRAY).toEqual([]);
  expect(WALKED.length).toBeGreaterThan(150);
});

it('the requests name a record in every field that takes the id of one', () => {
  const plain = (path: string): string => path.replaceAll(/\.\d+/g, '[]');
  const missing = WALKED.flatMap(({ name, endpoint, requests }) => {
    const named = new Set(requests.flatMap(placesOf).map(({ path }) => plain(path)));
    return idFieldsOf(endpoint)
      .filter((path) => !named.has(path))
      .map((path) => `${name} ${path}`);
  });
  expect(missing).toEqual([]);
});

/** An id of the same kind that does not exist. */
function absent(record: string): number | string {
  const id = theirs.ids[record]!;
  return typeof id === 'number' ? 999_999_999 : id.replaceAll(MARK, NOBODY);
}

/** The response without what differs between requests: the requested id, and the request's own. */
function told({ status, body }: TestResponse, id: number | string, isWritten: boolean): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
    .replaceAll(typeof id === 'number' ? new RegExp(`(?<![\\d.])${id}(?![\\d.])`, 'g') : new RegExp(id, 'gi'), '?');
  // A record that is created anyway has an id of its own, which may be that number.
  return [status, isWritten ? text.replaceAll(/_id":(\d+|\?)/g, '_id":0') : text];
}

const cases = WALKED.flatMap(({ name, requests, ...rest }) =>
  requests.map((request, i) => ({ name: i === 0 ? name : `${name} (${i + 1})`, request, ...rest })),
);

it.each(cases)('$name: an id of another company is that of nothing', async ({ side, endpoint, request }) => {
  const ids: Ids = { ...ours.ids, ...(await request.before?.(ours)) };
  const places = placesOf(request);
  const ourRows = () => (places.length > 0 ? rows.of(ours.shop.company_id) : null);
  const before = await ourRows();
  for (const { path, record } of places) {
    const ask = (id: number | string) => send(ours, fill({ side, endpoint }, request, ids, { path, id }));
    const [foreign, unknown] = [await ask(theirs.ids[record]!), await ask(absent(record))];
    const isWritten = request.writesAnyway === true;
    const seen = told(foreign, theirs.ids[record]!, isWritten);
    expect([path, seen]).toEqual([path, told(unknown, absent(record), isWritten)]);
    expect(JSON.stringify(seen).toLowerCase()).not.toContain(MARK);
    const refused = path === 'path' ? [404] : side === 'commerce' ? [404, 422] : [400, 404];
    const expected = request.mayBeAbsent?.includes(path) ? [200, 201] : refused;
    expect(expected, `${path}: ${JSON.stringify(foreign.body)}`).toContain(foreign.status);
  }
  if (!request.writesAnyway) expect(await ourRows()).toEqual(before);
  const { status, body } = await send(ours, fill({ side, endpoint }, request, ids));
  expect([endpoint.status, endpoint.alsoStatus], JSON.stringify(body)).toContain(status);
  expect(await rows.of(theirs.shop.company_id)).toEqual(theirRows);
});

it.each<[string, (ids: Ids) => ['commerce' | 'marketing', string, object]]>([
  ['the slug of a product', ({ slug }) => ['commerce', '/products', { name: 'A', price: 1, slug }]],
  ['the SKU of a product', () => ['commerce', '/products', { name: 'B', price: 1, sku: MARK }]],
  ['the e-mail of a customer', () => ['commerce', '/customers', { email: `customer@${MARK}.example.com` }]],
  ['a promo code', ({ code }) => ['commerce', '/promo-codes', { code, type: 'percent', value: 1 }]],
  ['the external id of an order', () => ['commerce', '/orders', { ...orderOf(ours.ids), external_id: MARK }]],
  ['an event type', ({ event_type }) => ['marketing', '/event-types', { event_type }]],
  ['the e-mail of a contact', ({ email }) => ['marketing', '/contacts', { email }]],
])('%s is free where another company has it', async (_name, requestOf) => {
  const [side, path, body] = requestOf(theirs.ids);
  const response = await ours.shop[side]('POST', path, body);
  expect([response.status, JSON.stringify(response.body).includes(`${MARK} `)]).toEqual([201, false]);
  expect(await rows.of(theirs.shop.company_id)).toEqual(theirRows);
});

it('a draft that names records of another company cannot be activated, and its trial shows none of them', async () => {
  const draftWith = async ({ template, flow, list }: Ids): Promise<number> => {
    const { steps } = flowOf('x', { template: template! }) as { steps: object[] };
    const more = [
      { step_id: 'list', type: 'add_to_list', config: { list_id: list } },
      { step_id: 'flow', type: 'start_flow', config: { flow_id: flow } },
    ];
    const connections = ['mail', 'tell', 'wait', 'list', 'flow'].map((to, i, all) => ({
      from: all[i - 1] ?? 'trigger',
      to,
    }));
    const body = { name: 'Draft', trigger_type: 'order_placed', steps: [...steps, ...more], connections };
    return (await ours.make('marketing', 'POST', '/flows', body)).flow_id;
  };
  const places: Place[] = ['template', 'flow', 'list'].map((record) => ({ path: 'body', record }));
  for (const { record } of places) {
    const responses = [];
    for (const id of [theirs.ids[record]!, absent(record)]) {
      const flow = await draftWith({ ...ours.ids, [record]: id });
      for (const action of ['test', 'activate']) {
        const response = await ours.shop.marketing('POST', `/flows/${action}/${flow}`);
        responses.push([action, told(response, id, true)]);
      }
    }
    expect([record, responses.slice(2)]).toEqual([record, responses.slice(0, 2)]);
    expect(responses[1]![1]).toEqual([400, expect.any(String)]);
    expect(JSON.stringify(responses)).not.toContain(MARK);
  }
});
