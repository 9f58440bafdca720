import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { step } from './definition/testing-graphs.ts';
import { LIBRARY } from './library/library.ts';
import { FLOW_STATUSES, type FlowStatus } from './status.ts';
import { activeFlow, expectSound, numbersOf, runOf, track, work } from './testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const newFlow = (more: Record<string, unknown> = {}) => ({ name: 'Cart', trigger_type: 'cart_abandoned', ...more });
const tagging = { steps: [step('tag', 'add_tag', { tag: 'x' })], connections: [{ from: 'trigger', to: 'tag' }] };

describe('POST /flows', () => {
  it('creates a draft with every field of the record', async () => {
    const { status, body } = await shop.marketing('POST', '/flows', newFlow());
    expect(status).toBe(201);
    expect(body).toEqual({
      flow_id: expect.any(Number),
      name: 'Cart',
      status: 'draft',
      trigger_type: 'cart_abandoned',
      trigger_conditions: null,
      trigger_settings: null,
      steps: [],
      connections: [],
      reentry: { mode: 'always', concurrent: false },
      exit_on: [],
      goal: null,
      quiet_hours: null,
      version: 0,
      revision: 1,
      created_at: '2026-03-15 12:00:00',
      updated_at: '2026-03-15 12:00:00',
      stats: { entered: 0, active: 0, completed: 0, exited: 0, failed: 0, converted: 0, missed: 0, sent: 0 },
    });
    expect((await shop.marketing('GET', `/flows/${body.flow_id}`)).body).toEqual(body);
  });

  it('creates an active flow without steps, with its first version, on request', async () => {
    const { body } = await shop.marketing('POST', '/flows', newFlow({ status: 'active' }));
    expect(body).toMatchObject({ status: 'active', version: 1, steps: [] });
  });

  it('stores steps and connections as they were sent', async () => {
    const steps = [{ ...step('tag', 'add_tag', { tag: 'x' }), name: 'Tag', position: { x: 1, y: 2.5 } }];
    const sent = newFlow({ steps, connections: [{ from: 'trigger', to: 'tag', branch: 'default' }] });
    expect((await shop.marketing('POST', '/flows', sent)).body).toMatchObject(sent);
  });

  it('stores names of branches as they were written, follows them and counts by them', async () => {
    const name = 'Große Körbe: über 100 €, sonst nichts';
    const other = 'Große  Körbe';
    const paths = [
      { key: other, conditions: { rules: [{ field: 'total', comparison: 'greater_than', value: 1_000 }] } },
      { key: name, conditions: { rules: [{ field: 'total', comparison: 'greater_than', value: 1 }] } },
    ];
    const flow = await activeFlow(
      shop,
      [step('choose', 'branch', { paths }), step('tag', 'add_tag', { tag: 'large' })],
      {
        trigger_type: 'order_placed',
        connections: [
          { from: 'trigger', to: 'choose' },
          { from: 'choose', to: 'tag', branch: name },
        ],
      },
    );
    expect(flow.steps[0].config.paths.map(({ key }: { key: string }) => key)).toEqual([other, name]);
    await track(shop, 'branches@example.com');
    await work(server);
    expect((await shop.marketing('GET', '/contacts?tag=large')).body.contacts).toHaveLength(1);
    const { steps } = (await shop.marketing('GET', `/flows/${flow.flow_id}/stats`)).body;
    const [choose] = steps.filter(({ step_id }: { step_id: string }) => step_id === 'choose');
    expect(choose.branches).toEqual([{ branch: name, passed: 1 }]);
    await shop.marketing('POST', `/flows/archive/${flow.flow_id}`);
  });

  it.each(['', ' vip', 'vip ', 'a\nb', 'x'.repeat(65)])('refuses %j as the name of a branch', async (key) => {
    const sent = newFlow({ steps: [step('a', 'split', { variants: [{ key, weight: 1 }] })] });
    const { status, body } = await shop.marketing('POST', '/flows', sent);
    expect([status, body.details[0].field]).toEqual([400, 'steps.0.config.variants.0.key']);
  });

  it.each([
    [{ name: undefined }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ trigger_type: undefined }, 'trigger_type'],
    [{ trigger_type: 'never_heard_of' }, 'trigger_type'],
    [{ status: 'archived' }, 'status'],
    [
      { trigger_conditions: { rules: [{ field: 'a', comparison: 'x', value: 1 }] } },
      'trigger_conditions.rules.0.comparison',
    ],
    [{ steps: [{ step_id: 'a', type: 'fly' }] }, 'steps.0.type'],
    [{ steps: [{ step_id: 'a b', type: 'exit' }] }, 'steps.0.step_id'],
    [{ steps: [step('a', 'delay', { value: 'x', unit: 'days' })] }, 'steps.0.config.value'],
    [{ reentry: { mode: 'sometimes' } }, 'reentry.mode'],
    [{ quiet_hours: { start: '9', end: '10:00' } }, 'quiet_hours.start'],
    [{ status: 'active', steps: [step('a', 'send_sms')] }, 'steps.0.config.content'],
    [{ status: 'active', ...tagging, connections: [] }, 'steps.0'],
    [{ status: 'active', ...tagging, exit_on: [{ event_type: 'nope' }] }, 'exit_on.0.event_type'],
  ])('refuses %j and names the field', async (more, field) => {
    const { status, body } = await shop.marketing('POST', '/flows', newFlow(more));
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'bad_request' });
    expect(body.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });

  it('refuses to activate e-mails with an SMS template or without a subject', async () => {
    const template = async (fields: object) =>
      (await shop.marketing('POST', '/templates', { name: 'T', content: 'Hi', ...fields })).body.template_id;
    const [text, bare] = [await template({ channel: 'sms' }), await template({ subject: null })];
    const whole = await template({ subject: 'Hi' });
    const active = async (config: Record<string, unknown>) => {
      const steps = [step('mail', 'send_email', config)];
      const connections = [{ from: 'trigger', to: 'mail' }];
      const { status, body } = await shop.marketing(
        'POST',
        '/flows',
        newFlow({ steps, connections, status: 'active' }),
      );
      return status === 201 ? 201 : body.details.map(({ field }: { field: string }) => field);
    };
    expect(await active({ template_id: text, subject: 'Hi' })).toEqual(['steps.0.config.template_id']);
    expect(await active({ template_id: bare })).toEqual(['steps.0.config.subject']);
    expect(await active({ template_id: bare, subject: 'Hi' })).toBe(201);
    expect(await active({ template_id: whole })).toBe(201);
  });

  it('refuses to activate unknown lists, templates and flows', async () => {
    const steps = [
      step('list', 'add_to_list', { list_id: 999 }),
      step('mail', 'send_email', { template_id: 999 }),
      step('start', 'start_flow', { flow_id: 999_999 }),
    ];
    const connections = [
      { from: 'trigger', to: 'list' },
      { from: 'list', to: 'mail' },
      { from: 'mail', to: 'start' },
    ];
    const { status, body } = await shop.marketing('POST', '/flows', newFlow({ status: 'active', steps, connections }));
    expect(status).toBe(400);
    expect(body.details.map((detail: { field: string }) => detail.field)).toEqual([
      'steps.0.config.list_id',
      'steps.1.config.template_id',
      'steps.2.config.flow_id',
    ]);
  });

  it('accepts a registered event type as trigger', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'quiz_done' });
    expect((await shop.marketing('POST', '/flows', newFlow({ trigger_type: 'quiz_done' }))).status).toBe(201);
  });

  it('replays the response for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [
      await shop.marketing('POST', '/flows', newFlow(), headers),
      await shop.marketing('POST', '/flows', newFlow(), headers),
    ];
    expect(second.body).toEqual(first.body);
    expect((await shop.marketing('GET', '/flows')).body.flows).toHaveLength(1);
  });
});

