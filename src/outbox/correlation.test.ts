import pino from 'pino';
import { expect, test } from 'vitest';
import { continuedAt, correlationOf, requestIdOf, traceparentOf } from '../lib/tracing/correlation.ts';
import { step } from '../marketing/flows/definition/testing-graphs.ts';
import { activeFlow, track, work } from '../marketing/flows/testing/flows.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { createOutboxWorker } from './worker.ts';

/** The id of a request stays with what it causes, through the outbox, flows and the ledger. */
const server = testServer();
const transfer = async (): Promise<void> => {
  const worker = server.app.workers.find(({ name }) => name === 'outbox')!;
  while ((await worker.runOnce()) > 0);
};

const MAIL = step('mail', 'send_email', { subject: 'Thank you', content: '<p>Thank you</p>' });
const TAGGED = step('told', 'track_event', { event_type: 'order_completed', event_data: { order_id: '1' } });

async function placeOrder(shop: TestCompany, requestId: string): Promise<void> {
  const { id: product } = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, stock_qty: 9 })).body.data;
  const { id: customer } = (await shop.commerce('POST', '/customers', { email: `${requestId}@example.com` })).body.data;
  const order = {
    customer_id: customer,
    items: [{ product_id: product, qty: 1 }],
    shipping_address: '1 Main St',
    shipping_city: 'X',
    shipping_zip: '1',
  };
  expect((await shop.commerce('POST', '/orders', order, { 'x-request-id': requestId })).status).toBe(201);
}

test('the run, the message and the webhook of an order have the id of its request', async () => {
  const shop = await server.company();
  const { body: endpoint } = await shop.marketing('POST', '/webhook-endpoints', {
    url: 'https://example.com/hook',
    event_types: ['order_placed'],
  });
  const flow = await activeFlow(shop, [MAIL]);
  await placeOrder(shop, 'order-1');
  expect(
    await server.rows("select correlation from outbox where company_id = $1 and topic = 'order_placed'", [
      shop.company_id,
    ]),
  ).toEqual([{ correlation: 'order-1' }]);
  await transfer();
  await work(server);
  const [run] = (await shop.marketing('GET', `/flows/${flow.flow_id}/runs`)).body.runs;
  expect(run.request_id).toBe('order-1');
  const [message] = (await shop.marketing('GET', '/messages')).body.messages;
  expect(message.request_id).toBe('order-1');
  expect((await shop.marketing('GET', `/messages/${message.message_id}`)).body.request_id).toBe('order-1');
  const { deliveries } = (await shop.marketing('GET', `/webhook-endpoints/${endpoint.endpoint_id}/deliveries`)).body;
  expect(deliveries.map((one: { request_id: string }) => one.request_id)).toEqual(['order-1']);
});

test('a flow that an event of a flow starts goes back to the first request, and orders of one batch to their own', async () => {
  const shop = await server.company();
  await activeFlow(shop, [TAGGED]);
  const second = await activeFlow(shop, [MAIL], { trigger_type: 'order_completed' });
  await Promise.all(['left', 'right'].map((id) => placeOrder(shop, id)));
  await transfer();
  await work(server);
  const { runs } = (await shop.marketing('GET', `/flows/${second.flow_id}/runs`)).body;
  expect(runs.map((run: { request_id: string }) => run.request_id).sort()).toEqual(['left', 'right']);
});

test('an event of the API passes its request id to everything that it starts; other work has none', async () => {
  const shop = await server.company();
  const flow = await activeFlow(shop, [MAIL]);
  const event = { event_type: 'order_placed', event_data: { email: 'ada@example.com', order_id: '1', total: 1 } };
  await shop.marketing('POST', '/events', event, { 'x-request-id': 'sent-1' });
  const many = { events: [{ ...event, event_data: { ...event.event_data, email: 'b@example.com', order_id: '2' } }] };
  await shop.marketing('POST', '/events/batch', many, { 'x-request-id': 'sent-2' });
  await work(server);
  const path = `/flows/${flow.flow_id}/runs`;
  const ids = async () =>
    (await shop.marketing('GET', path)).body.runs.map((run: { request_id: string }) => run.request_id);
  expect(await ids()).toEqual(['sent-2', 'sent-1']);
  await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
  await track(shop, 'missed@example.com');
  await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
  await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`);
  expect(await ids()).toEqual([null, 'sent-2', 'sent-1']);
});

test('a refusal and its log line name the request, and a replay keeps it', async () => {
  const shop = await server.company();
  const lines: { request_id?: string; events?: { request_id: string }[] }[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const failing = createOutboxWorker({
    ...server.app,
    log,
    events: { storeEvents: () => Promise.reject(new RangeError('this cannot be stored')) },
    onTransferred: () => {},
  });
  await placeOrder(shop, 'refused-1');
  while ((await failing.runOnce()) > 0);
  expect(lines.flatMap((line) => line.events?.map((event) => event.request_id) ?? [])).toContain('refused-1');
  const ids = async () =>
    (await shop.marketing('GET', '/outbox/refusals')).body.refusals.map(
      (one: { request_id: string }) => one.request_id,
    );
  expect(await ids()).toContain('refused-1');
  await shop.marketing('POST', '/outbox/refusals/replay');
  while ((await failing.runOnce()) > 0);
  expect(await ids()).toContain('refused-1');
});

test('a correlation holds the request and its position in the trace', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(correlationOf({ requestId: 'a' })).toBe('a');
  const traced = correlationOf({ requestId: 'a', traceparent });
  expect([requestIdOf(traced), traceparentOf(traced)]).toEqual(['a', traceparent]);
  expect([requestIdOf('a'), traceparentOf('a'), requestIdOf(null), traceparentOf(null)]).toEqual([
    'a',
    null,
    null,
    null,
  ]);
  const later = traceparent.replace('00f067aa0ba902b7', '1111111111111111');
  expect(traceparentOf(continuedAt(traced, later))).toBe(later);
});
