import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
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
} from '../testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EMAIL = 'ada@example.com';

const messages = () =>
  server.rows<{
    idem_key: string;
    channel: string;
    status: string;
    due_at: Date;
    transactional: boolean;
    step_id: string;
    contact_id: string;
    flow_version: number;
  }>('select * from messages where company_id = $1 order by id', [shop.company_id]);

/** Starts the only run of a flow and does what is due. */
async function start(flow: { flow_id: number }, data: Record<string, unknown> = {}) {
  await track(shop, EMAIL, 'order_placed', data);
  await work(server);
  return runOf(shop, flow.flow_id);
}

describe('the log of a run', () => {
  const send = async () => {
    const sender = server.app.workers.find(({ name }) => name === 'sender')!;
    while ((await sender.runOnce()) > 0);
  };
  const lines = (run: TestBody) =>
    (run.log as { step_id: string; result: string; detail: string | null }[]).map(({ step_id, result, detail }) => [
      step_id,
      result,
      detail,
    ]);

  it('says skipped, and why, for a message that was not sent', async () => {
    const consent = { email: 'never', sms: 'never' };
    await shop.marketing('POST', '/contacts', { email: EMAIL, consent });
    const flow = await activeFlow(shop, [
      step('offer', 'send_email', { subject: 'Hi', content: 'Hi' }),
      step('receipt', 'send_email', { subject: 'Hi', content: 'Hi', transactional: true }),
      step('text', 'send_sms', { content: 'Hi' }),
      step('wait', 'delay', { value: 1, unit: 'hours' }),
    ]);
    await start(flow);
    await send();
    expect(lines(await runOf(shop, flow.flow_id))).toEqual([
      ['offer', 'skipped', 'never_consented'],
      ['receipt', 'default', null],
      ['text', 'skipped', 'no_address'],
      ['wait', 'waiting', expect.stringContaining('until ')],
    ]);
  });

  it('has a separate entry for each visit to a step', async () => {
    const flow = await activeFlow(
      shop,
      [
        step('mail', 'send_email', { subject: 'Hi', content: 'Hi' }),
        step('wait', 'delay', { value: 1, unit: 'hours' }),
      ],
      {
        connections: [
          { from: 'trigger', to: 'mail' },
          { from: 'mail', to: 'wait' },
          { from: 'wait', to: 'mail' },
        ],
      },
    );
    await start(flow);
    await send();
    const { contact_id } = await contactOf(shop, EMAIL);
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    await later(server, HOUR);
    await send();
    const mails = lines(await runOf(shop, flow.flow_id)).filter(([id]) => id === 'mail');
    expect(mails).toEqual([
      ['mail', 'default', null],
      ['mail', 'skipped', 'unsubscribed'],
    ]);
  });
});

