import { describe, expect, it } from 'vitest';
import { type Definition, MAX_VISITS } from '../definition/definition.ts';
import { chain, step, WHEN_VIP } from '../definition/testing-graphs.ts';
import { DAY, eventSignal, HOUR, Journey, MINUTE, START } from '../testing/journey.ts';
import { advance } from './engine.ts';
import type { Signal } from './run.ts';

describe('immediate steps', () => {
  it('run at once, each with the contact as the steps before changed it', () => {
    const definition = chain([
      step('tag', 'add_tag', { tag: 'vip' }),
      step('check', 'branch', { paths: [{ key: 'vip', conditions: WHEN_VIP }] }),
    ]);
    definition.steps.push(step('mail', 'send_email', { template_id: 3 }));
    definition.connections.push({ from: 'check', branch: 'vip', to: 'mail' });
    const journey = new Journey(definition).step();
    expect(journey.path).toEqual(['tag:default', 'check:vip', 'mail:default']);
    expect(journey.status).toBe('completed');
    expect(journey.effects).toEqual([
      { kind: 'contact', change: { addTags: ['vip'] } },
      { kind: 'message', stepId: 'mail', visit: 1, channel: 'email', transactional: false },
    ]);
  });

  it('a flow without steps completes at once', () => {
    expect(new Journey(chain([])).step().status).toBe('completed');
  });

  it('change properties one level deep; null removes a key', () => {
    const change = step('set', 'update_contact', {
      first_name: 'Ada',
      properties: { plan: 'pro', trial: null },
      colour: 1,
    });
    const journey = new Journey(chain([change]), {}, { properties: { trial: true, kept: 1 } }).step();
    expect(journey.contact).toMatchObject({ first_name: 'Ada', properties: { plan: 'pro', kept: 1 } });
    expect(journey.contact).not.toHaveProperty('colour');
  });

  it('read the contact again after a change of a list', () => {
    const definition = chain([
      step('join', 'add_to_list', { list_id: 4 }),
      step('mail', 'send_sms', { content: 'Hi' }),
    ]);
    const journey = new Journey(definition);
    const first = advance(journey.graph, journey.run, journey.contact, { now: START, zone: 'UTC' });
    expect(first).toMatchObject({ status: 'active', run: { stepId: 'join', outcome: 'default', dueAt: START } });
    expect(first.effects).toEqual([{ kind: 'membership', listId: 4, action: 'add' }]);
    expect(journey.step().path).toEqual(['join:default', 'mail:default']);
  });

  it('fail the run where they throw, keep the steps before, and run again on a retry', () => {
    const definition = chain([step('tag', 'add_tag', { tag: 'a' }), step('start', 'start_flow', { flow_id: 9 })]);
    const journey = new Journey(definition, { state: { visits: {}, vars: {}, hops: 10 } }).step();
    expect(journey.status).toBe('failed');
    expect(journey.reason).toContain('more than 10');
    expect(journey.effects).toEqual([{ kind: 'contact', change: { addTags: ['a'] } }]);
    journey.status = 'active';
    journey.run.state.hops = 0;
    expect(journey.step().effects.at(-1)).toEqual({ kind: 'start', stepId: 'start', flowId: 9, hops: 1 });
    expect(journey.run.state.visits.start).toBe(1);
  });
});

