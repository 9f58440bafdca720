import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshWorker } from '../../../../testing/fresh-worker.ts';
import { type TestCompany, testServer } from '../../../../testing/harness.ts';
import { step } from '../../definition/testing-graphs.ts';
import {
  activeFlow,
  contactOf,
  expectSound,
  later,
  numbersOf,
  pathOf,
  runOf,
  runsOf,
  track,
  work,
} from '../../testing/flows.ts';
import { claimCalls } from './queries.ts';

const server = testServer({ impatient: true, config: { allowPrivateWebhooks: true } });
const closed = testServer({ impatient: true });
let shop: TestCompany;

interface Call {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  body: string;
}
let endpoint: Server;
let url: string;
let calls: Call[] = [];
/** Status and body of the next responses; the last one repeats. null closes the connection. */
let responses: ([number, unknown] | null)[] = [];

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      calls.push({ method: request.method!, path: request.url!, headers: request.headers, body });
      const next = responses.length > 1 ? responses.shift()! : responses[0]!;
      if (next === null) request.socket.destroy();
      else response.writeHead(next[0], { 'content-type': 'application/json' }).end(JSON.stringify(next[1]));
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
});
afterAll(() => {
  endpoint.closeAllConnections();
  endpoint.close();
});
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
  calls = [];
  responses = [[200, { value: 9 }]];
});
afterEach(() => expectSound(server));

const EMAIL = 'ada@example.com';
const HOUR = 3_600_000;

function hookFlow(config: Record<string, unknown> = {}, company = shop) {
  const steps = [
    step('hook', 'webhook', { url: `${url}/hook`, ...config }),
    step('ok', 'add_tag', { tag: 'ok' }),
    step('bad', 'add_tag', { tag: 'bad' }),
  ];
  const connections = [
    { from: 'trigger', to: 'hook' },
    { from: 'hook', to: 'ok' },
    { from: 'hook', branch: 'failed', to: 'bad' },
  ];
  return activeFlow(company, steps, { connections });
}