describe('each type of step', () => {
  it('send_email and send_sms queue one message each, with its origin', async () => {
    const flow = await activeFlow(shop, [
      step('mail', 'send_email', { subject: 'Hi', content: 'Hi', transactional: true }),
      step('sms', 'send_sms', { content: 'Hi' }),
    ]);
    const run = await start(flow);
    expect(run.status).toBe('completed');
    const sent = await messages();
    expect(sent).toMatchObject([
      { idem_key: `f:${run.run_id}:mail:1`, channel: 'email', transactional: true, step_id: 'mail', flow_version: 1 },
      { idem_key: `f:${run.run_id}:sms:1`, channel: 'sms', transactional: false, step_id: 'sms' },
    ]);
    expect(Number(sent[0]!.contact_id)).toBe(run.contact_id);
  });

  it('messages count as sent at their step once they are sent', async () => {
    const flow = await activeFlow(shop, [step('mail', 'send_email', { subject: 'Hi', content: '<p>Hi</p>' })]);
    await start(flow);
    const sent = async () => {
      const { body } = await shop.marketing('GET', `/flows/${flow.flow_id}/stats`);
      return [body.totals.sent, body.steps[0].sent];
    };
    expect(await sent()).toEqual([0, 0]);
    const sender = server.app.workers.find(({ name }) => name === 'sender')!;
    while ((await sender.runOnce()) > 0);
    expect(await sent()).toEqual([1, 1]);
  });

  it('delay ends at its time', async () => {
    const flow = await activeFlow(shop, [
      step('wait', 'delay', { value: 2, unit: 'weeks' }),
      step('tag', 'add_tag', { tag: 'x' }),
    ]);
    const run = await start(flow);
    expect(run).toMatchObject({ status: 'active', step_id: 'wait', due_at: '2026-03-29 12:00:00' });
    expect(await numbersOf(shop, flow.flow_id, 'wait')).toMatchObject({ entered: 1, waiting: 1, passed: 0 });
    await later(server, 14 * DAY - 1_000);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await later(server, 1_000);
    expect((await runOf(shop, flow.flow_id)).status).toBe('completed');
    expect(await numbersOf(shop, flow.flow_id, 'wait')).toMatchObject({ entered: 1, waiting: 0, passed: 1 });
  });

  it('wait_until uses the company’s time zone where the contact has none', async () => {
    shop = await server.company({ timeZone: 'America/New_York' });
    const flow = await activeFlow(shop, [step('nine', 'wait_until', { time: '09:00' })]);
    expect((await start(flow)).due_at).toBe('2026-03-15 13:00:00');
    await shop.marketing('POST', '/contacts', { email: 'b@example.com', properties: { timezone: 'Asia/Tokyo' } });
    await track(shop, 'b@example.com');
    await work(server);
    expect((await runsOf(shop, flow.flow_id))[1].due_at).toBe('2026-03-16 00:00:00');
  });

  it('wait_for_event leaves by received for an event that meets its conditions, else by timeout', async () => {
    const conditions = { rules: [{ field: 'cart_total', comparison: 'greater_than', value: 50 }] };
    const steps = [
      step('wait', 'wait_for_event', { event_type: 'cart_abandoned', conditions, timeout: { value: 1, unit: 'days' } }),
      step('yes', 'add_tag', { tag: 'yes' }),
      step('no', 'add_tag', { tag: 'no' }),
    ];
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'yes' },
      { from: 'wait', branch: 'timeout', to: 'no' },
    ];
    const flow = await activeFlow(shop, steps, { connections });
    await start(flow);
    await track(shop, EMAIL, 'cart_abandoned', { cart_total: 10 });
    await track(shop, 'other@example.com', 'cart_abandoned', { cart_total: 99 });
    await work(server);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await track(shop, EMAIL, 'cart_abandoned', { cart_total: 90 });
    await work(server);
    expect((await runOf(shop, flow.flow_id)).status).toBe('completed');
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['yes']);
    await track(shop, 'late@example.com');
    await work(server);
    await later(server, DAY);
    expect((await contactOf(shop, 'late@example.com')).tags).toEqual(['no']);
    expect(await numbersOf(shop, flow.flow_id, 'wait')).toMatchObject({
      passed: 2,
      branches: [
        { branch: 'received', passed: 1 },
        { branch: 'timeout', passed: 1 },
      ],
    });
    expect(await numbersOf(shop, flow.flow_id, 'yes')).toMatchObject({ passed: 1, branches: [] });
  });

  it('branch uses the event and the contact, with the run’s own changes', async () => {
    const big = { rules: [{ field: 'total', comparison: 'greater_than', value: 100 }] };
    const vip = { rules: [{ field: 'contact.tags', comparison: 'contains', value: 'vip' }] };
    const steps = [
      step('one', 'branch', { paths: [{ key: 'big', conditions: big }] }),
      step('tag', 'add_tag', { tag: 'vip' }),
      step('two', 'branch', { paths: [{ key: 'vip', conditions: vip }] }),
    ];
    const connections = [
      { from: 'trigger', to: 'one' },
      { from: 'one', branch: 'big', to: 'tag' },
      { from: 'one', branch: 'else', to: 'two' },
      { from: 'tag', to: 'two' },
    ];
    const flow = await activeFlow(shop, steps, { connections });
    expect(pathOf(await start(flow, { total: 20 }))).toEqual(['one:else', 'two:else']);
    await track(shop, EMAIL, 'order_placed', { total: 200 });
    await work(server);
    expect(pathOf((await runsOf(shop, flow.flow_id))[1])).toEqual(['one:big', 'tag:default', 'two:vip']);
  });

  it('split chooses the same variant for a contact every time', async () => {
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1 },
    ];
    const flow = await activeFlow(shop, [step('split', 'split', { variants })]);
    for (let i = 0; i < 4; i++) {
      await track(shop, EMAIL);
      await work(server);
    }
    const ways = (await runsOf(shop, flow.flow_id)).map(pathOf);
    expect(ways).toHaveLength(4);
    expect(new Set(ways.map(String)).size).toBe(1);
  });

  it('update_contact, add_tag and remove_tag change the contact', async () => {
    await shop.marketing('POST', '/contacts', { email: EMAIL, tags: ['old', 'kept'], properties: { a: 1, b: 2 } });
    const flow = await activeFlow(shop, [
      step('set', 'update_contact', { first_name: 'Ada', properties: { a: null, c: 3 } }),
      step('add', 'add_tag', { tag: 'new' }),
      step('remove', 'remove_tag', { tag: 'old' }),
    ]);
    expect((await start(flow)).status).toBe('completed');
    const contact = await contactOf(shop, EMAIL);
    expect(contact).toMatchObject({ first_name: 'Ada', properties: { b: 2, c: 3 } });
    expect([...contact.tags].sort()).toEqual(['kept', 'new']);
  });

  it('add_to_list and remove_from_list change memberships, which later steps see', async () => {
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'Buyers' });
    const { body: left } = await shop.marketing('POST', '/lists', { name: 'Left' });
    await shop.marketing('POST', '/contacts', { email: EMAIL, list_ids: [left.list_id] });
    const member = { rules: [{ field: 'contact.list_ids', comparison: 'equals', value: list.list_id }] };
    const flow = await activeFlow(shop, [
      step('join', 'add_to_list', { list_id: list.list_id }),
      step('leave', 'remove_from_list', { list_id: left.list_id }),
      step('check', 'branch', { paths: [{ key: 'member', conditions: member }] }),
    ]);
    expect(pathOf(await start(flow))).toEqual(['join:default', 'leave:default', 'check:member']);
    expect((await contactOf(shop, EMAIL)).lists).toEqual([{ list_id: list.list_id, status: 'active' }]);
  });

  it('track_event stores an event of the contact, which may start other flows', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'became_fan' });
    const fans = await activeFlow(shop, [step('tag', 'add_tag', { tag: 'fan' })], { trigger_type: 'became_fan' });
    await activeFlow(shop, [step('tell', 'track_event', { event_type: 'became_fan', event_data: { level: 3 } })]);
    await track(shop, EMAIL);
    await work(server);
    expect((await runOf(shop, fans.flow_id)).event.data).toMatchObject({ level: 3 });
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['fan']);
    const { body } = await shop.marketing('GET', '/events?event_type=became_fan');
    expect(body.events).toMatchObject([{ source: 'flow' }]);
  });

  it('flows whose events start each other end', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'ping' });
    const flow = await activeFlow(shop, [step('again', 'track_event', { event_type: 'ping' })], {
      trigger_type: 'ping',
    });
    await track(shop, EMAIL, 'ping');
    await work(server);
    const runs = await runsOf(shop, flow.flow_id);
    expect(runs).toHaveLength(11);
    expect(runs.map(({ status }) => status)).toEqual([...Array(10).fill('completed'), 'failed']);
  });

  it('start_flow lets the contact enter another flow with the same event, if that is active', async () => {
    const second = await activeFlow(shop, [step('tag', 'add_tag', { tag: 'second' })], {
      trigger_type: 'customer_created',
    });
    const off = await activeFlow(shop, [], { trigger_type: 'customer_created' });
    await activeFlow(shop, [
      step('go', 'start_flow', { flow_id: second.flow_id }),
      step('none', 'start_flow', { flow_id: off.flow_id }),
    ]);
    await shop.marketing('POST', `/flows/pause/${off.flow_id}`);
    await track(shop, EMAIL, 'order_placed', { total: 77 });
    await work(server);
    const run = await runOf(shop, second.flow_id);
    expect(run).toMatchObject({ status: 'completed', event: { event_type: 'order_placed', data: { total: 77 } } });
    expect(await runsOf(shop, off.flow_id)).toEqual([]);
  });

  it('notify stores a notification for the shop', async () => {
    const flow = await activeFlow(shop, [step('tell', 'notify', { message: 'A big order' })]);
    const run = await start(flow);
    const { body } = await shop.marketing('GET', '/flows/notifications');
    expect(body.notifications).toEqual([
      {
        notification_id: expect.any(Number),
        flow_id: flow.flow_id,
        run_id: run.run_id,
        step_id: 'tell',
        contact_id: run.contact_id,
        message: 'A big order',
        created_at: '2026-03-15 12:00:00',
      },
    ]);
    expect(body.pagination.total).toBe(1);
  });

  it('goal takes the run when its event arrives, and counts the conversion', async () => {
    const flow = await activeFlow(shop, [
      step('wait', 'delay', { value: 3, unit: 'days' }),
      step('bought', 'goal', { event_type: 'order_completed' }),
      step('tag', 'add_tag', { tag: 'done' }),
    ]);
    await start(flow);
    await track(shop, EMAIL, 'order_completed');
    await work(server);
    expect(pathOf(await runOf(shop, flow.flow_id))).toEqual([
      'wait:waiting',
      'wait:goal',
      'bought:default',
      'tag:default',
    ]);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ converted: 1, completed: 1 });
    expect(await numbersOf(shop, flow.flow_id, 'bought')).toMatchObject({ converted: 1 });
  });

  it('exit ends the run with its reason', async () => {
    const flow = await activeFlow(shop, [step('stop', 'exit', { reason: 'enough' })]);
    expect(await start(flow)).toMatchObject({ status: 'exited', reason: 'enough', ended_at: '2026-03-15 12:00:00' });
  });
});