describe('waits', () => {
  it('a delay ends at its time, not before', () => {
    const journey = new Journey(chain([step('wait', 'delay', { value: 2, unit: 'days' })])).step();
    expect(journey.run).toMatchObject({ stepId: 'wait', outcome: 'default', dueAt: new Date('2026-03-17T12:00:00Z') });
    expect(journey.wait(2 * DAY - 1).status).toBe('active');
    expect(journey.wait(1).status).toBe('completed');
  });

  it('wait_until uses the time zone of the contact, else of the company', () => {
    const definition = chain([step('nine', 'wait_until', { time: '09:00', timezone: 'contact' })]);
    expect(new Journey(definition).step().run.dueAt).toEqual(new Date('2026-03-16T09:00:00Z'));
    const inTokyo = new Journey(definition, {}, { properties: { timezone: 'Asia/Tokyo' } });
    expect(inTokyo.step().run.dueAt).toEqual(new Date('2026-03-16T00:00:00Z'));
    const nowhere = new Journey(definition, {}, { properties: { timezone: 'Mars/Olympus' } });
    expect(nowhere.step().run.dueAt).toEqual(new Date('2026-03-16T09:00:00Z'));
  });

  it('wait_until on a date field waits for the date with its offset, and passes where it is over or missing', () => {
    const config = { date_field: 'renews_on', time: '10:00', offset: { value: -3, unit: 'days' } };
    const due = (data: Record<string, unknown>) => {
      const event = { event_id: 1, event_type: 'x', occurred_at: START.toISOString(), data };
      return new Journey(chain([step('w', 'wait_until', config)]), { event }).step();
    };
    expect(due({ renews_on: '2026-03-25' }).run.dueAt).toEqual(new Date('2026-03-22T10:00:00Z'));
    expect(due({ renews_on: '2026-03-16' }).status).toBe('completed');
    expect(due({}).log[0]).toMatchObject({ result: 'default', detail: 'no date in renews_on' });
  });

  it('wait_until on a loop waits for the next time even where it is that time now; the run ends after MAX_VISITS rounds', () => {
    const definition = chain([
      step('nine', 'wait_until', { time: '12:00' }),
      step('mail', 'send_email', { template_id: 1 }),
    ]);
    definition.connections.push({ from: 'mail', to: 'nine' });
    const journey = new Journey(definition).step();
    for (let day = 0; day < 20; day++) journey.wait(DAY);
    expect(journey).toMatchObject({ status: 'exited', reason: 'max_visits' });
    expect(journey.effects).toHaveLength(MAX_VISITS);
  });

  it('quiet hours delay the run before a message, except before a transactional one', () => {
    const quiet_hours = { start: '11:00', end: '13:30' };
    const mail = step('mail', 'send_email', { template_id: 1 });
    const journey = new Journey(chain([mail], { quiet_hours })).step();
    expect(journey.effects).toEqual([]);
    expect(journey.run).toMatchObject({ stepId: 'mail', outcome: null, dueAt: new Date('2026-03-15T13:30:00Z') });
    expect(journey.wait(90 * MINUTE).effects).toHaveLength(1);
    expect(journey.status).toBe('completed');
    mail.config = { template_id: 1, transactional: true };
    expect(new Journey(chain([mail], { quiet_hours })).step().effects).toHaveLength(1);
  });
});