describe('GET /flows', () => {
  it('lists all flows, newest first, or a page; by status and by trigger', async () => {
    for (let i = 0; i < 25; i++) await shop.marketing('POST', '/flows', newFlow({ name: `Flow ${i}` }));
    const made = await shop.marketing('POST', '/flows', newFlow({ status: 'active', trigger_type: 'order_placed' }));
    const { warnings, ...active } = made.body;
    expect(warnings).toEqual([]);
    const all = (await shop.marketing('GET', '/flows')).body;
    expect(all.flows).toHaveLength(26);
    expect(all.flows[0].flow_id).toBe(active.flow_id);
    expect(all.pagination).toEqual({ page: 1, per_page: 1000, total: 26, total_pages: 1 });
    const page = (await shop.marketing('GET', '/flows?page=3&per_page=10')).body;
    expect(page.flows.map((flow: { name: string }) => flow.name)).toEqual([
      'Flow 5',
      'Flow 4',
      'Flow 3',
      'Flow 2',
      'Flow 1',
      'Flow 0',
    ]);
    expect(page.pagination).toEqual({ page: 3, per_page: 10, total: 26, total_pages: 3 });
    expect((await shop.marketing('GET', '/flows?status=active')).body.flows).toEqual([active]);
    expect((await shop.marketing('GET', '/flows?trigger_type=order_placed')).body.flows).toEqual([active]);
    expect((await shop.marketing('GET', '/flows?status=draft&trigger_type=order_placed')).body.flows).toEqual([]);
    expect((await shop.marketing('GET', '/flows?status=running')).status).toBe(400);
  });

  it('shows nothing of another company', async () => {
    const { body } = await shop.marketing('POST', '/flows', newFlow());
    const other = await server.company();
    expect((await other.marketing('GET', '/flows')).body.flows).toEqual([]);
    for (const [method, path] of [
      ['GET', `/flows/${body.flow_id}`],
      ['PATCH', `/flows/${body.flow_id}`],
      ['DELETE', `/flows/${body.flow_id}`],
      ['POST', `/flows/activate/${body.flow_id}`],
      ['GET', `/flows/${body.flow_id}/runs`],
    ] as const) {
      expect((await other.marketing(method, path, method === 'PATCH' ? {} : undefined)).status).toBe(404);
    }
  });
});

