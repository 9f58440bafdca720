import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { step } from './definition/testing-graphs.ts';
import { activeFlow, expectSound, later, pathOf, runOf, runsOf, track, work } from './testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const HOUR = 3_600_000;
const BOUGHT_TEA = {
  field: 'contact.events.order_placed.count',
  comparison: 'greater_than',
  value: 0,
  within_days: 90,
  where: { rules: [{ field: 'items.category', comparison: 'equals', value: 'tea' }] },
};
const path = (key: string, ...rules: object[]) => ({ key, conditions: { operator: 'and', rules } });
const tag = (name: string) => step(name, 'add_tag', { tag: name });
const CHOICE = step('choose', 'branch', {
  paths: [
    path('tea', BOUGHT_TEA),
    path('twice', { field: 'contact.purchases.count', comparison: 'equals', value: 2 }),
    path('cold', { field: 'contact.messages.opened.days_since_last', comparison: 'not_exists' }),
  ],
});
const WAYS = [
  { from: 'trigger', to: 'wait' },
  { from: 'wait', to: 'choose' },
  ...['tea', 'twice', 'cold'].map((key) => ({ from: 'choose', to: key, branch: key })),
];
const STEPS = [step('wait', 'delay', { value: 1, unit: 'hours' }), CHOICE, tag('tea'), tag('twice'), tag('cold')];

async function order(email: string, category: string): Promise<void> {
  await track(shop, email, 'order_placed', { items: [{ category }] });
}

describe('branches by the histories of contacts', () => {
  it('select as segments do, each contact by its own history', async () => {
    for (let i = 0; i < 6; i++) {
      if (i % 2 === 0) await order(`p${i}@example.com`, 'coffee');
      await order(`p${i}@example.com`, i % 3 === 0 ? 'tea' : 'coffee');
    }
    const flow = await activeFlow(shop, STEPS, { trigger_type: 'product_viewed', connections: WAYS });
    for (let i = 0; i < 6; i++) await track(shop, `p${i}@example.com`, 'product_viewed');
    await work(server);
    await later(server, HOUR);
    const paths = (await runsOf(shop, flow.flow_id)).map((run) => pathOf(run).at(-1));
    expect(paths).toEqual([
      'tea:default',
      'cold:default',
      'twice:default',
      'tea:default',
      'twice:default',
      'cold:default',
    ]);
    const conditions = { rules: [{ ...BOUGHT_TEA, field: 'events.order_placed.count' }] };
    expect((await shop.marketing('POST', '/segments/preview', { conditions })).body.count).toBe(2);
  });

  it('query the database once for a set of runs of any size', async () => {
    // A single company uses both of the worker's lanes, and two sets claimed at once share its due runs.
    const LANES = 2;
    await activeFlow(shop, STEPS, { trigger_type: 'product_viewed', connections: WAYS });
    const statements = async (contacts: number): Promise<number> => {
      const events = Array.from({ length: contacts }, (_, i) => ({
        event_type: 'product_viewed',
        event_data: { email: `q${contacts}-${i}@example.com`, product_id: '1', product_name: 'Tea' },
      }));
      await shop.marketing('POST', '/events/batch', { events });
      await work(server);
      server.clock.advance(HOUR);
      return (await recordStatements(() => work(server))).filter(({ text }) => text.includes('as rule, contact_id'))
        .length;
    };
    expect(await statements(1)).toBe(1);
    expect(await statements(60)).toBeLessThanOrEqual(LANES);
  });

  it('see what the contact did while the run waited, and no events of others', async () => {
    const flow = await activeFlow(shop, STEPS, { trigger_type: 'cart_abandoned', connections: WAYS });
    await order('ada@example.com', 'coffee');
    await track(shop, 'ada@example.com', 'cart_abandoned');
    await work(server);
    await order('ada@example.com', 'tea');
    await order('bea@example.com', 'tea');
    await later(server, HOUR);
    expect(pathOf(await runOf(shop, flow.flow_id)).at(-1)).toBe('tea:default');
  });

  it('are simulated by a test of the flow with the contact’s present history', async () => {
    const flow = await activeFlow(shop, STEPS, { trigger_type: 'cart_abandoned', connections: WAYS });
    await order('ada@example.com', 'tea');
    const [contact] = (await shop.marketing('GET', '/contacts?search=ada')).body.contacts;
    const walked = async (body: object): Promise<string[]> =>
      (await shop.marketing('POST', `/flows/test/${flow.flow_id}`, body)).body.path.map(
        (entry: { step_id: string; result: string }) => `${entry.step_id}:${entry.result}`,
      );
    expect(await walked({ contact_id: contact.contact_id })).toContain('choose:tea');
    expect(await walked({ contact: { email: 'nobody@example.com' } })).toContain('choose:cold');
  });
});

