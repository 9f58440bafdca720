import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuietHours } from '../../recipients/quiet-hours.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import type { DraftStep } from './definition/steps.ts';
import { step } from './definition/testing-graphs.ts';
import { activeFlow, expectSound, track, work } from './testing/flows.ts';

/**
 * The effect of an edit with apply_to "all" on a run at each kind of step. Runs whose step still exists continue in the new
 * version, and what their step has begun ends as it began. All cases in one pass.
 */

const server = testServer({ config: { allowPrivateWebhooks: true } });
const EMAIL = 'ada@example.com';
const MINUTE = 60_000;

interface Case {
  before: DraftStep;
  after: DraftStep | null;
  quiet?: [QuietHours | null, QuietHours | null];
  /** Whether it was paused; the pause ends after the edit. */
  frozen?: true;
  version: 1 | 2;
  /** When it left the step, which it entered at 12:00, and by which branch. */
  left: [at: string, branch: string];
}

const delay = (value: number, unit = 'hours') => step('hold', 'delay', { value, unit });
const waitFor = (event_type: string, more: Record<string, unknown> = {}) =>
  step('hold', 'wait_for_event', { event_type, timeout: { value: 4, unit: 'hours' }, ...more });
const over = (value: number) => ({
  conditions: { rules: [{ field: 'total', comparison: 'greater_than', value }] },
});
/** The path shows which version's URL was called. */
const hook = (path: string) => step('hold', 'webhook', { url: `http://127.0.0.1:{{ event.port }}/${path}` });
const mail = (subject: string) => step('hold', 'send_email', { subject, content: 'Hi' });
const noon: QuietHours = { start: '11:00', end: '13:00' };

const CASES: Record<string, Case> = {
  'at a delay that became shorter': {
    before: delay(3),
    after: delay(1, 'minutes'),
    version: 2,
    left: ['15:00', 'default'],
  },
  'at a delay that became longer': {
    before: delay(3),
    after: delay(9, 'weeks'),
    version: 2,
    left: ['15:00', 'default'],
  },
  'at a delay that was removed': { before: delay(3), after: null, version: 1, left: ['15:00', 'default'] },
  'at a delay whose id became another type’s': {
    before: delay(3),
    after: waitFor('order_completed'),
    version: 1,
    left: ['15:00', 'default'],
  },
  'at a delay that was over while the flow was paused': {
    before: delay(30, 'minutes'),
    after: delay(9),
    frozen: true,
    version: 2,
    left: ['14:00', 'default'],
  },
  'at a wait_until of another time': {
    before: step('hold', 'wait_until', { time: '15:00' }),
    after: step('hold', 'wait_until', { time: '19:00' }),
    version: 2,
    left: ['15:00', 'default'],
  },
  'at a wait for an event with other conditions': {
    before: waitFor('order_completed', over(5)),
    after: waitFor('order_completed', over(50)),
    version: 2,
    left: ['15:00', 'received'],
  },
  'at a wait for an event of another type': {
    before: waitFor('order_completed'),
    after: waitFor('product_viewed'),
    version: 1,
    left: ['14:00', 'received'],
  },
  'at a wait with another timeout': {
    before: waitFor('customer_created'),
    after: waitFor('customer_created', { timeout: { value: 1, unit: 'minutes' } }),
    version: 2,
    left: ['16:00', 'timeout'],
  },
  'at a wait that was removed': {
    before: waitFor('order_completed'),
    after: null,
    version: 1,
    left: ['14:00', 'received'],
  },
  'at a webhook that calls elsewhere from now on': {
    before: hook('first'),
    after: hook('never'),
    version: 2,
    left: ['17:00', 'default'],
  },
  'at a webhook that was removed': { before: hook('second'), after: null, version: 1, left: ['17:00', 'default'] },
  'at a mail in quiet hours that are over earlier': {
    before: mail('old'),
    after: mail('new'),
    quiet: [{ start: '11:00', end: '15:00' }, noon],
    version: 2,
    left: ['15:00', 'default'],
  },
  'at a mail in quiet hours that last longer': {
    before: mail('old'),
    after: mail('new'),
    quiet: [noon, { start: '11:00', end: '16:00' }],
    version: 2,
    left: ['16:00', 'default'],
  },
  'at a mail in quiet hours that was removed': {
    before: mail('old'),
    after: null,
    quiet: [{ start: '11:00', end: '15:00' }, noon],
    version: 1,
    left: ['15:00', 'default'],
  },
};

