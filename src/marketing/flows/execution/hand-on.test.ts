import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError } from '../../../errors.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import {
  activeFlow,
  contactOf,
  expectSound,
  numbersOf,
  runOf,
  runsOf,
  track,
  work,
  workerWith,
} from '../testing/flows.ts';
import { takeDomainEvents } from './queries.ts';

/** What runs pass to other flows: starts and events. A start or event that is rejected is logged in the run that caused it. */

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const EMAIL = 'ada@example.com';
const tag = (name: string) => step(name, 'add_tag', { tag: name });
const action = (name: string, id: number) => shop.marketing('POST', `/flows/${name}/${id}`);

describe('the number of flows that led to an event', () => {
  const chainOf = async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'ping' });
    return activeFlow(shop, [step('again', 'track_event', { event_type: 'ping' })], { trigger_type: 'ping' });
  };

  it.each([10, 9_999, -5, '10'])('ignores the data of a caller: %j', async (flow_hops) => {
    const flow = await chainOf();
    await track(shop, EMAIL, 'ping', { flow_hops });
    await work(server);
    const statuses = (await runsOf(shop, flow.flow_id)).map(({ status }) => status);
    expect(statuses).toEqual([...Array(10).fill('completed'), 'failed']);
  });

  it('ignores the configured data of the step, and of an enrolment', async () => {
    const flow = await chainOf();
    const steps = [step('again', 'track_event', { event_type: 'ping', event_data: { flow_hops: 0 } })];
    expect((await shop.marketing('PATCH', `/flows/${flow.flow_id}`, { steps })).status).toBe(200);
    const { contact_id } = (await shop.marketing('POST', '/contacts', { email: EMAIL })).body;
    const enrolment = { contact_ids: [contact_id], event_data: { flow_hops: 10 } };
    await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`, enrolment);
    await work(server);
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(11);
  });

  it('is kept for events that a paused flow missed', async () => {
    const flow = await chainOf();
    const first = await activeFlow(shop, [step('go', 'track_event', { event_type: 'ping' })]);
    await action('pause', flow.flow_id);
    await track(shop, EMAIL);
    await work(server);
    await action('activate', flow.flow_id);
    await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`);
    await work(server);
    expect(await runsOf(shop, flow.flow_id)).toHaveLength(10);
    expect((await runOf(shop, first.flow_id)).status).toBe('completed');
  });
});

describe('start_flow', () => {
  const starting = async (id: number) => activeFlow(shop, [step('go', 'start_flow', { flow_id: id }), tag('after')]);

  it.each([
    ['draft', []],
    ['paused', ['activate', 'pause']],
    ['archived', ['activate', 'archive']],
  ])('of a flow that is %s is logged as skipped, and the run continues', async (status, actions) => {
    const { flow_id } = (await shop.marketing('POST', '/flows', { name: 'Other', trigger_type: 'cart_abandoned' }))
      .body;
    for (const name of actions) await action(name, flow_id);
    const flow = await starting(flow_id);
    await track(shop, EMAIL);
    await work(server);
    const run = await runOf(shop, flow.flow_id);
    expect((await shop.marketing('GET', `/flows/${flow_id}`)).body.status).toBe(status);
    expect(run).toMatchObject({ status: 'completed', log: [{ step_id: 'go' }, { step_id: 'after' }] });
    expect(run.log[0]).toMatchObject({ result: 'skipped', detail: `Flow ${flow_id} is not active` });
    expect((await contactOf(shop, EMAIL)).tags).toEqual(['after']);
    expect(await numbersOf(shop, flow.flow_id, 'go')).toMatchObject({ entered: 1, passed: 1 });
  });

  it('of a flow whose re-entry keeps the contact out is logged for exactly those contacts', async () => {
    const other = await activeFlow(shop, [step('rest', 'delay', { value: 1, unit: 'days' })], {
      trigger_type: 'cart_abandoned',
    });
    const flows = [await starting(other.flow_id), await starting(other.flow_id)];
    await track(shop, EMAIL);
    await track(shop, 'b@example.com');
    await work(server);
    const firsts = await Promise.all(
      flows.map(async ({ flow_id }) => (await runsOf(shop, flow_id)).map((run) => run.log[0])),
    );
    const skipped = firsts.flat().filter(({ result }) => result === 'skipped');
    expect(skipped.map(({ detail }) => detail)).toEqual(
      Array(2).fill(`Flow ${other.flow_id} does not allow the contact to enter again`),
    );
    expect(firsts.flat().filter(({ result }) => result === 'default')).toHaveLength(2);
    expect(await runsOf(shop, other.flow_id)).toHaveLength(2);
  });

  it('of a deleted flow fails the run, which resumes once the step starts another flow', async () => {
    const other = await activeFlow(shop, [], { trigger_type: 'cart_abandoned' });
    const next = await activeFlow(shop, [], { trigger_type: 'cart_abandoned' });
    const flow = await starting(other.flow_id);
    await shop.marketing('DELETE', `/flows/${other.flow_id}`);
    await track(shop, EMAIL);
    const worker = workerWith(server, {});
    while ((await worker.runOnce()) > 0);
    const run = await runOf(shop, flow.flow_id);
    expect(run).toMatchObject({ status: 'failed', step_id: 'go', reason: `There is no flow ${other.flow_id}` });
    expect((await contactOf(shop, EMAIL)).tags).toEqual([]);
    await shop.marketing('PATCH', `/flows/${flow.flow_id}`, {
      steps: [step('go', 'start_flow', { flow_id: next.flow_id }), tag('after')],
    });
    await track(shop, 'b@example.com');
    await work(server);
    expect(await runsOf(shop, next.flow_id)).toHaveLength(1);
  });
});

