import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { freshWorker } from '../../../testing/fresh-worker.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import { flowInvariants } from '../invariants.ts';
import { activeFlow, expectSound, later, runOf, runsOf, track, work, workerWith } from '../testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const EMAIL = 'ada@example.com';
const wait = step('wait', 'delay', { value: 1, unit: 'hours' });
const tag = step('tag', 'add_tag', { tag: 'walked' });
const isSound = async () =>
  (await checkInvariants(server.app.db, flowInvariants)).find(({ id }) => id === 'flows.tries')!.ok;

describe('a task that fails', () => {
  it('is postponed by itself, longer each time, while runs and other tasks continue; then it succeeds', async () => {
    const flow = await activeFlow(shop, [wait, tag]);
    await track(shop, EMAIL);
    await work(server);
    await shop.marketing('POST', `/flows/pause/${flow.flow_id}`);
    await track(shop, 'missed@example.com');
    await shop.marketing('POST', `/flows/activate/${flow.flow_id}`);
    const tasks = () =>
      server.rows<{ kind: string }>('select kind from flow_tasks where company_id = $1', [shop.company_id]);
    await server.rows(
      `insert into flow_tasks (company_id, flow_id, kind, created_at)
       select $1, $2, unnest('{enroll,migrate}'::text[]), $3`,
      [shop.company_id, flow.flow_id, server.clock.now()],
    );
    let asked = 0;
    const broken = workerWith(server, {
      enrolment: {
        ...server.app.flows.enrolment,
        flowsIn: () => {
          asked++;
          return Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }));
        },
      },
    });
    server.clock.advance(HOUR);
    while ((await broken.runOnce()) > 0);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'completed' });
    expect([await tasks(), asked]).toEqual([[{ kind: 'enroll' }], 1]);
    for (const seconds of [5, 10, 20, 40]) {
      server.clock.advance(seconds * SECOND - 1);
      expect(await broken.runOnce()).toBe(0);
      server.clock.advance(1);
      while ((await broken.runOnce()) > 0);
    }
    expect([await isSound(), asked]).toEqual([false, 5]);
    await later(server, 80 * SECOND);
    expect(await tasks()).toEqual([]);
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(2);
  });
});

describe('an event of a flow that cannot be stored at present', () => {
  it('is postponed, not lost; events behind it and runs continue', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'noted' });
    const flow = await activeFlow(shop, [step('tell', 'track_event', { event_type: 'noted' }), wait, tag]);
    for (const email of [EMAIL, 'b@example.com']) await track(shop, email);
    const { contact_id: held } = (await runsOf(shop, flow.flow_id))[0];
    const broken = workerWith(server, {
      storeEvents: async (tx, companyId, events, now) => {
        if (events.some(({ contactId }) => contactId === held)) throw new Error('lock timeout');
        return server.app.events.storeEvents(tx, companyId, events, now);
      },
    });
    const noted = async () => (await shop.marketing('GET', '/events?event_type=noted')).body.events.length;
    while ((await broken.runOnce()) > 0);
    expect(await noted()).toBe(1);
    expect((await runsOf(shop, flow.flow_id)).map(({ step_id }) => step_id)).toEqual(['wait', 'wait']);
    await work(server);
    expect(await noted()).toBe(1);
    await later(server, 5 * SECOND);
    expect(await noted()).toBe(2);
  });
});

describe('work postponed while the clock was ahead', () => {
  it('is retried once the clock is right; the delay of a run remains', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'noted' });
    const flow = await activeFlow(shop, [step('tell', 'track_event', { event_type: 'noted' }), wait, tag]);
    await track(shop, EMAIL);
    server.clock.set('2026-03-23T12:00:00Z');
    const broken = workerWith(server, { storeEvents: () => Promise.reject(new Error('lock timeout')) });
    while ((await broken.runOnce()) > 0);
    await server.rows(
      "insert into flow_tasks (company_id, flow_id, kind, created_at, attempts, due_at) values ($1, $2, 'enroll', $3, 1, $3)",
      [shop.company_id, flow.flow_id, server.clock.now()],
    );
    const { due_at: waitsUntil } = await runOf(shop, flow.flow_id);
    server.clock.set('2026-03-15T12:00:00Z');
    const open = async () => {
      await work(server);
      const tasks = await server.rows('select 1 from flow_tasks where company_id = $1', [shop.company_id]);
      const { events } = (await shop.marketing('GET', '/events?event_type=noted')).body;
      return { tasks: tasks.length, noted: events.length };
    };
    expect(await open()).toEqual({ tasks: 1, noted: 0 });
    await freshWorker(server.app, 'chores').runOnce();
    expect(await open()).toEqual({ tasks: 0, noted: 1 });
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'active', due_at: waitsUntil });
  });
});
