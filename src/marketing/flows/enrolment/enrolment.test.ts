import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import {
  activeFlow,
  expectSound,
  later,
  numbersOf,
  runOf,
  runsOf,
  storing as storingOf,
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

const HOUR = 3_600_000;
const EMAIL = 'ada@example.com';
const waiting = step('pause', 'delay', { value: 1, unit: 'hours' });

const storing = (eventType: string, data: Record<string, unknown>) => storingOf(server, shop, EMAIL, eventType, data);
const settled = (ms = 150): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('an event', () => {
  it('starts every active flow of its type and company, and no other', async () => {
    const first = await activeFlow(shop, []);
    const second = await activeFlow(shop, []);
    await activeFlow(shop, [], { trigger_type: 'order_completed' });
    await shop.marketing('POST', '/flows', { name: 'Draft', trigger_type: 'order_placed' });
    const other = await server.company();
    await activeFlow(other, []);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([first.flow_id, second.flow_id]);
  });

  it('starts a flow from the response of its activation on, and not once it is paused', async () => {
    const flow = await activeFlow(shop, []);
    for (let i = 0; i < 5; i++) {
      await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
      expect((await track(shop, EMAIL)).flows_triggered).toEqual([]);
      await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
      expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
      await work(server);
    }
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 5, missed: 5 });
  });

  it('that is a duplicate, or more than a day old, starts nothing', async () => {
    const flow = await activeFlow(shop, []);
    const event = { event_type: 'order_placed', event_data: { email: EMAIL, order_id: '1', total: 1 } };
    expect((await shop.marketing('POST', '/events', event)).body.flows_triggered).toEqual([flow.flow_id]);
    expect((await shop.marketing('POST', '/events', event)).body).toMatchObject({
      duplicate: true,
      flows_triggered: [],
    });
    const old = { ...event, event_data: { ...event.event_data, order_id: '2' }, occurred_at: '2026-03-14 11:00:00' };
    expect((await shop.marketing('POST', '/events', old)).body.flows_triggered).toEqual([]);
  });

  it('whose transaction is rolled back leaves no run', async () => {
    const flow = await activeFlow(shop, []);
    const { company_id } = shop;
    const event = {
      eventType: 'order_placed',
      data: { email: EMAIL, order_id: '1', total: 1 },
      source: 'api' as const,
    };
    await expect(
      server.app.db.tenantTx(company_id, async (tx) => {
        await server.app.events.storeEvents(tx, company_id, [event], server.clock.now());
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await runsOf(shop, flow.flow_id)).toEqual([]);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 0 });
  });
});

describe('re-entry', () => {
  const entries = async (flowId: number): Promise<number> => (await numbersOf(shop, flowId)).entered;

  it('always: again after the run has ended, never two runs at once', async () => {
    const flow = await activeFlow(shop, [waiting]);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([]);
    await work(server);
    await later(server, HOUR);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
    expect(await entries(flow.flow_id)).toBe(2);
  });

  it('concurrent: one run for each event', async () => {
    const flow = await activeFlow(shop, [waiting], { reentry: { mode: 'always', concurrent: true } });
    for (let i = 0; i < 3; i++) expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
    expect(await entries(flow.flow_id)).toBe(3);
  });

  it('once: never again, also where the contact was in the flow before the limit was set', async () => {
    const flow = await activeFlow(shop, []);
    await track(shop, 'early@example.com');
    await work(server);
    await shop.marketing('PATCH', `/flows/${flow.flow_id}`, { reentry: { mode: 'once' } });
    expect((await track(shop, 'early@example.com')).flows_triggered).toEqual([]);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
    await later(server, 365 * 24 * HOUR);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([]);
  });

  it('cooldown: again so many hours after the last entry, unaffected by an attempt in between', async () => {
    const flow = await activeFlow(shop, [], { reentry: { mode: 'cooldown', hours: 5 } });
    const enters = async (): Promise<boolean> => (await track(shop, EMAIL)).flows_triggered.length === 1;
    expect(await enters()).toBe(true);
    await later(server, 3 * HOUR);
    expect(await enters()).toBe(false);
    await later(server, 2 * HOUR - 1);
    expect(await enters()).toBe(false);
    await later(server, 1);
    expect(await enters()).toBe(true);
    expect(await entries(flow.flow_id)).toBe(2);
  });

  it('cooldown: a longer run keeps the contact out without using up the entry', async () => {
    const long = step('wait', 'delay', { value: 10, unit: 'hours' });
    const flow = await activeFlow(shop, [long], { reentry: { mode: 'cooldown', hours: 5 } });
    await track(shop, EMAIL);
    await work(server);
    await later(server, 9 * HOUR);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([]);
    await later(server, HOUR);
    expect((await track(shop, EMAIL)).flows_triggered).toEqual([flow.flow_id]);
  });

  it.each([
    [{ mode: 'always' }, 1],
    [{ mode: 'once' }, 1],
    [{ mode: 'cooldown', hours: 1 }, 1],
    [{ mode: 'once', concurrent: true }, 1],
    [{ mode: 'cooldown', hours: 1, concurrent: true }, 1],
    [{ mode: 'always', concurrent: true }, 24],
  ])('%j holds where events of one contact are stored at the same time', async (reentry, expected) => {
    const flow = await activeFlow(shop, [waiting], { reentry });
    await shop.marketing('POST', '/contacts', { email: EMAIL });
    const { company_id } = shop;
    const started = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        server.app.db.tenantTx(company_id, async (tx) => {
          const events = [0, 1, 2].map((n) => {
            return {
              eventType: 'order_placed',
              data: { email: EMAIL, order_id: `${i}-${n}`, total: 1 },
              source: 'api' as const,
            };
          });
          const outcomes = await server.app.events.storeEvents(tx, company_id, events, server.clock.now());
          return outcomes.flatMap((outcome) => (outcome.ok ? outcome.value.flows_triggered : []));
        }),
      ),
    );
    expect(started.flat()).toHaveLength(expected);
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(expected);
    expect(await entries(flow.flow_id)).toBe(expected);
  });
});

