import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
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
  workerWith,
} from '../testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const HOUR = 3_600_000;
const EMAIL = 'ada@example.com';
const wait = (hours: number, id = 'wait') => step(id, 'delay', { value: hours, unit: 'hours' });
const tag = (name: string, id = name) => step(id, 'add_tag', { tag: name });
const action = (name: string, id: number, body: unknown = {}) => shop.marketing('POST', `/flows/${name}/${id}`, body);

describe('a transaction that does not commit', () => {
  it('leaves nothing behind: the run repeats the step, once', async () => {
    const flow = await activeFlow(shop, [tag('x'), step('sms', 'send_sms', { content: 'Hi' }), wait(1)]);
    await track(shop, EMAIL);
    const dying = workerWith(server, {
      queueMessages: async (tx, companyId, messages, now) => {
        await (await import('../../../messaging/service.ts')).queueMessages(tx, companyId, messages, now);
        throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
      },
    });
    await expect(dying.runOnce()).rejects.toThrow('the connection broke');
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toEqual([]);
    expect((await runOf(shop, flow.flow_id)).log).toEqual([]);
    await work(server);
    await work(server);
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toHaveLength(1);
    expect(pathOf(await runOf(shop, flow.flow_id))).toEqual(['x:default', 'sms:default', 'wait:waiting']);
    expect(await numbersOf(shop, flow.flow_id, 'sms')).toMatchObject({ entered: 1, passed: 1 });
  });
});

describe('several workers at once', () => {
  it('share the work: no step runs twice, and none is skipped', async () => {
    const flow = await activeFlow(shop, [tag('x'), step('sms', 'send_sms', { content: 'Hi' }), wait(1), tag('y')]);
    const events = Array.from({ length: 300 }, (_, i) => ({
      event_type: 'order_placed',
      event_data: { email: `p${i}@example.com`, order_id: `${i}`, total: 1 },
    }));
    expect((await shop.marketing('POST', '/events/batch', { events })).body.accepted).toBe(300);
    const { queueMessages } = await import('../../../messaging/service.ts');
    const workers = Array.from({ length: 4 }, () => workerWith(server, { queueMessages }));
    const all = async () => {
      while ((await Promise.all(workers.map((worker) => worker.runOnce()))).some((done) => done > 0));
    };
    await all();
    server.clock.advance(HOUR);
    await all();
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 300, completed: 300, active: 0 });
    expect(await numbersOf(shop, flow.flow_id, 'y')).toMatchObject({ entered: 300, passed: 300 });
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toHaveLength(300);
  });
});

describe('a pause', () => {
  it('keeps every run at its step, and due runs resume in their order', async () => {
    const flow = await activeFlow(shop, [wait(1), tag('went', 'went'), wait(1, 'second')]);
    await track(shop, 'a@example.com');
    await later(server, 0.5 * HOUR);
    await track(shop, 'b@example.com');
    await work(server);
    await action('pause', flow.flow_id);
    await later(server, 3 * HOUR);
    expect((await runsOf(shop, flow.flow_id)).map(({ status, step_id }) => [status, step_id])).toEqual([
      ['active', 'wait'],
      ['active', 'wait'],
    ]);
    expect((await contactOf(shop, 'a@example.com')).tags).toEqual([]);
    await action('activate', flow.flow_id);
    await work(server);
    expect((await runsOf(shop, flow.flow_id)).map(({ step_id }) => step_id)).toEqual(['second', 'second']);
    expect((await contactOf(shop, 'b@example.com')).tags).toEqual(['went']);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ active: 2 });
  });

  it('costs nothing while it lasts: due runs of a paused flow are read once', async () => {
    const flow = await activeFlow(shop, [wait(1)]);
    await track(shop, EMAIL);
    await work(server);
    await action('pause', flow.flow_id);
    await later(server, HOUR);
    const worker = server.app.workers.find(({ name }) => name === 'flows')!;
    expect(await worker.runOnce()).toBe(0);
  });

  it('keeps signals: runs receive the events they wait for when they resume', async () => {
    const received = [
      step('wait', 'wait_for_event', { event_type: 'order_completed', timeout: { value: 1, unit: 'days' } }),
      tag('got'),
    ];
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'got' },
    ];
    const flow = await activeFlow(shop, received, { connections });
    const exits = await activeFlow(shop, [wait(1)], { exit_on: [{ event_type: 'order_completed' }] });
    await track(shop, EMAIL);
    await work(server);
    await action('pause', flow.flow_id);
    await action('pause', exits.flow_id);
    await track(shop, EMAIL, 'order_completed');
    await work(server);
    expect((await contactOf(shop, EMAIL)).tags).toEqual([]);
    expect((await runOf(shop, exits.flow_id)).status).toBe('exited');
    await later(server, 48 * HOUR);
    await action('activate', flow.flow_id);
    await work(server);
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['got']);
  });

  it('is complete with its response: it waits for a transaction that advances runs', async () => {
    const flow = await activeFlow(shop, [tag('x')]);
    await track(shop, EMAIL);
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = workerWith(server, {
      enrolment: {
        ...server.app.flows.enrolment,
        flowsIn: server.app.flows.enrolment.flowsIn,
      },
      queueMessages: async () => {
        entered();
        await held;
      },
    });
    await shop.marketing('PATCH', `/flows/${flow.flow_id}`, {
      steps: [step('sms', 'send_sms', { content: 'Hi' })],
      connections: [{ from: 'trigger', to: 'sms' }],
    });
    await track(shop, 'b@example.com');
    const moving = slow.runOnce();
    await inside;
    let responded = false;
    const pausing = action('pause', flow.flow_id).then(() => {
      responded = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(responded).toBe(false);
    go();
    await Promise.all([moving, pausing]);
    expect(responded).toBe(true);
  });
});

