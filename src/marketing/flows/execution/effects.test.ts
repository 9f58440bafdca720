import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import type { DraftStep } from '../definition/steps.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, expectSound, numbersOf, pathOf, runsOf, track, work } from '../testing/flows.ts';

/** The effect of pausing, resuming, archiving and deleting a flow on a run at each kind of step; all cells in one pass. */

const server = testServer({ config: { allowPrivateWebhooks: true } });
const EMAIL = 'ada@example.com';
const HOUR = 3_600_000;
const ACTIONS = ['nothing', 'pause and resume', 'archive', 'pause and archive', 'delete', 'pause and delete'] as const;
type Action = (typeof ACTIONS)[number];

/** Where a run is when the action happens, and how it would continue. */
interface Stand {
  steps(url: string): DraftStep[];
  more?: Record<string, unknown>;
  /** The step at which it is; null before the first. */
  at: string | null;
  /** Its path from there if it continues. */
  way: string[];
  /** The final state of its messages, by step: if the run continues, and if its flow ends. */
  messages?: { goesOn: Record<string, string>; ends: Record<string, string> };
  /** The number of calls of its webhook: if the run continues, and if its flow ends. */
  calls?: [goesOn: number, ends: number];
}

const hour = { value: 1, unit: 'hours' };
const hook = (path: string) => (url: string) => [step('hold', 'webhook', { url: `${url}/${path}` })];
const mail = (id: string, transactional = false) =>
  step(id, 'send_email', { subject: id, content: 'Hi', transactional });

const STANDS: Record<string, Stand> = {
  'before its first step': { steps: () => [], at: null, way: [] },
  'at a delay': { steps: () => [step('hold', 'delay', hour)], at: 'hold', way: ['hold:default'] },
  'at a wait_until': {
    steps: () => [step('hold', 'wait_until', { time: '13:00' })],
    at: 'hold',
    way: ['hold:default'],
  },
  'at a wait for an event that comes': {
    steps: () => [
      step('hold', 'wait_for_event', { event_type: 'order_completed', timeout: { value: 9, unit: 'days' } }),
    ],
    at: 'hold',
    way: ['hold:received'],
  },
  'at a wait for an event that does not come': {
    steps: () => [step('hold', 'wait_for_event', { event_type: 'customer_created', timeout: hour })],
    at: 'hold',
    way: ['hold:timeout'],
  },
  'at a webhook that is to be called': {
    steps: hook('soon'),
    at: 'hold',
    way: ['hold:default'],
    calls: [1, 0],
  },
  'at a webhook that is being called': {
    steps: hook('slow'),
    more: { trigger_type: 'product_viewed' },
    at: 'hold',
    way: ['hold:default'],
    calls: [1, 1],
  },
  'at a mail in quiet hours': {
    steps: () => [mail('hold')],
    more: { quiet_hours: { start: '11:00', end: '13:00' } },
    at: 'hold',
    way: ['hold:default'],
    messages: { goesOn: { hold: 'sent' }, ends: {} },
  },
  'behind mails that are queued': {
    steps: () => [mail('news'), mail('receipt', true), step('hold', 'delay', hour)],
    at: 'hold',
    way: ['hold:default'],
    messages: {
      goesOn: { news: 'sent', receipt: 'sent' },
      ends: { news: 'skipped: flow_archived', receipt: 'sent' },
    },
  },
  'before a goal that is reached': {
    steps: () => [
      step('hold', 'delay', { value: 9, unit: 'days' }),
      step('won', 'goal', { event_type: 'order_completed' }),
    ],
    at: 'hold',
    way: ['hold:goal', 'won:default'],
  },
};

interface Seen {
  run: TestBody;
  tagged: number;
  messages: Record<string, string>;
}
/** When each cell was recorded: at the action, once everything had come due, and at the end. */
type Moment = 'standing' | 'due' | 'ended';
const seen = new Map<string, Record<Moment, Seen>>();
const calls = new Map<string, number>();
let endpoint: Server;
let shop: TestCompany;

const cellsOf = Object.entries(STANDS).flatMap(([name, stand]) => ACTIONS.map((action) => ({ name, action, stand })));
const keyOf = ({ name, action }: { name: string; action: Action }) => `${name} × ${action}`;

