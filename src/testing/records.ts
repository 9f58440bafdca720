import { commerceEndpoints, marketingEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { plainSchema } from '../http/api/plain-schema.ts';
import { exampleValuesOf } from '../http/openapi/example-values.ts';
import { bodyExampleOf } from '../http/openapi/examples.ts';
import type { TestCompany, TestResponse, TestServer } from './harness.ts';

/**
 * One record of every resource of a company, made through the APIs: what the tests that walk over all endpoints
 * fill addresses with.
 */
export type Side = 'commerce' | 'marketing';

export const ENDPOINTS: { side: Side; endpoint: Endpoint }[] = [
  ...commerceEndpoints.map((endpoint) => ({ side: 'commerce' as const, endpoint })),
  ...marketingEndpoints.map((endpoint) => ({ side: 'marketing' as const, endpoint })),
];

/** Ids by the resource's first word in its addresses, or by the parameter's name where that is not `id`. */
export type Ids = Record<string, number | string>;

interface Recipe {
  side: Side;
  /** First word of the resource's addresses, to which the body is posted. */
  resource: string;
  /** `mark` is a word that no other company's records have. */
  body: (ids: Ids, mark: string) => object;
}

const ADDRESS = {
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_zip: '10117',
  shipping_country: 'DE',
};

/** In the order of what they need of each other. */
export const RECIPES: Recipe[] = [
  {
    side: 'commerce',
    resource: 'products',
    body: (_ids, mark) => ({ name: `${mark} mug`, price: 12.5, stock_qty: 100, subscription_enabled: true }),
  },
  {
    side: 'commerce',
    resource: 'customers',
    body: (_ids, mark) => ({ email: `${mark}@example.com`, first_name: mark, ...ADDRESS }),
  },
  {
    side: 'commerce',
    resource: 'orders',
    body: (ids, mark) => ({
      customer_id: ids.customers,
      items: [{ product_id: ids.products, qty: 1 }],
      ...ADDRESS,
      shipping_address: `${mark} street 1`,
    }),
  },
  {
    side: 'commerce',
    resource: 'subscriptions',
    body: (ids) => ({ customer_id: ids.customers, product_id: ids.products, frequency_id: 3, ...ADDRESS }),
  },
  {
    side: 'commerce',
    resource: 'promo-codes',
    body: (ids, mark) => ({
      code: `${mark}10`,
      type: 'percent',
      value: 10,
      scope: 'products',
      product_ids: [ids.products],
    }),
  },
  {
    side: 'commerce',
    resource: 'shipping-zones',
    body: (_ids, mark) => ({ name: `${mark} zone`, countries: ['DE'] }),
  },
  {
    side: 'commerce',
    resource: 'shipping-methods',
    body: (ids, mark) => ({ zone_id: ids['shipping-zones'], name: `${mark} post`, type: 'flat', cost: 4.9 }),
  },
  {
    side: 'commerce',
    resource: 'tax-rules',
    body: (_ids, mark) => ({ name: `${mark} tax`, country: 'DE', rate: 0.19 }),
  },
  { side: 'marketing', resource: 'lists', body: (_ids, mark) => ({ name: `${mark} list` }) },
  { side: 'marketing', resource: 'forms', body: (ids, mark) => ({ name: `${mark} form`, list_ids: [ids.lists] }) },
  {
    side: 'marketing',
    resource: 'campaigns',
    body: (_ids, mark) => ({ name: `${mark} campaign`, type: 'email', subject: mark, content: mark }),
  },
  {
    side: 'marketing',
    resource: 'contacts',
    body: (ids, mark) => ({ email: `contact-${mark}@example.com`, first_name: mark, list_ids: [ids.lists] }),
  },
  { side: 'marketing', resource: 'event-types', body: (_ids, mark) => ({ event_type: `${mark}_sneezed` }) },
  {
    side: 'marketing',
    resource: 'flows',
    body: (_ids, mark) => ({
      name: `${mark} flow`,
      trigger_type: `${mark}_sneezed`,
      status: 'active',
      steps: [
        { step_id: 'mail', type: 'send_email', config: { subject: `Hello ${mark}`, content: '<p>Bless you</p>' } },
        { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      ],
      connections: [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'wait' },
      ],
    }),
  },
  {
    side: 'marketing',
    resource: 'templates',
    body: (_ids, mark) => ({ name: `${mark} template`, subject: 'Hello', content: `<p>${mark}</p>` }),
  },
  {
    side: 'marketing',
    resource: 'segments',
    body: (_ids, mark) => ({
      name: `${mark} segment`,
      conditions: { operator: 'and', rules: [{ field: 'first_name', comparison: 'equals', value: mark }] },
    }),
  },
  {
    side: 'marketing',
    resource: 'campaigns',
    body: (ids, mark) => ({
      name: `${mark} campaign`,
      type: 'email',
      subject: `News of ${mark}`,
      content: '<p>News</p>',
      list_id: ids.lists,
    }),
  },
  {
    side: 'marketing',
    resource: 'webhook-endpoints',
    body: (_ids, mark) => ({ url: `https://${mark}.example.com/hook` }),
  },
];

/** What is not made by posting it: what came of an event that started the flow, and what the library has. */
const FOUND: {
  parameter: string;
  find: (shop: TestCompany, ids: Ids, server: TestServer, mark: string) => Promise<number | string>;
}[] = [
  {
    parameter: 'run_id',
    find: async (shop, ids) => (await shop.marketing('GET', `/flows/${ids.flows}/runs`)).body.runs[0].run_id,
  },
  {
    parameter: 'messages',
    find: async (shop) => (await shop.marketing('GET', '/messages')).body.messages[0].message_id,
  },
  { parameter: 'mailbox', find: async (shop) => (await shop.marketing('GET', '/mailbox')).body.messages[0].id },
  {
    parameter: 'name',
    find: async (shop) => (await shop.marketing('GET', '/flows/library')).body.library[0].library_name,
  },
  {
    // Nothing that the APIs take is refused.
    parameter: 'outbox',
    find: async (shop, _ids, server, mark) => {
      const values = [shop.company_id, { email: `${mark}@example.com` }, `${mark} was refused`, server.clock.now()];
      const [row] = await server.rows<{ id: string }>(
        `insert into outbox_refusals (company_id, id, topic, payload, reason, occurred_at, refused_at)
         values ($1, nextval(pg_get_serial_sequence('outbox', 'id')), 'customer_created', $2, $3, $4, $4) returning id`,
        values,
      );
      return Number(row!.id);
    },
  },
];

/** Parameters that name the same thing to every company. */
export const SHARED_PARAMETERS = ['name'];

/** Makes a record by every recipe, and lets an event start the flow and its message arrive. */
export async function makeRecords(server: TestServer, shop: TestCompany, mark: string): Promise<Ids> {
  const ids: Ids = { company_id: shop.company_id };
  for (const { side, resource, body } of RECIPES) {
    const response = await shop[side]('POST', `/${resource}`, body(ids, mark));
    if (response.status > 201) throw new Error(`${resource}: ${JSON.stringify(response.body)}`);
    ids[resource] = idIn(side, response);
  }
  const event_data = { email: `contact-${mark}@example.com` };
  await shop.marketing('POST', '/events', { event_type: `${mark}_sneezed`, event_data });
  for (const name of ['flows', 'sender']) await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  for (const { parameter, find } of FOUND) ids[parameter] = await find(shop, ids, server, mark);
  return ids;
}

function idIn(side: Side, { body }: TestResponse): number | string {
  if (side === 'commerce') return body.data.id;
  const [name] = Object.keys(body).filter((key) => key.endsWith('_id') || key === 'event_type');
  return body[name!];
}

/** The endpoint's address with the records' ids in it; null where no record has one. */
export function addressOf({ path }: Endpoint, ids: Ids): string | null {
  if (!path.includes('{')) return path;
  const parameter = /\{(\w+)\}/.exec(path)![1]!;
  const id = ids[parameter] ?? ids[path.split('/')[1]!];
  return id === undefined ? null : path.replace(/\{\w+\}/, String(id));
}

/** A body that the endpoint's schema takes; undefined where it takes none. */
export function bodyOf({ body, tag }: Endpoint): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  return bodyExampleOf(plainSchema(body), exampleValuesOf(tag)) as Record<string, unknown>;
}