describe('PUT and PATCH /flows/{id}', () => {
  it('both merge; steps and connections are replaced as a whole', async () => {
    const { body: flow } = await shop.marketing(
      'POST',
      '/flows',
      newFlow({ ...tagging, goal: { event_type: 'order_placed' } }),
    );
    const path = `/flows/${flow.flow_id}`;
    server.clock.advance(60_000);
    const patched = (await shop.marketing('PATCH', path, { name: 'New name' })).body;
    expect(patched).toMatchObject({ name: 'New name', steps: tagging.steps, goal: { event_type: 'order_placed' } });
    expect(patched.updated_at).not.toBe(flow.updated_at);
    const put = (await shop.marketing('PUT', path, { steps: [], connections: [], goal: null })).body;
    expect(put).toMatchObject({ name: 'New name', steps: [], connections: [], goal: null });
    expect((await shop.marketing('PATCH', '/flows/999999', { name: 'x' })).status).toBe(404);
  });

  it('create an immutable version of an active flow each; a repetition creates none', async () => {
    const flow = await activeFlow(shop, tagging.steps);
    const path = `/flows/${flow.flow_id}`;
    expect((await shop.marketing('PATCH', path, { name: 'Second' })).body.version).toBe(2);
    expect((await shop.marketing('PATCH', path, { name: 'Second' })).body.version).toBe(2);
    expect((await shop.marketing('PATCH', path, { steps: [], connections: [] })).body.version).toBe(3);
    const { versions } = (await shop.marketing('GET', `/flows/${flow.flow_id}/versions`)).body;
    expect(
      versions.map((v: { version: number; name: string; steps: unknown[] }) => [v.version, v.name, v.steps.length]),
    ).toEqual([
      [3, 'Second', 0],
      [2, 'Second', 1],
      [1, 'Test flow', 1],
    ]);
    await expect(server.rows('update flow_versions set name = $1', ['x'])).rejects.toThrow('append-only');
  });

  it('of an active flow are refused where the result would be invalid, and change nothing', async () => {
    const { warnings, ...flow } = await activeFlow(shop, tagging.steps);
    expect(warnings).toEqual([]);
    const refused = await shop.marketing('PATCH', `/flows/${flow.flow_id}`, { connections: [] });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'steps.0' }] } });
    expect((await shop.marketing('GET', `/flows/${flow.flow_id}`)).body).toEqual(flow);
  });

  it('may change the status as the actions do', async () => {
    const flow = await activeFlow(shop, tagging.steps);
    const path = `/flows/${flow.flow_id}`;
    expect((await shop.marketing('PATCH', path, { status: 'paused' })).body.status).toBe('paused');
    expect((await shop.marketing('PUT', path, { status: 'active', name: 'On again' })).body).toMatchObject({
      status: 'active',
      version: 2,
    });
    expect((await shop.marketing('PATCH', path, { status: 'draft' })).status).toBe(400);
  });
});

