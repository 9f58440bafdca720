import { afterEach, beforeAll, expect, test } from 'vitest';
import { continuedAt, ownCorrelation, requestIdOf, traceparentOf } from '../../lib/tracing/correlation.ts';
import { inRootSpan, type Span, type SpanOptions, useTracer } from '../../lib/tracing/spans.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createChoresWorker } from '../../work/chores.ts';

/** Work that no request causes starts its own traces. */
const server = testServer();
let shop: TestCompany;
interface Recorded extends SpanOptions {
  name: string;
  traceId: string;
  failed?: string;
  ended: boolean;
}
let spans: Recorded[] = [];
let made = 0;

/** Uses a tracer that records everything. */
function record(isSampled = true): void {
  spans = [];
  useTracer({
    start(name, options) {
      if (!isSampled) return null;
      const spanId = String(++made).padStart(16, '0');
      const traceId = options.parent?.split('-')[1] ?? String(made).padStart(32, '0');
      const recorded: Recorded = { ...options, name, traceId, ended: false };
      spans.push(recorded);
      return {
        traceId,
        spanId,
        traceparent: `00-${traceId}-${spanId}-01`,
        get ended() {
          return recorded.ended;
        },
        set: () => {},
        link: () => {},
        fail: (kind) => {
          recorded.failed = kind;
        },
        end: () => {
          recorded.ended = true;
        },
      } satisfies Span;
    },
  });
}
afterEach(() => useTracer(null));

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const named = (name: string): Recorded[] => spans.filter((span) => span.name === name);

beforeAll(async () => {
  shop = await server.company();
});

async function dueSubscription(): Promise<void> {
  const mug = { name: 'Mug', price: 5, stock_qty: 99, subscription_enabled: true };
  const { id: product } = (await shop.commerce('POST', '/products', mug)).body.data;
  const { id: customer } = (await shop.commerce('POST', '/customers', { email: `c${product}@example.com` })).body.data;
  const address = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
  const body = { customer_id: customer, product_id: product, frequency_id: 3, ...address };
  expect((await shop.commerce('POST', '/subscriptions', body)).status).toBe(201);
  while ((await worker('outbox').runOnce()) > 0);
  server.clock.advance(40 * 86_400_000);
}

test('a renewal, its order and its events are one trace, in which no request is named', async () => {
  await dueSubscription();
  record();
  expect(await worker('renewals').runOnce()).toBe(1);
  const [root] = named('renew subscriptions');
  expect(root).toMatchObject({ attributes: { 'tradeloom.company.id': shop.company_id }, ended: true });
  expect(root!.parent).toBeUndefined();
  const rows = await server.rows<{ correlation: string }>('select correlation from outbox where company_id = $1', [
    shop.company_id,
  ]);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const { correlation } of rows) {
    expect(requestIdOf(correlation)).toBeNull();
    expect(traceparentOf(correlation)).toContain(root!.traceId);
  }
  while ((await worker('outbox').runOnce()) > 0);
  const events = named('process outbox');
  expect(events.length).toBe(rows.length);
  expect(new Set(events.map(({ traceId }) => traceId))).toEqual(new Set([root!.traceId]));
});

test('without a tracer, and where it is not sampled, a renewal leaves no trace', async () => {
  for (const sampled of [null, false]) {
    await dueSubscription();
    if (sampled === false) record(false);
    expect(await worker('renewals').runOnce()).toBeGreaterThan(0);
    const rows = await server.rows('select from outbox where company_id = $1 and correlation is not null', [
      shop.company_id,
    ]);
    expect(rows).toEqual([]);
    while ((await worker('outbox').runOnce()) > 0);
    useTracer(null);
  }
});

test('work on a campaign has its own trace, and polling for work has none', async () => {
  record();
  await worker('campaigns').runOnce();
  expect(named('move campaign on')).toEqual([]);
  useTracer(null);
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await shop.marketing('POST', '/contacts', { email: 'reader@example.com', list_ids: [list_id] });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id };
  const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
  const scheduled_at = new Date(server.clock.now().getTime() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const sent = await shop.marketing('POST', `/campaigns/send/${campaign_id}`, { scheduled_at });
  expect(sent.status).toBe(200);
  record();
  server.clock.advance(2 * 3_600_000);
  while ((await worker('campaigns').runOnce()) > 0);
  const roots = named('move campaign on');
  expect(roots.length).toBeGreaterThan(0);
  for (const root of roots) {
    expect(root.attributes).toEqual({ 'tradeloom.company.id': shop.company_id, 'tradeloom.campaign.id': campaign_id });
    expect([root.parent, root.ended]).toEqual([undefined, true]);
  }
});

test('a chore has its own trace, which shows that it failed', async () => {
  record();
  const chores = [
    { name: 'tidy', everyMs: 1_000, run: () => inRootSpan('inner', {}, async () => 1) },
    { name: 'broken', everyMs: 1_000, run: () => Promise.reject(new RangeError('no')) },
  ];
  const log = { error: () => {} } as unknown as Parameters<typeof createChoresWorker>[0]['log'];
  await createChoresWorker({ log, chores }).runOnce();
  expect(named('chore tidy')).toMatchObject([{ ended: true }]);
  expect(named('chore broken')).toMatchObject([{ ended: true, failed: 'RangeError' }]);
});

test('the correlation of own work is continued as that of a request is', async () => {
  record();
  await inRootSpan('work', {}, async () => {
    const own = ownCorrelation()!;
    expect(requestIdOf(continuedAt(own, '00-1-2-01'))).toBeNull();
    expect(traceparentOf(continuedAt(own, '00-1-2-01'))).toBe('00-1-2-01');
  });
  expect(ownCorrelation()).toBeNull();
});