describe('wait_for_event', () => {
  const conditions = { rules: [{ field: 'total', comparison: 'greater_than' as const, value: 50 }] };
  const waiting = (more: Record<string, unknown> = {}): Definition => {
    const config = { event_type: 'order_placed', timeout: { value: 1, unit: 'days' }, ...more };
    const definition = chain([
      step('delay', 'delay', { value: 1, unit: 'hours' }),
      step('wait', 'wait_for_event', config),
    ]);
    definition.steps.push(step('thanks', 'add_tag', { tag: 'bought' }), step('remind', 'add_tag', { tag: 'lazy' }));
    definition.connections.push({ from: 'wait', branch: 'received', to: 'thanks' });
    definition.connections.push({ from: 'wait', branch: 'timeout', to: 'remind' });
    return definition;
  };
  const order = (total: number, at: Date): Signal =>
    ({ ...eventSignal('order_placed', at), data: { total } }) as Signal;

  it('leaves by received for a matching event, else by timeout', () => {
    const bought = new Journey(waiting({ conditions })).step().wait(HOUR);
    expect(bought.run.awaits).toBe('order_placed');
    bought.signal(order(20, bought.now)).step();
    expect(bought.contact.tags).toEqual([]);
    bought.signal(order(80, bought.now)).step();
    expect(bought).toMatchObject({ status: 'completed', contact: { tags: ['bought'] } });
    expect(new Journey(waiting()).step().wait(HOUR).wait(DAY).contact.tags).toEqual(['lazy']);
  });

  it('an event at the moment of the timeout counts; one that is signalled after it does not', () => {
    const journey = new Journey(waiting()).step().wait(HOUR);
    journey.now = journey.run.dueAt;
    expect(journey.signal(order(1, journey.now)).step().contact.tags).toEqual(['bought']);
    const late = new Journey(waiting()).step().wait(HOUR).wait(DAY);
    late.signal(order(1, late.now));
    expect(late.contact.tags).toEqual(['lazy']);
  });

  it('looks back to the entry of the run only with since flow_entry', () => {
    const before = new Date(START.getTime() + 30 * MINUTE);
    const step = new Journey(waiting()).step().wait(HOUR);
    expect(step.signal(order(1, before)).run.outcome).toBe('timeout');
    const flow = new Journey(waiting({ since: 'flow_entry' })).step().wait(HOUR);
    expect(flow.signal(order(1, before)).run.outcome).toBe('received');
    const earlier = new Journey(waiting({ since: 'flow_entry' })).step().wait(HOUR);
    expect(earlier.signal(order(1, new Date(START.getTime() - 1))).run.outcome).toBe('timeout');
  });

  it('ignores the event that started the run, and earlier ones of its batch', () => {
    const journey = new Journey(waiting({ since: 'flow_entry' })).step().wait(HOUR);
    expect(journey.signal(eventSignal('order_placed', START, 100)).run.outcome).toBe('timeout');
    expect(journey.signal(eventSignal('order_placed', START, 99)).run.outcome).toBe('timeout');
    expect(journey.signal(eventSignal('order_placed', START, 101)).run.outcome).toBe('received');
  });
});

describe('exit_on and goals', () => {
  const mails = (more: Partial<Definition> = {}): Definition =>
    chain([step('wait', 'delay', { value: 1, unit: 'days' }), step('mail', 'send_email', { template_id: 1 })], more);

  it('exit_on ends the run at any step, and before the first', () => {
    const exit_on = [{ event_type: 'order_placed' }];
    const journey = new Journey(mails({ exit_on })).step().signal(eventSignal('order_placed', START));
    expect(journey).toMatchObject({ status: 'exited', reason: 'exit_on:order_placed', effects: [] });
    expect(journey.total('wait', 'exited')).toBe(1);
    const fresh = new Journey(mails({ exit_on })).signal(eventSignal('order_placed', START));
    expect(fresh).toMatchObject({ status: 'exited', log: [{ step_id: null, result: 'exited' }] });
  });

  it.each([
    [{ order_id: '7' }, 'exited'],
    [{ order_id: 7 }, 'exited'],
    [{ order_id: '8' }, 'active'],
    [{}, 'active'],
  ])('exit_on `same` compares with the event that started the run: %j → %s', (data, status) => {
    const exit_on = [{ event_type: 'order_completed', same: ['order_id'] }];
    const event = {
      event_id: 1,
      event_type: 'order_placed',
      occurred_at: START.toISOString(),
      data: { order_id: '7' },
    };
    const completed = { ...eventSignal('order_completed', START), data } as Signal;
    expect(new Journey(mails({ exit_on }), { event }).step().signal(completed)).toMatchObject({ status });
    const nameless = new Journey(mails({ exit_on }), { event: { ...event, data: {} } }).step().signal(completed);
    expect(nameless).toMatchObject({ status: 'active' });
  });

  it('the goal of the flow ends the run as converted', () => {
    const journey = new Journey(mails({ goal: { event_type: 'order_placed' } })).step();
    journey.signal(eventSignal('order_placed', START));
    expect(journey).toMatchObject({ status: 'completed', reason: 'goal' });
    expect(journey.total('', 'converted')).toBe(1);
  });

  it('an event of a goal step ahead moves the run to it, once; of one behind or beside it does not', () => {
    const definition = mails();
    definition.steps.push(
      step('bought', 'goal', { event_type: 'order_placed' }),
      step('after', 'delay', { value: 1, unit: 'days' }),
    );
    definition.connections.push({ from: 'mail', to: 'bought' }, { from: 'bought', to: 'after' });
    const journey = new Journey(definition).step().signal(eventSignal('order_placed', START)).step();
    expect(journey.path).toEqual(['wait:waiting', 'wait:goal', 'bought:default', 'after:waiting']);
    expect(journey.effects).toEqual([]);
    expect(journey.total('bought', 'converted')).toBe(1);
    journey.signal(eventSignal('order_placed', START, 201));
    expect(journey.run.stepId).toBe('after');
    const patient = new Journey(definition).step().wait(DAY);
    expect(patient.total('bought', 'converted')).toBe(0);
    expect(patient.total('bought', 'passed')).toBe(1);
  });
});