describe('statuses', () => {
  const actions: Record<string, FlowStatus> = { activate: 'active', pause: 'paused', archive: 'archived' };
  const allowed: Record<FlowStatus, FlowStatus[]> = {
    draft: ['active', 'archived'],
    active: ['active', 'paused', 'archived'],
    paused: ['paused', 'active', 'archived'],
    archived: ['archived', 'paused'],
  };

  async function flowIn(status: FlowStatus): Promise<number> {
    const { body } = await shop.marketing(
      'POST',
      '/flows',
      newFlow({ status: status === 'paused' ? 'active' : 'draft' }),
    );
    if (status === 'paused') await shop.marketing('POST', `/flows/pause/${body.flow_id}`);
    if (status === 'active') await shop.marketing('POST', `/flows/activate/${body.flow_id}`);
    if (status === 'archived') await shop.marketing('POST', `/flows/archive/${body.flow_id}`);
    return body.flow_id;
  }

  it.each(FLOW_STATUSES.flatMap((from) => Object.entries(actions).map(([action, to]) => [from, action, to] as const)))(
    'a flow that is %s takes the action %s',
    async (from, action, to) => {
      const id = await flowIn(from);
      const { status, body } = await shop.marketing('POST', `/flows/${action}/${id}`);
      expect(status).toBe(allowed[from].includes(to) ? 200 : 400);
      if (status === 200) expect(body.status).toBe(to);
      const now = (await shop.marketing('GET', `/flows/${id}`)).body.status;
      expect(now).toBe(status === 200 ? to : from);
    },
  );

  it('an invalid draft is not activated', async () => {
    const { body } = await shop.marketing('POST', '/flows', newFlow({ steps: [step('sms', 'send_sms')] }));
    const refused = await shop.marketing('POST', `/flows/activate/${body.flow_id}`);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'steps.0.config.content' }] } });
  });
});

describe('DELETE /flows/{id}', () => {
  it('deletes the flow, and ends its runs', async () => {
    const flow = await activeFlow(shop, [step('wait', 'delay', { value: 1, unit: 'days' })]);
    await track(shop, 'ada@example.com');
    await work(server);
    const run = await runOf(shop, flow.flow_id);
    expect(await shop.marketing('DELETE', `/flows/${flow.flow_id}`)).toMatchObject({
      status: 200,
      body: { flow_id: flow.flow_id, deleted: true },
    });
    expect((await shop.marketing('GET', `/flows/${flow.flow_id}`)).status).toBe(404);
    expect((await shop.marketing('DELETE', `/flows/${flow.flow_id}`)).status).toBe(404);
    expect((await shop.marketing('GET', '/flows')).body.flows).toEqual([]);
    expect((await shop.marketing('GET', `/flows/runs/${run.run_id}`)).body.status).toBe('exited');
    expect((await track(shop, 'bob@example.com')).flows_triggered).toEqual([]);
  });
});