describe('the flow’s own rules', () => {
  it('exit_on ends the run when the event arrives, before it sends', async () => {
    const conditions = { rules: [{ field: 'total', comparison: 'greater_than', value: 50 }] };
    const flow = await activeFlow(
      shop,
      [
        step('wait', 'delay', { value: 1, unit: 'hours' }),
        step('mail', 'send_email', { subject: 'Hi', content: 'Hi' }),
      ],
      { trigger_type: 'cart_abandoned', exit_on: [{ event_type: 'order_placed', conditions }] },
    );
    await track(shop, EMAIL, 'cart_abandoned');
    await work(server);
    await track(shop, EMAIL, 'order_placed', { total: 20 });
    await work(server);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await track(shop, EMAIL, 'order_placed', { total: 60 });
    await later(server, HOUR);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'exited', reason: 'exit_on:order_placed' });
    expect(await messages()).toEqual([]);
  });

  it('the goal ends the run as converted', async () => {
    const flow = await activeFlow(shop, [step('wait', 'delay', { value: 1, unit: 'hours' })], {
      trigger_type: 'cart_abandoned',
      goal: { event_type: 'order_placed' },
    });
    await track(shop, EMAIL, 'cart_abandoned');
    await track(shop, EMAIL);
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'completed', reason: 'goal' });
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 1, completed: 1, converted: 1, active: 0 });
  });

  it('quiet hours delay an e-mail until they end', async () => {
    server.clock.set('2026-03-15T22:00:00Z');
    const flow = await activeFlow(shop, [step('mail', 'send_email', { subject: 'Hi', content: 'Hi' })], {
      quiet_hours: { start: '21:00', end: '08:00' },
    });
    expect(await start(flow)).toMatchObject({ status: 'active', step_id: 'mail', due_at: '2026-03-16 08:00:00' });
    expect(await messages()).toEqual([]);
    await later(server, 10 * HOUR);
    expect(await messages()).toHaveLength(1);
  });

  it('quiet hours in the contact’s time zone delay an e-mail that was queued before them', async () => {
    const sender = server.app.workers.find(({ name }) => name === 'sender')!;
    const states = async () => (await messages()).map(({ status, due_at }) => [status, due_at.toISOString()]);
    server.clock.set('2026-03-15T11:59:00Z');
    await shop.marketing('POST', '/contacts', { email: EMAIL, properties: { time_zone: 'Asia/Tokyo' } });
    const mail = (id: string, more = {}) => step(id, 'send_email', { subject: id, content: 'Hi', ...more });
    const flow = await activeFlow(shop, [mail('news'), mail('receipt', { transactional: true })], {
      quiet_hours: { start: '21:00', end: '08:00' },
    });
    await start(flow);
    server.clock.advance(2 * MINUTE);
    while ((await sender.runOnce()) > 0);
    expect(await states()).toEqual([
      ['queued', '2026-03-15T23:00:00.000Z'],
      ['sent', '2026-03-15T11:59:00.000Z'],
    ]);
    server.clock.set('2026-03-15T23:00:00Z');
    while ((await sender.runOnce()) > 0);
    expect((await states()).map(([status]) => status)).toEqual(['sent', 'sent']);
  });

  it('a loop ends after ten rounds', async () => {
    const steps = [step('wait', 'delay', { value: 1, unit: 'days' }), step('sms', 'send_sms', { content: 'Hi' })];
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'sms' },
      { from: 'sms', to: 'wait' },
    ];
    const flow = await activeFlow(shop, steps, { connections });
    await start(flow);
    for (let day = 0; day < 12; day++) await later(server, DAY);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'exited', reason: 'max_visits' });
    const keys = (await messages()).map(({ idem_key }) => idem_key);
    expect(new Set(keys).size).toBe(10);
  });

  it('trigger conditions use the event and the contact', async () => {
    await shop.marketing('POST', '/contacts', { email: EMAIL, tags: ['vip'] });
    const rules = [
      { field: 'items.product_id', comparison: 'equals', value: 'p7' },
      { field: 'contact.tags', comparison: 'contains', value: 'vip' },
    ];
    const flow = await activeFlow(shop, [], { trigger_conditions: { operator: 'and', rules } });
    const items = [{ product_id: 'p1' }, { product_id: 'p7' }];
    expect((await track(shop, EMAIL, 'order_placed', { items })).flows_triggered).toEqual([flow.flow_id]);
    expect((await track(shop, EMAIL, 'order_placed', { items: [] })).flows_triggered).toEqual([]);
    expect((await track(shop, 'b@example.com', 'order_placed', { items })).flows_triggered).toEqual([]);
  });
});