let shop: TestCompany;
const flows = new Map<string, number>();
const runs = new Map<string, TestBody>();
const called: string[] = [];
let endpoint: Server;

function definitionOf(hold: DraftStep | null, name: string, index: number) {
  const after = step('after', 'add_tag', { tag: `${name} ${index}` });
  if (hold === null) return { steps: [after], connections: [{ from: 'trigger', to: 'after' }] };
  const branches = { wait_for_event: ['received', 'timeout'], webhook: ['default', 'failed'] }[hold.type as 'webhook'];
  const ways = (branches ?? ['default']).map((branch) => ({ from: 'hold', to: 'after', branch }));
  return { steps: [hold, after], connections: [{ from: 'trigger', to: 'hold' }, ...ways] };
}

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    request.resume();
    called.push(request.url!);
    response.writeHead(200).end('{}');
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
  const cases = Object.entries(CASES);
  for (const [i, [name, { before, quiet }]] of cases.entries()) {
    const { steps, connections } = definitionOf(before, 'old', i);
    const flow = await activeFlow(shop, steps, { connections, quiet_hours: quiet?.[0] ?? null });
    flows.set(name, flow.flow_id);
  }
  await track(shop, EMAIL, 'order_placed', { port: (endpoint.address() as AddressInfo).port });
  const worker = server.app.workers.find(({ name }) => name === 'flows')!;
  while ((await worker.runOnce()) > 0);
  const frozen = cases.filter(([, one]) => one.frozen).map(([name]) => flows.get(name)!);
  for (const id of frozen) await shop.marketing('POST', `/flows/pause/${id}`);
  server.clock.advance(45 * MINUTE);
  while ((await worker.runOnce()) > 0);
  for (const [i, [name, { after, quiet }]] of cases.entries()) {
    const edit = { ...definitionOf(after, 'new', i), quiet_hours: quiet?.[1] ?? null, apply_to: 'all' };
    expect((await shop.marketing('PATCH', `/flows/${flows.get(name)}`, edit)).status).toBe(200);
  }
  for (let at = 14; at <= 17; at++) {
    server.clock.set(`2026-03-15T${at}:00:00Z`);
    if (at === 14) for (const id of frozen) await shop.marketing('POST', `/flows/activate/${id}`);
    if (at <= 15) await track(shop, EMAIL, 'order_completed', { total: at === 14 ? 20 : 60 });
    while ((await worker.runOnce()) > 0);
  }
  await work(server);
  await expectSound(server);
  for (const [name, id] of flows) {
    const [row] = await server.rows<{ id: string }>('select id from flow_runs where flow_id = $1', [id]);
    runs.set(name, (await shop.marketing('GET', `/flows/runs/${row!.id}`)).body);
  }
});
afterAll(() => endpoint.close());

describe('a run', () => {
  it.each(Object.entries(CASES))('%s', (name, { version, left: [at, branch] }) => {
    const run = runs.get(name);
    expect(run).toMatchObject({ status: 'completed', version });
    const [left, after] = run.log.filter(({ result }: { result: string }) => result !== 'waiting');
    expect([left.at.slice(11, 16), left.step_id, left.result]).toEqual([at, 'hold', branch]);
    expect(after).toMatchObject({ step_id: 'after', result: 'default' });
  });

  it('sends and calls by the version it had when it entered the step', async () => {
    expect(called.toSorted()).toEqual(['/first', '/second']);
    const versions = await server.rows<{ name: string; flow_version: number }>(
      `select v.definition #>> '{steps,0,config,subject}' as name, m.flow_version
       from messages m join flow_versions v on v.flow_id = m.flow_id and v.version = m.flow_version order by m.flow_id`,
    );
    expect(versions.map(({ name }) => name)).toEqual(['new', 'new', 'old']);
  });
});
