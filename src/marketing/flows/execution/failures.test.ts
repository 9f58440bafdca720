import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import type { DraftStep } from '../definition/steps.ts';
import { step } from '../definition/testing-graphs.ts';
import { flowInvariants } from '../invariants.ts';
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

describe('a run that fails', () => {
  it('and an event of a flow that cannot be stored, block neither events nor runs', async () => {
    await shop.marketing('POST', '/event-types', { event_type: 'noted' });
    const flow = await activeFlow(shop, [step('tell', 'track_event', { event_type: 'noted' }), wait(1), tag('done')]);
    for (let i = 0; i < 3; i++) await track(shop, `p${i}@example.com`);
    const bad = (await contactOf(shop, 'p1@example.com')).contact_id;
    const worker = workerWith(server, {
      storeEvents: async (tx, companyId, events, now) => {
        if (events.some(({ contactId }) => contactId === bad)) throw new RangeError('this cannot be stored');
        return server.app.events.storeEvents(tx, companyId, events, now);
      },
    });
    while ((await worker.runOnce()) > 0);
    server.clock.advance(HOUR);
    while ((await worker.runOnce()) > 0);
    expect((await shop.marketing('GET', '/events?event_type=noted')).body.events).toHaveLength(2);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ completed: 3, failed: 0 });
    const refused = (await runsOf(shop, flow.flow_id)).filter(({ log }) =>
      JSON.stringify(log).includes('cannot be stored'),
    );
    expect(refused.map(({ contact_id }) => contact_id)).toEqual([bad]);
  });

  it.each([
    { why: 'division by zero', boom: ['select 1 / 0'] },
    { why: 'statement timeout', boom: ['set local statement_timeout = 20', 'select pg_sleep(1)'] },
  ])('fails alone, with its reason; the others continue, and it can be retried: $why', async ({ why, boom }) => {
    const flow = await activeFlow(shop, [tag('first'), step('sms', 'send_sms', { content: 'Hi' })]);
    for (let i = 0; i < 20; i++) await track(shop, `p${i}@example.com`);
    const bad = (await contactOf(shop, 'p7@example.com')).contact_id;
    const worker = workerWith(server, {
      queueMessages: async (tx, _company, messages) => {
        // An error of the database rolls back the whole set: the worker must find the run that caused it.
        if (messages.every(({ contactId }) => contactId !== bad)) return;
        for (const text of boom) await tx.query({ text, name: text, values: [] });
      },
    });
    while ((await worker.runOnce()) > 0);
    const runs = await runsOf(shop, flow.flow_id);
    expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(19);
    const failed = runs.find(({ status }) => status === 'failed');
    expect(failed).toMatchObject({
      contact_id: bad,
      reason: expect.stringContaining(why),
      step_id: 'sms',
    });
    expect((await contactOf(shop, 'p7@example.com')).tags).toEqual(['first']);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 20, completed: 19, failed: 1, active: 0 });

    const retried = await shop.marketing('POST', `/flows/runs/retry/${failed.run_id}`);
    expect(retried).toMatchObject({ status: 200, body: { status: 'active', reason: null } });
    await work(server);
    expect((await shop.marketing('GET', `/flows/runs/${failed.run_id}`)).body.status).toBe('completed');
    expect((await contactOf(shop, 'p7@example.com')).tags).toEqual(['first']);
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ completed: 20, failed: 0, active: 0 });
    expect((await shop.marketing('POST', `/flows/runs/retry/${failed.run_id}`)).status).toBe(400);
  });

  it('because its change is refused writes nothing; the others write everything', async () => {
    const flow = await activeFlow(shop, [step('set', 'update_contact', { properties: { big: 'x'.repeat(60_000) } })]);
    await shop.marketing('POST', '/contacts', { email: EMAIL, properties: { full: 'y'.repeat(20_000) } });
    for (const email of [EMAIL, 'b@example.com', 'c@example.com']) await track(shop, email);
    await work(server);
    const statuses = (await runsOf(shop, flow.flow_id)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['completed', 'completed', 'failed']);
  });

  it('that wrote a message or notification twice for one visit is found by the doctor', async () => {
    const effects = async () =>
      (await checkInvariants(server.app.db, flowInvariants)).find(({ id }) => id === 'I8.effects')!.ok;
    await activeFlow(shop, [step('sms', 'send_sms', { content: 'Hi' }), step('note', 'notify', { message: 'Hi' })]);
    await track(shop, EMAIL);
    await work(server);
    expect(await effects()).toBe(true);
    await server.rows(
      `insert into messages overriding system value
       select (jsonb_populate_record(m, '{"id": 999999, "idem_key": "once more"}')).* from messages m
       where company_id = $1 and run_id is not null`,
      [shop.company_id],
    );
    expect(await effects()).toBe(false);
    await server.rows('delete from messages where id = 999999');
    expect(await effects()).toBe(true);
    await server.rows(
      `insert into flow_notifications (company_id, flow_id, run_id, step_id, contact_id, message, created_at)
       select company_id, flow_id, run_id, step_id, contact_id, message, created_at from flow_notifications
       where company_id = $1`,
      [shop.company_id],
    );
    expect(await effects()).toBe(false);
    await server.rows('delete from flow_notifications where company_id = $1', [shop.company_id]);
  });

  it('fails at the failing step, keeps its earlier steps and signals, and resumes from there', async () => {
    const steps = [
      step('wait', 'wait_for_event', { event_type: 'order_completed', timeout: { value: 1, unit: 'days' } }),
      tag('got'),
      step('sms', 'send_sms', { content: 'Hi' }),
      tag('late'),
    ];
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'got' },
      { from: 'got', to: 'sms' },
      { from: 'wait', branch: 'timeout', to: 'late' },
    ];
    const flow = await activeFlow(shop, steps, { connections });
    for (const email of [EMAIL, 'b@example.com']) await track(shop, email);
    await work(server);
    await track(shop, EMAIL, 'order_completed');
    const refusing = workerWith(server, { queueMessages: () => Promise.reject(new RangeError('no more messages')) });
    while ((await refusing.runOnce()) > 0);
    const [failed, other] = await runsOf(shop, flow.flow_id);
    expect(failed).toMatchObject({ status: 'failed', step_id: 'sms', reason: 'no more messages' });
    expect(failed.log.at(-1)).toMatchObject({ step_id: 'sms', type: 'send_sms', result: 'failed' });
    expect(pathOf(failed)).toEqual(['wait:waiting', 'wait:received', 'got:default', 'sms:failed']);
    expect(other).toMatchObject({ status: 'active', step_id: 'wait' });
    await expectSound(server);
    await shop.marketing('POST', `/flows/runs/retry/${failed.run_id}`);
    await work(server);
    expect(pathOf((await runsOf(shop, flow.flow_id))[0])).toEqual([...pathOf(failed), 'sms:default']);
    expect(await server.rows('select step_id from messages where company_id = $1', [shop.company_id])).toEqual([
      { step_id: 'sms' },
    ]);
  });

  it('because its list was deleted gives the reason', async () => {
    const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
    const flow = await activeFlow(shop, [wait(1), step('join', 'add_to_list', { list_id })]);
    await track(shop, EMAIL);
    await work(server);
    expect((await shop.marketing('DELETE', `/lists/${list_id}`)).status).toBe(200);
    await later(server, HOUR);
    const { status, reason } = await runOf(shop, flow.flow_id);
    expect([status, reason]).toEqual(['failed', expect.stringContaining(`There is no list ${list_id}`)]);
  });

  it('is not retried while its contact has another run in the flow, and a retry applies the events since', async () => {
    const flow = await activeFlow(shop, [step('sms', 'send_sms', { content: 'Hi' }), wait(1)], {
      exit_on: [{ event_type: 'order_completed' }],
    });
    await track(shop, EMAIL);
    const refusing = workerWith(server, { queueMessages: () => Promise.reject(new RangeError('no more messages')) });
    await refusing.runOnce();
    const { run_id, status } = await runOf(shop, flow.flow_id);
    expect(status).toBe('failed');
    await track(shop, EMAIL);
    expect((await shop.marketing('POST', `/flows/runs/retry/${run_id}`)).body.message).toContain('another run');
    await work(server);
    await later(server, HOUR);
    server.clock.advance(1);
    await track(shop, EMAIL, 'order_completed');
    expect((await shop.marketing('POST', `/flows/runs/retry/${run_id}`)).status).toBe(200);
    await work(server);
    expect((await runsOf(shop, flow.flow_id))[0]).toMatchObject({
      status: 'exited',
      reason: 'exit_on:order_completed',
    });
  });

  it('resumes by the newest version where that has its step, else by its own version', async () => {
    const [gone, news] = await Promise.all(['Old', 'News'].map((name) => shop.marketing('POST', '/lists', { name })));
    const { list_id } = gone!.body;
    const join = (id: number) => step('join', 'add_to_list', { list_id: id });
    const flow = await activeFlow(shop, [join(list_id), tag('old')]);
    const edit = (steps: DraftStep[], more = {}) => {
      const connections = steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? 'trigger', to: step_id }));
      return shop.marketing('PATCH', `/flows/${flow.flow_id}`, { steps, connections, ...more });
    };
    const retry = (id: number) => shop.marketing('POST', `/flows/runs/retry/${id}`);
    await shop.marketing('DELETE', `/lists/${list_id}`);
    await track(shop, EMAIL);
    await work(server);
    const failed = await runOf(shop, flow.flow_id);
    expect(failed).toMatchObject({ status: 'failed', step_id: 'join', version: 1 });

    expect((await edit([wait(1, 'other')])).status).toBe(200);
    expect((await retry(failed.run_id)).body).toMatchObject({ status: 'active', version: 1 });
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'failed', step_id: 'join', version: 1 });

    await edit([join(news!.body.list_id), wait(1), tag('new')], { exit_on: [{ event_type: 'order_completed' }] });
    expect((await retry(failed.run_id)).body).toMatchObject({ status: 'active', version: 3 });
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'active', step_id: 'wait' });
    expect((await contactOf(shop, EMAIL)).lists).toMatchObject([{ list_id: news!.body.list_id }]);
    server.clock.advance(1);
    await track(shop, EMAIL, 'order_completed');
    await work(server);
    expect(await runOf(shop, flow.flow_id)).toMatchObject({ status: 'exited', reason: 'exit_on:order_completed' });
  });

  it('at a wait continues to wait when it is retried', async () => {
    const waits = step('wait', 'wait_for_event', {
      event_type: 'order_completed',
      timeout: { value: 1, unit: 'days' },
    });
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'got' },
      { from: 'wait', branch: 'timeout', to: 'late' },
    ];
    const flow = await activeFlow(shop, [waits, tag('got'), tag('late')], { connections });
    await track(shop, EMAIL);
    await work(server);
    const { run_id } = await runOf(shop, flow.flow_id);
    // As though its signal could not be stored.
    await server.rows(
      `with failed as (
         update flow_runs set status = 'failed', reason = 'x', ended_at = $2 where id = $1 returning *)
       insert into counter_deltas (company_id, counter, key, n)
       select company_id, 'flow:' || flow_id || ':' || at, metric, n from failed cross join (values
         ('wait', 'waiting', -1), ('wait', 'failed', 1), ('', 'active', -1), ('', 'failed', 1)) c (at, metric, n)`,
      [run_id, server.clock.now()],
    );
    server.clock.advance(1);
    await track(shop, EMAIL, 'order_completed');
    await shop.marketing('POST', `/flows/runs/retry/${run_id}`);
    await work(server);
    expect(pathOf(await runOf(shop, flow.flow_id)).slice(1)).toEqual(['wait:received', 'got:default']);
  });
});