describe('webhooks', () => {
  const definition = chain([step('call', 'webhook', { url: 'https://example.com/', save_as: 'score' })]);
  definition.steps.push(
    step('check', 'branch', {
      paths: [
        { key: 'high', conditions: { rules: [{ field: 'score.body.value', comparison: 'greater_than', value: 5 }] } },
      ],
    }),
    step('tag', 'add_tag', { tag: 'high' }),
    step('bad', 'add_tag', { tag: 'bad' }),
  );
  definition.connections.push({ from: 'call', to: 'check' }, { from: 'check', branch: 'high', to: 'tag' });
  definition.connections.push({ from: 'call', branch: 'failed', to: 'bad' });
  const responseSignal = (ok: boolean, visit = 1): Signal => ({
    kind: 'webhook',
    step_id: 'call',
    visit,
    ok,
    save_as: 'score',
    answer: { status: 200, body: { value: 9 } },
  });

  it('are called once, and their response can be used under save_as', () => {
    const journey = new Journey(definition).step();
    expect(journey.effects).toEqual([{ kind: 'webhook', stepId: 'call', visit: 1 }]);
    expect(journey.signal(responseSignal(true)).step().contact.tags).toEqual(['high']);
  });

  it('log why a call failed, and nothing if it succeeded', () => {
    const WAITS = `until ${new Date(START.getTime() + DAY).toISOString()}`;
    const told = (why?: string): unknown[] => {
      const signal = { ...responseSignal(why === undefined), ...(why === undefined ? {} : { why }) } as Signal;
      return new Journey(definition)
        .step()
        .signal(signal)
        .step()
        .log.map(({ detail }) => detail);
    };
    expect(told('status 500')).toEqual([WAITS, 'status 500', undefined]);
    expect(told()).toEqual([WAITS, undefined, undefined, undefined]);
  });

  it('leave by failed where the call failed or no response came; the response of another visit is ignored', () => {
    expect(new Journey(definition).step().signal(responseSignal(false)).step().contact.tags).toEqual(['bad']);
    expect(new Journey(definition).step().signal(responseSignal(true, 2)).run.outcome).toBe('failed');
    expect(new Journey(definition).step().wait(DAY).contact.tags).toEqual(['bad']);
  });
});

describe('the end of a run', () => {
  it('is counted once, and ends one that was active', () => {
    const journey = new Journey(chain([step('tag', 'add_tag', { tag: 'vip' })])).step();
    expect(journey.status).toBe('completed');
    expect(journey.counts.filter(({ stepId }) => stepId === '')).toEqual([
      { stepId: '', metric: 'active', n: -1 },
      { stepId: '', metric: 'completed', n: 1 },
    ]);
  });
});

describe('split', () => {
  it('chooses the same variant for a contact every time, and variants by weight', () => {
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 3 },
      { key: 'never', weight: 0 },
    ];
    const definition = chain([step('split', 'split', { variants })]);
    const way = (contactId: number): string => new Journey(definition, { contactId }).step().log[0]!.result;
    const ways = Array.from({ length: 4_000 }, (_, i) => way(i + 1));
    expect(ways).toEqual(Array.from({ length: 4_000 }, (_, i) => way(i + 1)));
    expect(ways.filter((key) => key === 'a').length).toBeGreaterThan(880);
    expect(ways.filter((key) => key === 'a').length).toBeLessThan(1_120);
    expect(ways).not.toContain('never');
  });
});