describe('copies', () => {
  it('POST /flows/duplicate/{id} creates an equal draft', async () => {
    const flow = await activeFlow(shop, tagging.steps, { exit_on: [{ event_type: 'order_completed' }] });
    const { status, body } = await shop.marketing('POST', `/flows/duplicate/${flow.flow_id}`);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Copy of Test flow',
      status: 'draft',
      version: 0,
      steps: flow.steps,
      exit_on: flow.exit_on,
    });
  });

  it('every flow of GET /flows/library can be created and activated', async () => {
    const { library } = (await shop.marketing('GET', '/flows/library')).body;
    expect(library).toHaveLength(LIBRARY.length);
    for (const { library_name } of library) {
      const made = await shop.marketing('POST', `/flows/from-library/${library_name}`);
      expect(made).toMatchObject({ status: 201, body: { status: 'draft' } });
      const active = await shop.marketing('POST', `/flows/activate/${made.body.flow_id}`);
      expect(active).toMatchObject({ status: 200, body: { status: 'active' } });
    }
    const named = await shop.marketing('POST', '/flows/from-library/welcome', { name: 'Hello' });
    expect(named.body.name).toBe('Hello');
    expect((await shop.marketing('POST', '/flows/from-library/nothing')).status).toBe(404);
  });
});