describe('an archive', () => {
  it('ends every run, waiting or paused', async () => {
    const flow = await activeFlow(shop, [wait(1)]);
    for (let i = 0; i < 3; i++) await track(shop, `p${i}@example.com`);
    await work(server);
    await track(shop, 'new@example.com');
    await action('archive', flow.flow_id);
    await work(server);
    const runs = await runsOf(shop, flow.flow_id);
    expect(runs.map(({ status, reason }) => [status, reason])).toEqual(Array(4).fill(['exited', 'archived']));
    expect(runs[0].log.at(-1)).toMatchObject({ step_id: 'wait', type: 'delay', result: 'exited', detail: 'archived' });
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ active: 0, exited: 4 });
    expect(await numbersOf(shop, flow.flow_id, 'wait')).toMatchObject({ entered: 3, waiting: 0, exited: 3 });
    await action('pause', flow.flow_id);
    await action('activate', flow.flow_id);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
  });
});

describe('versions', () => {
  const edit = (id: number, body: Record<string, unknown>) => shop.marketing('PATCH', `/flows/${id}`, body);
  const two = {
    steps: [wait(1), tag('new', 'mark')],
    connections: [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'mark' },
    ],
  };

  it('pin runs: an edit applies to later runs', async () => {
    const flow = await activeFlow(shop, [wait(1), tag('old', 'mark')]);
    await track(shop, 'a@example.com');
    await work(server);
    await edit(flow.flow_id, two);
    await track(shop, 'b@example.com');
    await work(server);
    await later(server, HOUR);
    expect((await contactOf(shop, 'a@example.com')).tags).toEqual(['old']);
    expect((await contactOf(shop, 'b@example.com')).tags).toEqual(['new']);
  });

  it('apply_to all, and migrate, move the runs whose step still exists', async () => {
    const flow = await activeFlow(shop, [wait(1), tag('old', 'mark')]);
    await track(shop, 'a@example.com');
    await work(server);
    await edit(flow.flow_id, { ...two, apply_to: 'all' });
    expect((await runOf(shop, flow.flow_id)).version).toBe(2);
    await edit(flow.flow_id, { steps: [wait(9, 'other')], connections: [{ from: 'trigger', to: 'other' }] });
    expect((await shop.marketing('POST', `/flows/migrate/${flow.flow_id}`)).body).toEqual({
      flow_id: flow.flow_id,
      version: 3,
      migrated: 0,
      pending: false,
    });
    await edit(flow.flow_id, { ...two, exit_on: [{ event_type: 'order_completed' }] });
    expect((await action('migrate', flow.flow_id)).body).toMatchObject({ version: 4, migrated: 1 });
    await track(shop, 'a@example.com', 'order_completed');
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({
      version: 4,
      status: 'exited',
      reason: 'exit_on:order_completed',
    });
  });
});

describe('an action on many runs', () => {
  it('is done in pieces, the first within the request, the rest by the worker', async () => {
    const flow = await activeFlow(shop, [wait(1)]);
    const contacts = await server.rows<{ id: string }>(
      `insert into contacts (company_id, email, search, created_at, updated_at)
       select $1, n || '@example.com', '', now(), now() from generate_series(1, 12000) n returning id`,
      [shop.company_id],
    );
    const ids = contacts.map(({ id }) => Number(id));
    for (let i = 0; i < ids.length; i += 1_000) {
      const { body } = await action('enroll', flow.flow_id, { contact_ids: ids.slice(i, i + 1_000) });
      expect(body.enrolled).toBe(1_000);
    }
    await work(server);
    await action('archive', flow.flow_id);
    const left = async () =>
      Number(
        (
          await server.rows<{ n: string }>(
            `select count(*) as n from flow_runs where flow_id = $1 and status = 'active'`,
            [flow.flow_id],
          )
        )[0]!.n,
      );
    expect(await left()).toBe(7_000);
    await work(server);
    expect(await left()).toBe(0);
    expect(await server.rows('select 1 from flow_tasks')).toEqual([]);
  });
});