beforeAll(async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let slow = 0;
  endpoint = createServer(async (request, response) => {
    request.resume();
    const path = request.url!;
    calls.set(path, (calls.get(path) ?? 0) + 1);
    if (path.startsWith('/slow')) {
      slow++;
      await released;
    }
    response.writeHead(200).end('{}');
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
  const flowIds = new Map<string, number>();
  for (const [index, { name, action, stand }] of cellsOf.entries()) {
    const steps = stand
      .steps(url)
      .map((one) => (one.type === 'webhook' ? { ...one, config: { url: `${one.config!.url}?${index}` } } : one));
    steps.push(step('after', 'add_tag', { tag: `after ${index}` }));
    const connections = steps.map(({ step_id }, i) => {
      const before = steps[i - 1];
      const waits = before?.type === 'wait_for_event';
      return { from: before?.step_id ?? 'trigger', to: step_id, ...(waits ? { branch: 'received' } : {}) };
    });
    const timeouts = steps.filter(({ type }) => type === 'wait_for_event');
    connections.push(...timeouts.map(({ step_id }) => ({ from: step_id, to: 'after', branch: 'timeout' })));
    const flow = await activeFlow(shop, steps, { trigger_type: 'cart_abandoned', connections, ...stand.more });
    flowIds.set(keyOf({ name, action }), flow.flow_id);
  }

  const look = async (moment: Moment, cells = cellsOf): Promise<void> => {
    const rows = await server.rows<{ flow_id: string; step_id: string; state: string }>(
      `select flow_id, step_id, status || coalesce(': ' || reason, '') as state from messages where company_id = $1`,
      [shop.company_id],
    );
    for (const cell of cells) {
      const id = flowIds.get(keyOf(cell))!;
      const [row] = await server.rows<{ id: string }>('select id from flow_runs where flow_id = $1', [id]);
      const run = (await shop.marketing('GET', `/flows/runs/${row!.id}`)).body;
      const tagged = run.log.filter(({ step_id }: { step_id: string }) => step_id === 'after').length;
      const mine = rows.filter(({ flow_id }) => Number(flow_id) === id);
      const messages = Object.fromEntries(mine.map(({ step_id, state }) => [step_id, state]));
      expect(mine).toHaveLength(Object.keys(messages).length);
      seen.set(keyOf(cell), { ...seen.get(keyOf(cell))!, [moment]: { run, tagged, messages } });
    }
  };
  const doAction = async (name: string, wanted: (action: Action) => boolean, cells = cellsOf): Promise<void> => {
    for (const cell of cells.filter((one) => wanted(one.action))) {
      const id = flowIds.get(keyOf(cell))!;
      const [method, path] = name === 'delete' ? ['DELETE', `/flows/${id}`] : ['POST', `/flows/${name}/${id}`];
      expect((await shop.marketing(method!, path!)).status).toBe(200);
    }
  };
  const meetFirst = async (cells: typeof cellsOf): Promise<void> => {
    await look('standing', cells);
    await doAction('pause', (one) => one.startsWith('pause'), cells);
    await doAction('archive', (one) => one === 'archive', cells);
    await doAction('delete', (one) => one === 'delete', cells);
  };
  const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
  const workAll = async (): Promise<void> => {
    await work(server);
    while ((await worker('sender').runOnce()) > 0);
    await work(server);
  };

  const isCalled = ({ name }: { name: string }) => name === 'at a webhook that is being called';
  await track(shop, EMAIL, 'product_viewed');
  await worker('flows').runOnce();
  const calling = worker('flow-webhooks').runOnce();
  while (slow < ACTIONS.length) await new Promise((resolve) => setTimeout(resolve, 5));
  await meetFirst(cellsOf.filter(isCalled));
  release();
  await calling;

  await track(shop, EMAIL, 'cart_abandoned');
  const untouched = cellsOf.filter(({ stand }) => stand.at === null).map((cell) => flowIds.get(keyOf(cell))!);
  await server.rows(`update flow_runs set due_at = due_at + interval '1 minute' where flow_id = any($1)`, [untouched]);
  while ((await worker('flows').runOnce()) > 0);
  await meetFirst(cellsOf.filter((cell) => !isCalled(cell)));

  server.clock.advance(1);
  await track(shop, EMAIL, 'order_completed');
  await workAll();
  server.clock.advance(2 * HOUR);
  await workAll();
  await look('due');

  await doAction('activate', (one) => one === 'pause and resume');
  await doAction('archive', (one) => one === 'pause and archive');
  await doAction('delete', (one) => one === 'pause and delete');
  for (let minute = 0; minute < 12; minute += 6) {
    server.clock.advance(6 * 60_000);
    await workAll();
  }
  server.clock.advance(30 * 24 * HOUR);
  await workAll();
  await look('ended');
  await expectSound(server);
}, 60_000);
afterAll(() => endpoint.close());

describe.each(Object.entries(STANDS))('a run %s', (name, stand) => {
  const goesOn = (action: Action) => action === 'nothing' || action === 'pause and resume';

  it.each(ACTIONS)('whose flow meets %s', (action) => {
    const index = cellsOf.findIndex((cell) => cell.name === name && cell.action === action);
    const { standing, due, ended } = seen.get(keyOf({ name, action }))!;
    expect(standing.run).toMatchObject({ status: 'active', step_id: stand.at });
    const before = pathOf(standing.run);

    if (action.startsWith('pause')) {
      // Everything has come due or happened, but no step was executed.
      expect({ status: due.run.status, path: pathOf(due.run).slice(before.length), tagged: due.tagged }).toEqual({
        status: 'active',
        path: stand.way[0] === 'hold:goal' ? ['hold:goal'] : [],
        tagged: 0,
      });
      expect(due.messages.news ?? 'queued').toBe('queued');
      expect(due.messages.hold).toBeUndefined();
    }
    if (goesOn(action)) {
      expect(ended.run).toMatchObject({ status: 'completed', reason: null });
      expect(pathOf(ended.run).slice(before.length)).toEqual([...stand.way, 'after:default']);
      expect(ended.tagged).toBe(1);
      expect(ended.messages).toEqual(stand.messages?.goesOn ?? {});
    } else {
      expect(ended.run).toMatchObject({ status: 'exited', reason: 'archived' });
      expect(ended.run.log.at(-1)).toMatchObject({ result: 'exited', detail: 'archived' });
      expect(ended.tagged).toBe(0);
      expect(ended.messages).toEqual(stand.messages?.ends ?? {});
    }
    const made = [...calls].filter(([path]) => path.endsWith(`?${index}`)).reduce((sum, [, n]) => sum + n, 0);
    expect(made).toBe(stand.calls?.[goesOn(action) ? 0 : 1] ?? 0);
  });
});

describe('runs that came due during a pause', () => {
  it('resume in the order in which they came due, before those that come due later', async () => {
    // Two companies with work have a lane each. A single company would use both lanes, and its runs would interleave.
    const companies = [await server.company(), await server.company()];
    const steps = [step('wait', 'wait_until', { date_field: 'at' }), step('tell', 'notify', { message: 'Look' })];
    const flows = await Promise.all(companies.map((one) => activeFlow(one, steps)));
    const start = server.clock.now().getTime();
    for (const one of companies) {
      for (const minutes of [40, 10, 30, 90, 20]) {
        await track(one, `m${minutes}@example.com`, 'order_placed', {
          at: new Date(start + minutes * 60_000).toISOString(),
        });
      }
    }
    const all = (action: string) =>
      Promise.all(companies.map((one, i) => one.marketing('POST', `/flows/${action}/${flows[i]!.flow_id}`)));
    await work(server);
    await all('pause');
    server.clock.advance(HOUR);
    await work(server);
    await all('activate');
    await work(server);
    const [company, flow] = [companies[0]!, flows[0]!];
    const { notifications } = (await company.marketing('GET', '/flows/notifications?per_page=100')).body;
    const runs = await runsOf(company, flow.flow_id);
    const order = (notifications as { run_id: number }[]).map(({ run_id }) => {
      const { event } = runs.find((run) => run.run_id === run_id)!;
      return (Date.parse(event.data.at) - start) / 60_000;
    });
    expect(order.reverse()).toEqual([10, 20, 30, 40]);
    expect(await numbersOf(company, flow.flow_id)).toMatchObject({ active: 1, completed: 4 });
  });
});
