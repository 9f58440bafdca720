import { expect } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import type { TestBody, TestCompany, TestServer } from '../../../testing/harness.ts';
import type { Worker } from '../../../work/worker.ts';
import type { Connection } from '../definition/definition.ts';
import type { DraftStep } from '../definition/steps.ts';
import { createFlowWorker, type FlowWorkerDeps } from '../execution/worker.ts';
import { flowInvariants } from '../invariants.ts';

/** Helpers for tests of flows, through the API and the workers. */

/** Runs the workers of flows until nothing is due. */
export async function work(server: TestServer): Promise<void> {
  const workers = server.app.workers.filter(({ name }) => name.startsWith('flow'));
  for (let round = 0; round < 1_000; round++) {
    let done = 0;
    for (const worker of workers) done += await worker.runOnce();
    if (done === 0) return;
  }
  throw new Error('The workers do not finish');
}

/** A worker like the app's that logs and sends nothing, with some dependencies replaced. */
export function workerWith({ app }: TestServer, parts: Partial<FlowWorkerDeps>): Worker {
  return createFlowWorker({
    ...app,
    log: app.log.child({}, { level: 'silent' }),
    enrolment: app.flows.enrolment,
    ...app.events,
    queueMessages: async () => 0,
    ...parts,
  });
}

/** Advances the clock, and runs the workers. */
export async function later(server: TestServer, ms: number): Promise<void> {
  server.clock.advance(ms);
  await work(server);
}

/** Creates an active flow; steps follow each other unless connections are given. Returns its record. */
export async function activeFlow(
  shop: TestCompany,
  steps: DraftStep[],
  more: Record<string, unknown> & { connections?: Connection[] } = {},
): Promise<TestBody> {
  const connections = steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? 'trigger', to: step_id }));
  const { status, body } = await shop.marketing('POST', '/flows', {
    name: 'Test flow',
    trigger_type: 'order_placed',
    status: 'active',
    steps,
    connections,
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

/** Expects all invariants of flows to hold. */
export async function expectSound(server: TestServer): Promise<void> {
  const findings = await checkInvariants(server.app.db, flowInvariants);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
}

let orders = 0;

/** Tracks an order of the contact, or another event; returns the body of the response. */
export async function track(
  shop: TestCompany,
  email: string,
  eventType = 'order_placed',
  data: Record<string, unknown> = {},
): Promise<TestBody> {
  const needed: Record<string, Record<string, unknown>> = {
    order_placed: { order_id: `o${++orders}`, total: 10 },
    order_completed: { order_id: `c${++orders}` },
    cart_abandoned: { cart_total: 80, items: [] },
    product_viewed: { product_id: `p${++orders}`, product_name: 'Mug' },
    customer_created: { first_name: 'Ada', last_name: 'Lovelace' },
    subscription_created: { subscription_id: `s${++orders}`, plan: 'monthly' },
    subscription_cancelled: { subscription_id: `s${++orders}` },
  };
  const event_data = { email, ...needed[eventType], ...data };
  const { status, body } = await shop.marketing('POST', '/events', { event_type: eventType, event_data });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

/** Stores one event in a separate transaction that stays open until the returned function is called. */
export async function storing(
  server: TestServer,
  shop: TestCompany,
  email: string,
  eventType: string,
  data: Record<string, unknown>,
): Promise<() => Promise<number[]>> {
  let finish = (): void => {};
  let stored = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ready = new Promise<void>((resolve) => {
    stored = resolve;
  });
  const { company_id } = shop;
  const done = server.app.db.tenantTx(company_id, async (tx) => {
    const event = { eventType, data: { email, ...data }, source: 'api' as const };
    const [outcome] = await server.app.events.storeEvents(tx, company_id, [event], server.clock.now());
    stored();
    await held;
    return outcome!.ok ? outcome!.value.flows_triggered : [];
  });
  await Promise.race([ready, done]);
  return () => {
    finish();
    return done;
  };
}

/** The runs of a flow with their logs, the oldest first. */
export async function runsOf(shop: TestCompany, flowId: number): Promise<TestBody[]> {
  const { body } = await shop.marketing('GET', `/flows/${flowId}/runs?per_page=100`);
  const ids = (body.runs as { run_id: number }[]).map(({ run_id }) => run_id).reverse();
  return Promise.all(ids.map(async (id) => (await shop.marketing('GET', `/flows/runs/${id}`)).body));
}

/** The only run of a flow. */
export async function runOf(shop: TestCompany, flowId: number): Promise<TestBody> {
  const runs = await runsOf(shop, flowId);
  expect(runs).toHaveLength(1);
  return runs[0];
}

/** A run's log as `step:result`. */
export function pathOf(run: { log: { step_id: string | null; result: string }[] }): string[] {
  return run.log.map(({ step_id, result }) => `${step_id}:${result}`);
}

/** The statistics of a flow, or of one of its steps. */
export async function numbersOf(shop: TestCompany, flowId: number, stepId?: string): Promise<TestBody> {
  const { body } = await shop.marketing('GET', `/flows/${flowId}/stats`);
  if (stepId === undefined) return body.totals;
  return (body.steps as { step_id: string }[]).find(({ step_id }) => step_id === stepId);
}

export async function contactOf(shop: TestCompany, email: string): Promise<TestBody> {
  const { body } = await shop.marketing('GET', `/contacts?search=${encodeURIComponent(email)}`);
  expect(body.contacts).toHaveLength(1);
  return body.contacts[0];
}