describe('runs', () => {
  it('are listed by status and contact, in pages, with their exact number', async () => {
    const flow = await activeFlow(shop, [step('wait', 'delay', { value: 1, unit: 'days' })]);
    for (let i = 0; i < 5; i++) await track(shop, `p${i}@example.com`);
    await work(server);
    await later(server, DAY);
    for (let i = 0; i < 3; i++) await track(shop, `p${i}@example.com`);
    await work(server);
    const list = async (query: string) => (await shop.marketing('GET', `/flows/${flow.flow_id}/runs?${query}`)).body;
    const ids = (body: { runs: { run_id: number }[] }) => body.runs.map(({ run_id }) => run_id);
    const all = await list('');
    expect(all.pagination).toEqual({ page: 1, per_page: 20, total: 8, total_pages: 1 });
    expect(ids(all)).toEqual([...ids(all)].sort((a, b) => b - a));
    expect([
      ...ids(await list('page=1&per_page=3')),
      ...ids(await list('page=2&per_page=3')),
      ...ids(await list('page=3&per_page=3')),
    ]).toEqual(ids(all));
    expect((await list('status=active')).pagination.total).toBe(3);
    expect((await list('status=completed&per_page=2')).pagination).toMatchObject({ total: 5, total_pages: 3 });
    const { contact_id, contact } = all.runs[0];
    expect(contact).toEqual({ email: 'p2@example.com', phone: null, first_name: null, last_name: null });
    expect((await list(`contact_id=${contact_id}`)).pagination.total).toBe(2);
    expect((await list(`contact_id=${contact_id}&status=completed`)).runs).toHaveLength(1);
    expect((await shop.marketing('GET', '/flows/runs/999999')).status).toBe(404);
    const other = await server.company();
    expect((await other.marketing('GET', `/flows/runs/${ids(all)[0]}`)).status).toBe(404);
  });

  it('of an erased contact end', async () => {
    const flow = await activeFlow(shop, [step('wait', 'delay', { value: 1, unit: 'days' })]);
    const run = await start(flow);
    await shop.marketing('DELETE', `/contacts/${run.contact_id}`);
    await later(server, DAY);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({
      status: 'exited',
      reason: 'contact_gone',
      event: null,
      contact_id: run.contact_id,
      contact: null,
    });
  });
});
