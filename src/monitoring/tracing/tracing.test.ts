import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { step } from '../../marketing/flows/definition/testing-graphs.ts';
import { activeFlow } from '../../marketing/flows/testing/flows.ts';
import { connectionUrl } from '../../testing/global-setup.ts';
import { testServer } from '../../testing/harness.ts';
import { type Program, startProgram, startWorkerProgram } from '../../testing/program.ts';

/** One trace over two processes, as a collector gets it. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  role: string;
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Omit<Span, 'role'>[] }[];
  }[];
}

const server = testServer();
const spans: Span[] = [];
const bodies: string[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
      const role = String(attributeOf(resource.attributes, 'tradeloom.role'));
      for (const scope of scopeSpans) for (const span of scope.spans) spans.push({ ...span, role });
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
});

function attributeOf(attributes: Span['attributes'], key: string): unknown {
  const value = attributes.find((one) => one.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
}

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  collector.close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';

test('an order, its event, its flow run and its message are one trace, over a process for requests and one for work', {
  timeout: 180_000,
}, async () => {
  const shop = await server.company();
  const mail = step('mail', 'send_email', { subject: 'Thank you', content: '<p>Thank you</p>', transactional: true });
  // Both orders belong to one customer, and neither run waits for the other.
  await activeFlow(shop, [mail], { reentry: { mode: 'always', concurrent: true } });
  const { id: product } = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, stock_qty: 9 })).body.data;
  const email = 'marked.person@example.com';
  const { id: customer } = (await shop.commerce('POST', '/customers', { email })).body.data;
  const { port } = collector.address() as AddressInfo;
  const env = {
    DATABASE_URL: connectionUrl(server.connection),
    TRADELOOM_DATA_DIR: server.app.config.dataDir,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  };
  const worker = startWorkerProgram(env, undefined, ['--empty']);
  let api: Program | undefined;
  try {
    api = await startProgram(['--role', 'api', '--empty'], env);
    const place = (headers: Record<string, string>) =>
      fetch(`${api!.origin}/commerce/v1/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': shop.key, ...headers },
        body: JSON.stringify({
          customer_id: customer,
          items: [{ product_id: product, qty: 1 }],
          shipping_address: '1 Main St',
          shipping_city: 'X',
          shipping_zip: '1',
        }),
      });
    // The sampler leaves out requests without a `traceparent`.
    expect((await place({})).status).toBe(201);
    const traced = await place({ traceparent: `00-${TRACE}-${SENDER}-01`, 'x-request-id': 'traced-1' });
    expect(traced.status).toBe(201);
    await expect
      .poll(() => spans.map(({ name }) => name), { timeout: 90_000, interval: 100 })
      .toContain('send message');
  } finally {
    const ended = await Promise.all([api?.end('SIGTERM'), worker.end('SIGTERM')]);
    expect(ended.map((outcome) => outcome?.code)).toEqual([0, 0]);
  }
  expect([...new Set(spans.map(({ traceId }) => traceId))]).toEqual([TRACE]);
  const named = (name: string): Span => {
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`There is no span ${name} among ${spans.map((one) => one.name)}`);
    return found;
  };
  const pathTo = (name: string): string[] => {
    const path: string[] = [];
    for (let span: Span | undefined = named(name); span !== undefined; ) {
      path.unshift(`${span.role} ${span.name}`);
      if (span.parentSpanId === SENDER) return ['sender', ...path];
      const parent: string | undefined = span.parentSpanId;
      span = spans.find(({ spanId }) => spanId === parent);
    }
    return path;
  };
  const request = 'POST /commerce/v1/orders';
  expect(pathTo('send message')).toEqual([
    'sender',
    `api ${request}`,
    'worker process outbox',
    'worker step flow run',
    'worker send message',
  ]);
  expect(pathTo('compose message').at(-2)).toBe('worker step flow run');
  expect(pathTo('transaction')).toEqual(['sender', `api ${request}`, 'api batch orders', 'api transaction']);
  expect(pathTo('batch').slice(0, -1)).toEqual(pathTo('transaction'));
  expect(attributeOf(named(request).attributes, 'tradeloom.company.id')).toBe(shop.company_id);
  expect(attributeOf(named(request).attributes, 'http.response.status_code')).toBe(201);
  expect(attributeOf(named(request).attributes, 'tradeloom.request.id')).toBe('traced-1');
  expect(attributeOf(named('process outbox').attributes, 'tradeloom.event.type')).toBe('order_placed');
  expect(attributeOf(named('send message').attributes, 'tradeloom.outcome')).toBe('sent');
  // The spans contain no address or query of a person, and no key.
  expect(bodies.join('')).not.toContain('marked.person');
  expect(bodies.join('')).not.toContain(shop.key);
});