describe('a webhook step', () => {
  it('sends the run, its event and its contact, with the same Idempotency-Key on every attempt', async () => {
    const flow = await hookFlow();
    await track(shop, EMAIL, 'order_placed', { total: 42 });
    await work(server);
    const run = await runOf(shop, flow.flow_id);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'idempotency-key': `f:${run.run_id}:hook:1` },
    });
    expect(JSON.parse(calls[0]!.body)).toMatchObject({
      flow_id: flow.flow_id,
      run_id: run.run_id,
      step_id: 'hook',
      event: { event_type: 'order_placed', data: { total: 42 } },
      contact: { contact_id: run.contact_id, email: EMAIL },
    });
    expect(pathOf(run).slice(-2)).toEqual(['hook:default', 'ok:default']);
  });

  it('renders Liquid in the URL and the texts of its body, and sends its headers', async () => {
    await hookFlow({
      url: `${url}/orders/{{ event.order_id | url_encode }}`,
      method: 'PUT',
      headers: { 'X-Api-Key': 'secret', 'Idempotency-Key': 'mine' },
      body: { who: '{{ contact.email }}', deep: [{ total: '{{ event.total }}' }], plain: 7 },
    });
    await track(shop, EMAIL, 'order_placed', { order_id: 'a b', total: 42 });
    await work(server);
    expect(calls[0]).toMatchObject({ method: 'PUT', path: '/orders/a+b', headers: { 'x-api-key': 'secret' } });
    expect(calls[0]!.headers['idempotency-key']).toMatch(/^f:\d+:hook:1$/);
    expect(JSON.parse(calls[0]!.body)).toEqual({ who: EMAIL, deep: [{ total: '42' }], plain: 7 });
  });

  it('stores the response under save_as for later rules', async () => {
    const steps = [
      step('hook', 'webhook', { url, save_as: 'score' }),
      step('check', 'branch', {
        paths: [
          { key: 'high', conditions: { rules: [{ field: 'score.body.value', comparison: 'greater_than', value: 5 }] } },
        ],
      }),
    ];
    const flow = await activeFlow(shop, steps);
    await track(shop, EMAIL);
    await work(server);
    const run = await runOf(shop, flow.flow_id);
    expect(run.vars).toEqual({ score: { status: 200, body: { value: 9 } } });
    expect(pathOf(run).at(-1)).toBe('check:high');
  });

  it.each([{ a: '\0' }, { '\0': 1 }, { a: '\ud800' }, JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)])(
    'is made once though PostgreSQL cannot store its response as JSON: %j',
    async (body) => {
      responses = [[200, body]];
      const flow = await activeFlow(shop, [step('hook', 'webhook', { url, save_as: 'kept' })]);
      await track(shop, EMAIL);
      await work(server);
      await later(server, 60_000);
      const run = await runOf(shop, flow.flow_id);
      expect([run.status, run.vars]).toEqual(['completed', { kept: { status: 200, body: JSON.stringify(body) } }]);
      expect(calls).toHaveLength(1);
    },
  );

  it('is retried after transient responses, 10 seconds, 1 and 5 minutes later, then leaves by failed', async () => {
    responses = [[503, {}], null, [429, {}], [500, {}]];
    const flow = await hookFlow();
    await track(shop, EMAIL);
    await work(server);
    expect(calls).toHaveLength(1);
    await later(server, 9_999);
    expect(calls).toHaveLength(1);
    await later(server, 1);
    expect(calls).toHaveLength(2);
    await later(server, 60_000);
    expect(calls).toHaveLength(3);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await later(server, 300_000);
    expect(calls).toHaveLength(4);
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['bad']);
    expect(await numbersOf(shop, flow.flow_id, 'hook')).toMatchObject({ entered: 1, passed: 1, waiting: 0 });
  });

  it('leaves by failed at once after a permanent response', async () => {
    responses = [[404, { no: true }]];
    await hookFlow();
    await track(shop, EMAIL);
    await work(server);
    expect(calls).toHaveLength(1);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['bad']);
  });

  it('fails without a call where its Liquid cannot be rendered or its address is not public', async () => {
    await hookFlow({ body: { x: '{% if %}' } });
    await track(shop, EMAIL);
    await work(server);
    expect(calls).toEqual([]);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['bad']);

    const guarded = await closed.company();
    await hookFlow({ url: "https://{{ '127.0.0.1' }}/hook" }, guarded);
    await track(guarded, EMAIL);
    await work(closed);
    expect(calls).toEqual([]);
    expect((await contactOf(guarded, EMAIL)).tags).toEqual(['bad']);
  });

  it('blocks the activation of a flow whose URL is never allowed', async () => {
    const guarded = await closed.company();
    for (const refused of ['http://example.com/', 'https://example.com:8443/', 'https://10.0.0.1/', 'https://a b/']) {
      const flow = { name: 'Hook', trigger_type: 'order_placed', steps: [step('hook', 'webhook', { url: refused })] };
      const { status, body } = await guarded.marketing('POST', '/flows', flow);
      expect(status).toBe(201);
      await guarded.marketing('PATCH', `/flows/${body.flow_id}`, { connections: [{ from: 'trigger', to: 'hook' }] });
      const activated = await guarded.marketing('POST', `/flows/activate/${body.flow_id}`);
      expect(activated).toMatchObject({ status: 400, body: { details: [{ field: 'steps.0.config.url' }] } });
    }
    await hookFlow({ url: 'https://example.com/hook' }, guarded);
  });

  it('of a paused flow waits for the flow to resume; of an archived one is never made', async () => {
    const flow = await hookFlow();
    const [webhooks, flows] = ['flow-webhooks', 'flows'].map(
      (name) => server.app.workers.find((w) => w.name === name)!,
    );
    await track(shop, EMAIL);
    await flows!.runOnce();
    await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
    await webhooks!.runOnce();
    expect(calls).toEqual([]);
    await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
    await later(server, 60_000);
    expect(calls).toHaveLength(1);
    await track(shop, 'b@example.com');
    await flows!.runOnce();
    await shop.marketing('POST', `/flows/archive/${flow.flow_id}`);
    await work(server);
    expect(calls).toHaveLength(1);
    expect((await runsOf(shop, flow.flow_id)).map(({ status }) => status)).toEqual(['completed', 'exited']);
  });

  it('waits for its call however long the flow is paused, then for its attempts', async () => {
    responses = [
      [503, {}],
      [200, {}],
    ];
    const flow = await hookFlow();
    await track(shop, EMAIL);
    await server.app.workers.find(({ name }) => name === 'flows')!.runOnce();
    await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
    await later(server, 30 * HOUR);
    expect(calls).toEqual([]);
    await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
    await work(server);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await later(server, 60_000);
    await later(server, 10_000);
    expect(calls).toHaveLength(2);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['ok']);
  });

  it('does not wait forever for a call that no worker finishes, nor for a deleted one', async () => {
    const flow = await hookFlow();
    await track(shop, EMAIL);
    await track(shop, 'b@example.com');
    await server.app.workers.find(({ name }) => name === 'flows')!.runOnce();
    const [first, second] = await runsOf(shop, flow.flow_id);
    await server.rows('update flow_webhook_calls set attempts = 10 where run_id = $1', [first.run_id]);
    await server.rows('delete from flow_webhook_calls where run_id = $1', [second.run_id]);
    await work(server);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['bad']);
    expect((await contactOf(shop, 'b@example.com')).tags).toEqual([]);
    await later(server, 24 * HOUR);
    expect((await contactOf(shop, 'b@example.com')).tags).toEqual(['bad']);
    expect(calls).toEqual([]);
  });

  it('is taken over from a dead worker, whose late response is then ignored', async () => {
    const flow = await hookFlow();
    await track(shop, EMAIL);
    await server.app.workers.find(({ name }) => name === 'flows')!.runOnce();
    // As claimed by a worker that then died.
    await server.rows('update flow_webhook_calls set epoch = 5, attempts = 1, due_at = $1', [
      new Date(server.clock.now().getTime() + 30_000),
    ]);
    await work(server);
    expect(calls).toHaveLength(0);
    await later(server, 30_000);
    expect(calls).toHaveLength(1);
    expect((await runOf(shop, flow.flow_id)).status).toBe('completed');
    expect(
      await server.rows("select 1 from flow_webhook_calls where status <> 'done' and company_id = $1", [
        shop.company_id,
      ]),
    ).toEqual([]);
  });

  it('is not taken from a live worker by one whose clock is ahead', async () => {
    await hookFlow();
    await track(shop, EMAIL);
    await server.app.workers.find(({ name }) => name === 'flows')!.runOnce();
    const claim = (now: Date) =>
      server.app.db.tenantTx(shop.company_id, (tx) => claimCalls(tx, shop.company_id, { now, limit: 10 }));
    const ahead = new Date(server.clock.now().getTime() + HOUR);
    expect(await claim(server.clock.now())).toHaveLength(1);
    expect(await claim(ahead)).toHaveLength(0);
    await server.rows("update flow_webhook_calls set lease_until = now() - interval '1 second' where company_id = $1", [
      shop.company_id,
    ]);
    expect(await claim(ahead)).toMatchObject([{ epoch: 2, attempts: 2 }]);
    await server.rows("update flow_webhook_calls set lease_until = now() - interval '1 second' where company_id = $1", [
      shop.company_id,
    ]);
    await later(server, 2 * HOUR);
    expect(calls).toHaveLength(1);
  });
});

it('a call that was postponed while the clock was ahead is made once the clock is right', async () => {
  responses = [
    [500, {}],
    [200, {}],
  ];
  server.clock.set('2026-03-23T12:00:00Z');
  const flow = await hookFlow();
  await track(shop, EMAIL);
  await work(server);
  expect(calls).toHaveLength(1);
  server.clock.set('2026-03-15T12:00:00Z');
  await work(server);
  expect(calls).toHaveLength(1);
  await freshWorker(server.app, 'chores').runOnce();
  await work(server);
  expect(calls).toHaveLength(2);
  expect(pathOf(await runOf(shop, flow.flow_id)).slice(-2)).toEqual(['hook:default', 'ok:default']);
});
