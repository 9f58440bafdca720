import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow, expectSound, later, numbersOf, runsOf, work } from '../testing/flows.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  server.clock.set('2026-03-15T12:00:00Z');
  shop = await server.company();
});
afterEach(() => expectSound(server));

const HOUR = 3_600_000;
const EMAIL = 'ada@example.com';
const steps = [
  step('wait', 'delay', { value: 1, unit: 'hours' }),
  step('tag', 'add_tag', { tag: 'walked' }),
  step('rest', 'delay', { value: 1, unit: 'hours' }),
];

async function contact(keys: Record<string, string>): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/contacts', keys);
  expect([200, 201]).toContain(status);
  return body.contact_id;
}
/** Two contacts of one person, and the upsert that merges them; the one with the external_id remains. */
const two = () => Promise.all([contact({ email: EMAIL }), contact({ external_id: 'ada' })]);
const merge = () => contact({ email: EMAIL, external_id: 'ada' });
const named = (name: string) => server.app.workers.find((worker) => worker.name === name)!;
const enroll = async (flow: { flow_id: number }, ...ids: number[]) =>
  (await shop.marketing('POST', `/flows/enroll/${flow.flow_id}`, { contact_ids: ids })).body;

/** Runs the action while a worker holds a run whose effects it has written, but not yet its statistics. */
async function whileMoved(action: () => Promise<unknown>): Promise<void> {
  const { db } = server.app;
  const held = async (processes: number): Promise<void> => {
    while ((await server.lockWaits('relation', 'transactionid')) < processes) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const both: Promise<unknown>[] = [];
  await db.tx(async (tx) => {
    await tx.query(sql`lock table counter_deltas in share mode`);
    both.push(named('flows').runOnce());
    await held(1);
    both.push(action());
    await held(2);
  });
  await Promise.all(both);
}

describe('contacts that are merged', () => {
  it('continue the run that one of them had, and start no second one', async () => {
    const flow = await activeFlow(shop, steps);
    const [loser, winner] = await two();
    await enroll(flow, loser);
    await work(server);
    expect(await merge()).toBe(winner);
    expect(await enroll(flow, winner)).toMatchObject({ enrolled: 0, skipped: 1 });
    await later(server, HOUR);
    expect(await runsOf(shop, flow.flow_id)).toMatchObject([{ contact_id: winner, status: 'active', step_id: 'rest' }]);
  });

  it('with a run each in one flow continue the older run; the other one ends', async () => {
    const flow = await activeFlow(shop, steps);
    const [loser, winner] = await two();
    await enroll(flow, loser);
    await later(server, HOUR / 2);
    await enroll(flow, winner);
    await work(server);
    await merge();
    const [first, second] = await runsOf(shop, flow.flow_id);
    expect(first).toMatchObject({ contact_id: winner, status: 'active', reason: null });
    expect(second).toMatchObject({ contact_id: winner, status: 'exited', reason: 'merged' });
    expect(second.log.at(-1)).toMatchObject({ step_id: 'wait', type: 'delay', result: 'exited', detail: 'merged' });
    expect(await numbersOf(shop, flow.flow_id)).toMatchObject({ entered: 2, active: 1, exited: 1 });
    expect(await enroll(flow, winner)).toMatchObject({ enrolled: 0, skipped: 1 });
  });

  it('keep all their runs of a flow that allows several at once', async () => {
    const flow = await activeFlow(shop, steps, { reentry: { mode: 'always', concurrent: true } });
    const [loser, winner] = await two();
    await enroll(flow, loser, winner);
    await merge();
    expect(await runsOf(shop, flow.flow_id)).toMatchObject(
      Array(2).fill({ contact_id: winner, status: 'active', reason: null }),
    );
    expect(await enroll(flow, winner)).toMatchObject({ enrolled: 1 });
  });

  it('while one enters a flow that has a run of the other', async () => {
    const flow = await activeFlow(shop, steps);
    const [loser, winner] = await two();
    await enroll(flow, loser);
    server.clock.advance(1_000);
    const entered = await server.app.db.tx(async (tx) => {
      await tx.query(sql`
        insert into flow_runs (company_id, flow_id, version, contact_id, slot, due_at, listens, state, entered_at)
        select company_id, flow_id, version, ${winner}, slot, due_at, listens, state, ${server.clock.now()}
        from flow_runs where company_id = ${shop.company_id} and contact_id = ${loser}`);
      await tx.query(sql`
        insert into counter_deltas (company_id, counter, key, n)
        select ${shop.company_id}, ${`flow:${flow.flow_id}:`}, unnest('{entered,active}'::text[]), 1`);
      const merged = merge();
      await expect.poll(() => server.lockWaits('transactionid')).toBe(1);
      return { merged };
    });
    expect(await entered.merged).toBe(winner);
    expect((await runsOf(shop, flow.flow_id)).map(({ contact_id, status }) => [contact_id, status])).toEqual([
      [winner, 'active'],
      [winner, 'exited'],
    ]);
  });

  it('while a worker advances their runs keep the effects: sent and shown for the remaining contact', async () => {
    const hurry = [
      step('mail', 'send_email', { subject: 'Hi', content: '<p>Hi</p>' }),
      step('tell', 'notify', { message: 'x' }),
    ];
    const flow = await activeFlow(shop, hurry);
    const [loser, winner] = await two();
    await enroll(flow, loser);
    await whileMoved(merge);
    await work(server);
    await named('sender').runOnce();
    const { body } = await shop.marketing('GET', `/messages?flow_id=${flow.flow_id}`);
    expect(body.messages).toMatchObject([{ contact_id: winner, status: 'sent', recipient: EMAIL }]);
    const { body: listed } = await shop.marketing('GET', '/flows/notifications');
    expect(listed.notifications).toMatchObject([{ contact_id: winner, message: 'x' }]);
  });
});

it('a contact that is erased while a worker advances its run keeps none of the effects', async () => {
  const flow = await activeFlow(shop, [step('tell', 'notify', { message: 'x' })]);
  const gone = await contact({ email: EMAIL });
  await enroll(flow, gone);
  await whileMoved(() => shop.marketing('DELETE', `/contacts/${gone}`));
  expect((await shop.marketing('GET', '/flows/notifications')).body.notifications).toEqual([]);
  expect((await runsOf(shop, flow.flow_id)).map(({ log }) => log)).toEqual([[]]);
});