describe('no event is lost to a run that waits for it', () => {
  const waitFor = (more: Record<string, unknown> = {}) => [
    step('wait', 'wait_for_event', { event_type: 'order_completed', timeout: { value: 1, unit: 'days' }, ...more }),
  ];

  it('that is stored while the run enters the wait, whichever commits last', async () => {
    const flow = await activeFlow(shop, waitFor());
    await track(shop, EMAIL);
    server.clock.advance(1);
    const commit = await storing('order_completed', { order_id: '1' });
    const working = work(server);
    await settled();
    await commit();
    await working;
    await work(server);
    // The event was received before the run came to this step, so it counts only for waits since the flow's entry.
    expect((await runOf(shop, flow.flow_id)).log.at(-1)).toMatchObject({ result: 'waiting' });
    await track(shop, EMAIL, 'order_completed');
    await work(server);
    expect((await runOf(shop, flow.flow_id)).log.at(-1)).toMatchObject({ result: 'received' });
  });

  it('since flow_entry: events stored before the wait, and at the same time, both count', async () => {
    const flow = await activeFlow(shop, [waiting, ...waitFor({ since: 'flow_entry' })]);
    await track(shop, EMAIL);
    await work(server);
    await track(shop, EMAIL, 'order_completed');
    await later(server, HOUR);
    expect((await runOf(shop, flow.flow_id)).log.at(-1)).toMatchObject({ step_id: 'wait', result: 'received' });

    await track(shop, EMAIL);
    await work(server);
    server.clock.advance(HOUR);
    const commit = await storing('order_completed', { order_id: '2' });
    const working = work(server);
    await settled();
    await commit();
    await working;
    await work(server);
    expect((await runsOf(shop, flow.flow_id))[1].log.at(-1)).toMatchObject({ step_id: 'wait', result: 'received' });
  });

  it('of exit_on, stored at the same time as the event that started the run', async () => {
    const flow = await activeFlow(shop, [step('sms', 'send_sms', { content: 'Hi' })], {
      trigger_type: 'cart_abandoned',
      exit_on: [{ event_type: 'order_placed' }],
    });
    await shop.marketing('POST', '/contacts', { email: EMAIL });
    // Neither transaction sees the other: the cart's run is not committed when the order looks for runs.
    const commitCart = await storing('cart_abandoned', { cart_total: 1, items: [] });
    const commitOrder = await storing('order_placed', { order_id: '1', total: 1 });
    await Promise.all([commitCart(), commitOrder()]);
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'exited', reason: 'exit_on:order_placed' });
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toEqual([]);
  });

  it('of exit_on, still being stored while the run takes its first steps', async () => {
    const flow = await activeFlow(shop, [waiting], {
      trigger_type: 'cart_abandoned',
      exit_on: [{ event_type: 'order_placed' }],
    });
    await shop.marketing('POST', '/contacts', { email: EMAIL });
    const commitCart = await storing('cart_abandoned', { cart_total: 1, items: [] });
    const commitOrder = await storing('order_placed', { order_id: '1', total: 1 });
    await commitCart();
    const working = work(server);
    await settled();
    await commitOrder();
    await working;
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'exited', reason: 'exit_on:order_placed' });
  });

  it('under load: every run receives its event, in whatever order', async () => {
    const flow = await activeFlow(shop, waitFor({ since: 'flow_entry' }));
    const emails = Array.from({ length: 120 }, (_, i) => `p${i}@example.com`);
    const worker = server.app.workers.find(({ name }) => name === 'flows')!;
    let storingEvents = true;
    const walking = (async () => {
      while (storingEvents) await worker.runOnce();
    })();
    await Promise.all(
      emails.map(async (email, i) => {
        await track(shop, email);
        await settled(i % 7);
        server.clock.advance(1);
        await track(shop, email, 'order_completed');
      }),
    );
    storingEvents = false;
    await walking;
    await work(server);
    const { completed, active } = await numbersOf(shop, flow.flow_id);
    expect({ completed, active }).toEqual({ completed: emails.length, active: 0 });
    expect(await numbersOf(shop, flow.flow_id, 'wait')).toMatchObject({ entered: 120, passed: 120, waiting: 0 });
    expect(await server.rows('select 1 from flow_signals')).toEqual([]);
  });
});