describe('other conditions by the histories of contacts', () => {
  it('start a flow with the first order only, which counts itself', async () => {
    const first = { field: 'contact.purchases.count', comparison: 'equals', value: 1 };
    const flow = await activeFlow(shop, [tag('new')], { trigger_conditions: { rules: [first] } });
    const { body } = await shop.marketing('POST', '/events/batch', {
      events: ['ada', 'ada', 'bea'].map((name, i) => ({
        event_type: 'order_placed',
        event_data: { email: `${name}@example.com`, order_id: `b${i}`, total: 1 },
      })),
    });
    expect(body.accepted).toBe(3);
    // Ada's two orders were in the same request.
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(1);
    await order('bea@example.com', 'tea');
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(1);
  });

  it('apply to a step that waits for an event', async () => {
    const third = { rules: [{ field: 'contact.purchases.count', comparison: 'greater_than_or_equal', value: 3 }] };
    const waits = step('wait', 'wait_for_event', {
      event_type: 'order_placed',
      conditions: third,
      timeout: { value: 9, unit: 'days' },
    });
    const flow = await activeFlow(shop, [waits], { reentry: { mode: 'once', concurrent: false } });
    await order('ada@example.com', 'tea');
    await work(server);
    await order('ada@example.com', 'tea');
    await work(server);
    expect((await runOf(shop, flow.flow_id)).status).toBe('active');
    await order('ada@example.com', 'tea');
    await work(server);
    expect(pathOf(await runOf(shop, flow.flow_id))).toContain('wait:received');
  });
});

describe('a flow with too many history rules', () => {
  const create = async (...rules: object[]) => {
    const steps = [step('choose', 'branch', { paths: [path('a', ...rules)] })];
    const { status, body } = await shop.marketing('POST', '/flows', {
      name: 'x',
      trigger_type: 'order_placed',
      status: 'active',
      steps,
      connections: [{ from: 'trigger', to: 'choose' }],
    });
    return { status, messages: (body.details ?? []).map((one: { message: string }) => one.message) };
  };
  const count = (value: number) => ({ field: 'contact.purchases.count', comparison: 'equals', value });

  it('is refused, as is one with unknown event types', async () => {
    const more = Array.from({ length: 3 }, (_, p) =>
      path(`p${p}`, ...Array.from({ length: 17 }, (_, i) => count(p * 17 + i))),
    );
    const steps = [step('choose', 'branch', { paths: more })];
    const { status, body } = await shop.marketing('POST', '/flows', { name: 'x', trigger_type: 'order_placed', steps });
    expect({ status, message: body.message }).toMatchObject({ status: 400 });
    expect(body.message).toContain('more than 50 different rules');
    expect(await create({ field: 'contact.events.nothing.count', comparison: 'equals', value: 1 })).toEqual({
      status: 400,
      messages: ['steps.0.config.paths.0.conditions.rules.0.field refers to an unknown event type: nothing'],
    });
    expect((await create(count(1), count(1))).status).toBe(201);
  });
});