describe('track_event', () => {
  it('of a removed type is logged as refused; other events are stored', async () => {
    for (const event_type of ['gone', 'kept']) await shop.marketing('POST', '/event-types', { event_type });
    const tell = (type: string) => step(type, 'track_event', { event_type: type });
    const flow = await activeFlow(shop, [tell('gone'), tell('kept'), tag('after')]);
    await shop.marketing('DELETE', '/event-types/gone');
    await track(shop, EMAIL);
    await work(server);
    const run = await runOf(shop, flow.flow_id);
    expect(run.status).toBe('completed');
    const refused = run.log.filter(({ result }: { result: string }) => result === 'skipped');
    expect(refused).toMatchObject([
      { step_id: 'gone', type: 'track_event', detail: 'The event gone was refused: unknown event type' },
    ]);
    expect((await shop.marketing('GET', '/events?event_type=gone')).body.events).toEqual([]);
    expect((await shop.marketing('GET', '/events?event_type=kept')).body.events).toHaveLength(1);
    expect(await server.rows('select 1 from flow_emissions')).toEqual([]);
  });

  it.each(['settled as refused', 'thrown'])(
    'that is refused, %s, is logged with the reason, and those behind it are stored',
    async (how) => {
      await shop.marketing('POST', '/event-types', { event_type: 'noted' });
      const flow = await activeFlow(shop, [step('tell', 'track_event', { event_type: 'noted' }), tag('after')]);
      for (const name of ['a', 'b', 'c']) await track(shop, `${name}@example.com`);
      const bad = (await contactOf(shop, 'b@example.com')).contact_id;
      const error = new AppError('bad_request', 'nobody wants it');
      const worker = workerWith(server, {
        storeEvents: async (tx, companyId, events, now) => {
          const wanted = events.filter(({ contactId }) => contactId !== bad);
          if (how === 'thrown' && wanted.length < events.length) throw error;
          const outcomes: Settled<unknown>[] = await server.app.events.storeEvents(tx, companyId, wanted, now);
          return wanted.length < events.length ? [...outcomes, { ok: false, error }] : outcomes;
        },
      });
      while ((await worker.runOnce()) > 0);
      expect(await server.rows('select due_at, attempts, error from flow_emissions')).toEqual([]);
      expect((await shop.marketing('GET', '/events?event_type=noted')).body.events).toHaveLength(2);
      const lasts = (await runsOf(shop, flow.flow_id)).map((run) => [run.contact_id === bad, run.log.at(-1)]);
      expect(lasts).toHaveLength(3);
      for (const [isBad, last] of lasts) {
        const detail = 'The event noted was refused: nobody wants it';
        expect(last).toMatchObject(isBad ? { step_id: 'tell', result: 'skipped', detail } : { step_id: 'after' });
      }
    },
  );

  it('takes a single event with limit 1, whatever the plan', async () => {
    const { company_id } = shop;
    const values = [1, 2, 3].map((n) => `(${company_id}, 1, ${n}, 's', 1, 1, 'noted', '{}', now())`).join();
    await server.app.db.tenantTx(company_id, async (tx) => {
      const run = (text: string) => tx.query({ name: '', text, values: [] });
      await run(`insert into flow_emissions
        (company_id, flow_id, run_id, step_id, visit, contact_id, event_type, data, due_at) values ${values}`);
      for (const way of ['hashagg', 'hashjoin', 'mergejoin', 'sort', 'material'])
        await run(`set local enable_${way} = off`);
      expect(await takeDomainEvents(tx, company_id, { now: new Date('2100-01-01'), limit: 1 })).toHaveLength(1);
      await run('delete from flow_emissions');
    });
  });
});