describe('POST /flows/test/{id}', () => {
  it('returns the path with its times, also of drafts, and has no effect', async () => {
    const steps = [
      step('ways', 'branch', {
        paths: [
          { key: 'big', conditions: { rules: [{ field: 'cart_total', comparison: 'greater_than', value: 50 }] } },
        ],
      }),
      step('hook', 'webhook', { url: 'https://example.com' }),
      step('wait', 'wait_for_event', { event_type: 'order_placed', timeout: { value: 1, unit: 'days' } }),
      step('tag', 'add_tag', { tag: 'buyer' }),
      step('mail', 'send_email', { subject: 'Hi', content: 'Hi' }),
    ];
    const connections = [
      { from: 'trigger', to: 'ways' },
      { from: 'ways', branch: 'big', to: 'hook' },
      { from: 'hook', branch: 'failed', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'tag' },
      { from: 'wait', branch: 'timeout', to: 'mail' },
    ];
    const { body: flow } = await shop.marketing(
      'POST',
      '/flows',
      newFlow({ steps, connections, trigger_conditions: { rules: [{ field: 'cart_total', comparison: 'exists' }] } }),
    );
    const test = async (input: Record<string, unknown>) =>
      (await shop.marketing('POST', `/flows/test/${flow.flow_id}`, input)).body;
    const bought = await test({
      event_data: { cart_total: 80 },
      webhooks: { hook: 'failed' },
      events: [{ event_type: 'order_placed', after_minutes: 90 }],
    });
    expect(bought).toMatchObject({ enters: true, status: 'completed' });
    expect(
      bought.path.map((line: { at: string; step_id: string; result: string }) => [line.at, line.step_id, line.result]),
    ).toEqual([
      ['2026-03-15 12:00:00', 'ways', 'big'],
      ['2026-03-15 12:00:00', 'hook', 'waiting'],
      ['2026-03-15 12:00:00', 'hook', 'failed'],
      ['2026-03-15 12:00:00', 'wait', 'waiting'],
      ['2026-03-15 13:30:00', 'wait', 'received'],
      ['2026-03-15 13:30:00', 'tag', 'default'],
    ]);
    const late = await test({ event_data: { cart_total: 80 }, webhooks: { hook: 'failed' } });
    expect(late.effects.at(-1)).toMatchObject({
      kind: 'message',
      at: '2026-03-16 12:00:00',
      detail: { step_id: 'mail' },
    });
    expect(await test({ event_data: { cart_total: 10 } })).toMatchObject({
      enters: true,
      path: [{ step_id: 'ways', result: 'else' }],
    });
    expect(await test({ event_data: {} })).toMatchObject({ enters: false, path: [], status: 'not_entered' });
    await work(server);
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toEqual([]);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 0 });
  });

  it('uses a contact by its id, with the given fields over it', async () => {
    const vip = { rules: [{ field: 'contact.tags', comparison: 'contains', value: 'vip' }] };
    const steps = [step('ways', 'branch', { paths: [{ key: 'vip', conditions: vip }] })];
    const { body: flow } = await shop.marketing(
      'POST',
      '/flows',
      newFlow({ steps, connections: [{ from: 'trigger', to: 'ways' }] }),
    );
    const { body: contact } = await shop.marketing('POST', '/contacts', { email: 'v@example.com', tags: ['vip'] });
    const result = async (input: Record<string, unknown>) => {
      const { status, body } = await shop.marketing('POST', `/flows/test/${flow.flow_id}`, input);
      return status === 200 ? body.path[0].result : status;
    };
    expect(await result({ contact_id: contact.contact_id })).toBe('vip');
    expect(await result({ contact_id: contact.contact_id, contact: { tags: [] } })).toBe('else');
    expect(await result({ contact: { tags: ['vip'] } })).toBe('vip');
    expect(await result({})).toBe('else');
    expect(await result({ contact_id: 999_999 })).toBe(400);
  });

  describe('simulates its own changes of lists', () => {
    const member = (list_id: number) => ({
      paths: [
        { key: 'member', conditions: { rules: [{ field: 'contact.list_ids', comparison: 'equals', value: list_id }] } },
      ],
    });
    const listOf = async (more = {}) =>
      (await shop.marketing('POST', '/lists', { name: 'News', ...more })).body.list_id as number;
    const walked = async (steps: ReturnType<typeof step>[], input: Record<string, unknown> = {}) => {
      const connections = steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? 'trigger', to: step_id }));
      const { body: flow } = await shop.marketing('POST', '/flows', newFlow({ steps, connections }));
      const { status, body } = await shop.marketing('POST', `/flows/test/${flow.flow_id}`, input);
      expect(status).toBe(200);
      return {
        ...body,
        path: body.path.map((line: { step_id: string; result: string }) => `${line.step_id}:${line.result}`),
      };
    };

    it('a contact that was added, removed, or has yet to confirm', async () => {
      const list = await listOf();
      const asks = await listOf({ double_opt_in: true });
      const join = step('join', 'add_to_list', { list_id: list });
      const check = step('check', 'branch', member(list));
      expect((await walked([join, check])).path).toEqual(['join:default', 'check:member']);
      const leave = step('leave', 'remove_from_list', { list_id: list });
      expect((await walked([join, leave, check])).path.at(-1)).toBe('check:else');
      const pending = [step('join', 'add_to_list', { list_id: asks }), step('check', 'branch', member(asks))];
      expect((await walked(pending)).path.at(-1)).toBe('check:else');
      const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'm@example.com', list_ids: [list] }))
        .body;
      expect((await walked([leave, check], { contact_id })).path.at(-1)).toBe('check:else');
      expect((await walked([check], { contact_id })).path).toEqual(['check:member']);
    });

    it('a deleted list or flow fails it at its step, and an inactive flow is skipped, as in a real run', async () => {
      const list = await listOf();
      await shop.marketing('DELETE', `/lists/${list}`);
      const tag = step('tag', 'add_tag', { tag: 'x' });
      const lost = await walked([tag, step('join', 'add_to_list', { list_id: list })]);
      expect(lost).toMatchObject({ status: 'failed', reason: `There is no list ${list}` });
      expect(lost.path).toEqual(['tag:default', 'join:failed']);
      expect(lost.effects).toHaveLength(1);
      const { body: draft } = await shop.marketing('POST', '/flows', newFlow());
      const go = step('go', 'start_flow', { flow_id: draft.flow_id });
      expect((await walked([go, tag])).path).toEqual(['go:skipped', 'tag:default']);
      await shop.marketing('DELETE', `/flows/${draft.flow_id}`);
      expect((await walked([go, tag])).path).toEqual(['go:failed']);
    });
  });
});
