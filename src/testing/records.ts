import { commerceEndpoints, marketingEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { plainSchema } from '../http/api/plain-schema.ts';
import { exampleValuesOf } from '../http/openapi/example-values.ts';
import { bodyExampleOf } from '../http/openapi/examples.ts';
import type { TestCompany, TestResponse, TestServer } from './harness.ts';
import { type Ids, RECIPES, type Side } from './recipes.ts';

/** Every endpoint with its API, for tests that cover all of them. */
export const ENDPOINTS: { side: Side; endpoint: Endpoint }[] = [
  ...commerceEndpoints.map((endpoint) => ({ side: 'commerce' as const, endpoint })),
  ...marketingEndpoints.map((endpoint) => ({ side: 'marketing' as const, endpoint })),
];

/** Records that are not created by a POST: those of an event that started the flow, and those of the library. */
const FOUND: {
  parameter: string;
  find: (shop: TestCompany, ids: Ids, server: TestServer, mark: string) => Promise<number | string>;
}[] = [
  {
    parameter: 'run_id',
    find: async (shop, ids) => (await shop.marketing('GET', `/flows/${ids.flows}/runs`)).body.runs[0].run_id,
  },
  {
    parameter: 'customer-notes',
    find: async (shop, ids, _server, mark) =>
      (await shop.commerce('POST', `/customers/${ids.customers}/notes`, { text: mark })).body.data.id,
  },
  {
    parameter: 'order-notes',
    find: async (shop, ids, _server, mark) =>
      (await shop.commerce('POST', `/orders/${ids.orders}/notes`, { text: mark })).body.data.id,
  },
  {
    parameter: 'inventory/receipts',
    find: async (shop, ids, _server, mark) => {
      const lines = [{ product_id: ids.products, qty: 1 }];
      const receipt = { location_id: ids.locations, supplier: mark, lines };
      return (await shop.commerce('POST', '/inventory/receipts', receipt)).body.data.id;
    },
  },
  {
    parameter: 'inventory/transfers',
    find: async (shop, ids, _server, mark) => {
      const locations = (await shop.commerce('GET', '/locations')).body.data;
      const main = locations.find((one: { main: boolean }) => one.main).id;
      const lines = [{ product_id: ids.products, qty: 1 }];
      const transfer = { from_location_id: main, to_location_id: ids.locations, note: mark, lines };
      return (await shop.commerce('POST', '/inventory/transfers', transfer)).body.data.id;
    },
  },
  {
    parameter: 'payments',
    find: async (shop, ids, _server, mark) => {
      const money = { method_id: ids['payment-methods'], amount: 1, reference: mark };
      return (await shop.commerce('POST', `/orders/${ids.orders}/payments`, money)).body.data.id;
    },
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
    // Events that the APIs accept are never refused later, so one is inserted.
    parameter: 'outbox',
    find: async (shop, ids, server, mark) => {
      const payload = { customer_id: String(ids.customers), email: `${mark}@example.com`, accepts_marketing: false };
      const values = [shop.company_id, payload, `${mark} was refused`, server.clock.now()];
      const [row] = await server.rows<{ id: string }>(
        `insert into outbox_refusals (company_id, id, topic, payload, reason, occurred_at, refused_at)
         values ($1, nextval(pg_get_serial_sequence('outbox', 'id')), 'customer_created', $2, $3, $4, $4) returning id`,
        values,
      );
      return Number(row!.id);
    },
  },
];

/** Parameters that name the same object for every company. */
export const SHARED_PARAMETERS = ['name'];

/** Creates a record by every recipe, starts the flow by an event, and waits for its message. */
export async function makeRecords(server: TestServer, shop: TestCompany, mark: string): Promise<Ids> {
  const ids: Ids = { company_id: shop.company_id };
  for (const { side, resource, body } of RECIPES) {
    const response = await shop[side]('POST', `/${resource}`, body(ids, mark));
    if (response.status > 201) throw new Error(`${resource}: ${JSON.stringify(response.body)}`);
    ids[resource] = idIn(side, response);
  }
  const file = Buffer.from(`email,consent\n${mark}@import.example.com,never\n`).toString('base64');
  await shop.commerce('POST', `/imports/${ids.imports}/chunks`, { n: 0, data: file });
  const event_data = { email: `contact-${mark}@example.com` };
  await shop.marketing('POST', '/events', { event_type: `${mark}_sneezed`, event_data });
  for (const name of ['flows', 'sender']) await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  for (const { parameter, find } of FOUND) ids[parameter] = await find(shop, ids, server, mark);
  return ids;
}

function idIn(side: Side, { body }: TestResponse): number | string {
  if (side === 'commerce') return body.data.id ?? body.data.slug;
  const [name] = Object.keys(body).filter((key) => key.endsWith('_id') || key === 'event_type');
  return body[name!];
}

/** The path's first word, or its first two, such as `inventory/transfers`. */
export function resourceOf(path: string): string {
  const [first, second] = path.split('/').slice(1);
  return first === 'inventory' ? `${first}/${second}` : first!;
}

/** Returns the endpoint's path with the records' ids, with a query if required; null where no record has one. */
export function addressOf({ path, query }: Endpoint, ids: Ids): string | null {
  const needed = ((query as { required?: string[] } | undefined)?.required ?? []).map(
    (name) => `${name}=${ids[`${name.replace(/_id$/, '')}s`] ?? 1}`,
  );
  const end = needed.length === 0 ? '' : `?${needed.join('&')}`;
  if (!path.includes('{')) return path + end;
  const parameter = /\{(\w+)\}/.exec(path)![1]!;
  const id = ids[parameter] ?? ids[resourceOf(path)];
  // A second parameter is a part of the record: the first one has the id 1.
  return id === undefined ? null : path.replace(/\{\w+\}/, String(id)).replace(/\{\w+\}/, '1') + end;
}

/** Returns a body that matches the endpoint's schema; undefined if it has none. */
export function bodyOf({ body, tag }: Endpoint): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  return bodyExampleOf(plainSchema(body), exampleValuesOf(tag)) as Record<string, unknown>;
}
